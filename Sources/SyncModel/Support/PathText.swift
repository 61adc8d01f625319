/// Paths cut by bytes, as the system does it: a mark that combines with a slash or a dot belongs to a name.
extension String {
  /// Without any leading `./`.
  package var withoutDotSlash: String {
    var rest = utf8[...]
    while rest.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
    return rest.count == utf8.count ? self : String(Substring(rest))
  }

  /// The text after the last slash.
  package var lastPart: String {
    lastSlash.map { String(Substring(utf8[utf8.index(after: $0)...])) } ?? self
  }

  /// The path of its folder with a slash at its end, and nothing without a slash.
  package var folderPrefix: String {
    lastSlash.map { String(Substring(utf8[...$0])) } ?? ""
  }

  /// The path of its folder: `.` without a slash, `/` directly below the root.
  package var folderPath: String {
    lastSlash.map { $0 == startIndex ? "/" : String(Substring(utf8[..<$0])) } ?? "."
  }

  /// Whether it is a path in `folder`, which has no slash at its end unless it is the root.
  package func isPath(in folder: String) -> Bool {
    utf8.starts(with: folder.utf8)
      && (folder == "/" || utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/"))
  }

  private var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }
}
