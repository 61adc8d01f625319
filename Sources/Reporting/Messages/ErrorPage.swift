/// The page that has a section for each error and warning.
enum ErrorPage {
  // Installed programs have no such page beside them.
  private static let address = "https://github.com/syncmake/syncmake/blob/main/docs/errors.md"

  /// The line that names a code's section, with its line end; a test requires that each code has one.
  static func line(_ code: String, _ style: TextStyle) -> String {
    "\(style.paint("see:", .cyan)) \(address)#\(code)\n"
  }
}
