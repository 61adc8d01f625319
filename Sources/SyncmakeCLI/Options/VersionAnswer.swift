/// `syncmake --version`, which scripts ask to see whether the program is there, without the argument parser: that takes
/// as long to begin with as all the rest of the program.
enum VersionAnswer {
  /// The parser prints the same if there are other words beside the option.
  static let text = "syncmake \(Version.number)"

  /// Whether `arguments` ask only for the version; if so, it was printed.
  static func answers(_ arguments: [String]) -> Bool {
    guard arguments == ["--version"] else { return false }
    Console.out(text + "\n")
    return true
  }
}
