/// A pattern for the paths of files below a folder, as shells know them: `projects/*/syncmake.yaml`.
///
/// `*`, `?`, `[a-z]` and the backslash are those of a ``PathPattern``, and so is `**` for any number of folders. A name
/// that begins with a dot is matched only where the pattern has the dot, too. Links are not followed.
package struct FilePattern: Sendable {
  /// What is in a folder.
  package struct Entry: Sendable {
    /// In the system's own bytes, which need not be UTF-8.
    package var name: [UInt8]
    /// Whether it is a folder, and not a link to one.
    package var isFolder: Bool

    /// `name` has neither a slash nor a zero byte.
    package init(name: [UInt8], isFolder: Bool) {
      self.name = name
      self.isFolder = isFolder
    }
  }

  /// Looks at files.
  package protocol Folders {
    /// What is in the folder at `path` from the root, which is empty for the root itself; nothing if it is no folder.
    mutating func entries(of path: [UInt8]) throws(FailureCause) -> [Entry]
    /// Whether there is a regular file at `path` from the root, and no link on the way.
    mutating func isFile(_ path: [UInt8]) throws(FailureCause) -> Bool
  }

  private enum Part: Sendable {
    /// `**`.
    case folders
    /// A name without wildcards.
    case plain([UInt8])
    case name(NamePattern, matchesHidden: Bool)
  }

  private let parts: [Part]

  /// Whether `text` has a wildcard, so that it is not the path of one file.
  package static func isPattern(_ text: String) -> Bool { text.utf8.contains(where: isWildcard) }

  private static func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
  }

  /// Reads a path with wildcards, without `.` and `..`.
  package init(_ path: RelativePath) throws(PathPattern.Fault) {
    var parts: [Part] = []
    for part in path.text.utf8.split(separator: UInt8(ascii: "/")) {
      if part.elementsEqual("**".utf8) {
        parts.append(.folders)
      } else if part.contains(where: { Self.isWildcard($0) || $0 == UInt8(ascii: "\\") }) {
        let bytes = Array(part)[...]
        parts.append(.name(try NamePattern(bytes), matchesHidden: bytes.first == UInt8(ascii: ".")))
      } else {
        parts.append(.plain(Array(part)))
      }
    }
    // `a/**` means everything below `a`.
    if case .folders? = parts.last { parts.append(.name(.any, matchesHidden: false)) }
    self.parts = parts
  }

  /// The paths of the files that match, each once, in the order of their bytes.
  package func files(in folders: inout some Folders) throws(FailureCause) -> [[UInt8]] {
    var search = Search(parts: parts)
    try search.look(in: [], 0, &folders)
    return search.found.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether a file at `path` would be among ``files(in:)``.
  package func matches(_ path: RelativePath) -> Bool {
    let name = path.name.utf8
    // Most files have another name.
    let mayMatch =
      switch parts.last {
      case .plain(let own)?: name.elementsEqual(own)
      case .name(let pattern, _)?: pattern.matches(Array(name)[...])
      case .folders?, nil: true
      }
    guard mayMatch else { return false }
    var only = OnlyFile(path: Array(path.text.utf8))
    // This file's folder can always be read.
    return (try? files(in: &only))?.isEmpty == false
  }

  /// A root in which there is one file.
  private struct OnlyFile: Folders {
    let path: [UInt8]

    func entries(of folder: [UInt8]) -> [Entry] {
      let start = folder.isEmpty ? 0 : folder.count + 1
      guard start < path.count, path.starts(with: folder), start == 0 || path[start - 1] == Self.slash else {
        return []
      }
      let name = path[start...].prefix { $0 != Self.slash }
      return [Entry(name: Array(name), isFolder: name.endIndex < path.endIndex)]
    }

    func isFile(_ file: [UInt8]) -> Bool { file == path }

    private static let slash = UInt8(ascii: "/")
  }

  private struct Search {
    /// A folder, and the part of the pattern that what is in it must match.
    struct Place: Hashable {
      var folder: [UInt8]
      var part: Int
    }

    let parts: [Part]
    var found: Set<[UInt8]> = []
    /// Two `**` lead to one place in many ways.
    var seen: Set<Place> = []

    mutating func look(in folder: [UInt8], _ part: Int, _ folders: inout some Folders) throws(FailureCause) {
      guard seen.insert(Place(folder: folder, part: part)).inserted else { return }
      let isLast = part == parts.count - 1
      switch parts[part] {
      case .plain(let name):
        let path = Self.path(folder, name)
        if !isLast {
          try look(in: path, part + 1, &folders)
        } else if try folders.isFile(path) {
          found.insert(path)
        }
      case .name(let pattern, let matchesHidden):
        for entry in try folders.entries(of: folder)
        where (matchesHidden || !Self.isHidden(entry.name)) && pattern.matches(entry.name[...]) {
          let path = Self.path(folder, entry.name)
          if !isLast {
            if entry.isFolder { try look(in: path, part + 1, &folders) }
          } else if !entry.isFolder, try folders.isFile(path) {
            found.insert(path)
          }
        }
      case .folders:
        try look(in: folder, part + 1, &folders)
        for entry in try folders.entries(of: folder) where entry.isFolder && !Self.isHidden(entry.name) {
          try look(in: Self.path(folder, entry.name), part, &folders)
        }
      }
    }

    private static func path(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
      folder.isEmpty ? name : folder + [UInt8(ascii: "/")] + name
    }

    private static func isHidden(_ name: [UInt8]) -> Bool { name.first == UInt8(ascii: ".") }
  }
}
