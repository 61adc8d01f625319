/// A pattern for paths, with the rules of `.gitignore`.
///
/// `*` stands for any bytes but a slash, `?` for one character but a slash, `[a-z]` and `[!a-z]` for one character,
/// `**` as a whole part for any number of folders; a backslash takes the next character as it is. A pattern with a
/// slash at its start or inside is compared with the whole path, another one with the path's last part. A slash at
/// the end means folders only. Compared are bytes, but `?` and `[…]` take a whole character of UTF-8.
package struct PathPattern: Sendable, Hashable {
  /// A fault of a pattern's text.
  package enum Fault: Error, Sendable, Equatable {
    case empty
    /// A `[` without its `]`.
    case openBracket
    /// A backslash at the end, which escapes nothing.
    case openEscape
    case control
  }

  /// The pattern as written.
  package let text: ByteString
  /// Whether it begins with `!`: what it matches is not excluded after all.
  package let isNegated: Bool
  /// Whether it ends in a slash.
  package let isOfFolders: Bool
  private let parts: [Part]

  fileprivate enum Part: Sendable, Hashable {
    /// `**`: any number of folders, none included.
    case folders
    case name(NamePattern)
  }

  /// Reads a pattern.
  package init(_ text: String) throws(Fault) {
    var bytes = Array(text.utf8)[...]
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { throw .control }
    isNegated = bytes.first == UInt8(ascii: "!")
    if isNegated { bytes = bytes.dropFirst() }
    isOfFolders = bytes.last == UInt8(ascii: "/")
    if isOfFolders { bytes = bytes.dropLast() }
    let begins = bytes.first == UInt8(ascii: "/")
    if begins { bytes = bytes.dropFirst() }
    guard !bytes.isEmpty else { throw .empty }
    var parts: [Part] = []
    for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
      if part.elementsEqual("**".utf8) {
        // Two in a row mean the same as one.
        if parts.last != .folders { parts.append(.folders) }
      } else {
        parts.append(.name(try NamePattern(part)))
      }
    }
    guard !parts.isEmpty else { throw .empty }
    let isAnchored = begins || bytes.contains(UInt8(ascii: "/"))
    if !isAnchored, parts.first != .folders { parts.insert(.folders, at: 0) }
    // `a/**` means everything below `a`, and not `a` itself.
    if parts.last == .folders { parts.append(.name(.any)) }
    self.parts = parts
    self.text = ByteString(text)
  }

  /// The text of a pattern, or a part of one, that stands for just this text.
  ///
  /// Most texts are that already.
  package static func plain(_ text: String) -> String {
    var bytesOfText = text
    guard bytesOfText.withUTF8({ unsafe isSpecial(UnsafeRawBufferPointer($0)) }) else { return text }
    let bytes = text.utf8.flatMap { special.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    let isNegation = bytes.first == UInt8(ascii: "!")
    return String(decoding: (isNegation ? [UInt8(ascii: "\\")] : []) + bytes, as: UTF8.self)
  }

  /// Whether a text with these bytes stands for others than itself in a pattern.
  package static func isSpecial(_ bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe bytes.first == UInt8(ascii: "!") || bytes.contains { special.contains($0) }
  }

  private static let special = Array("\\*?[".utf8)

  /// Whether the path with these parts matches; `isFolder` says what it is the path of.
  package func matches(_ path: [ArraySlice<UInt8>], isFolder: Bool = false) -> Bool {
    matches(path[...], isFolder: isFolder)
  }

  fileprivate func matches(_ path: ArraySlice<ArraySlice<UInt8>>, isFolder: Bool) -> Bool {
    (isFolder || !isOfFolders) && matches(path)
  }

  /// Whether the path, or a folder above it, matches.
  package func matchesWithin(_ path: [ArraySlice<UInt8>], isFolder: Bool) -> Bool {
    if matches(path, isFolder: isFolder) { return true }
    return path.indices.dropFirst().contains { matches(path[..<$0]) }
  }

  /// The text of the last part, without its wildcards; what is compared to find near names.
  package var nameHint: String {
    guard case .name(let name)? = parts.last else { return "" }
    return name.hint
  }

  /// Whether ``nameHint`` is only the end of a name.
  package var hintsAtEnding: Bool {
    guard case .name(let name)? = parts.last else { return false }
    return name.isEnding
  }

  /// Whether a path's last part matches that of the pattern.
  package func matchesName(_ name: ArraySlice<UInt8>) -> Bool {
    guard case .name(let pattern)? = parts.last else { return false }
    return pattern.matches(name)
  }

  /// Goes back to the last `**` only, so that no pattern takes more than the product of both lengths.
  private func matches(_ path: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    var (place, part) = (path.startIndex, 0)
    var star: (part: Int, place: Int)?
    while place < path.endIndex {
      switch part < parts.count ? parts[part] : nil {
      case .folders:
        star = (part, place)
        part += 1
        continue
      case .name(let name) where name.matches(path[place]):
        (place, part) = (place + 1, part + 1)
        continue
      default: break
      }
      guard let last = star else { return false }
      star = (last.part, last.place + 1)
      (place, part) = (last.place + 1, last.part + 1)
    }
    return part == parts.count
  }
}

extension [PathPattern] {
  /// Whether a path is excluded: of each folder above it, and then of the path, the last pattern that matches decides. What
  /// is in an excluded folder is excluded, as for git.
  package func excludes(_ path: [ArraySlice<UInt8>], isFolder: Bool) -> Bool {
    path.indices.contains { place in
      let isLast = place == path.indices.last
      return last { $0.matches(path[...place], isFolder: !isLast || isFolder) }.map { !$0.isNegated } ?? false
    }
  }

  /// Whether the patterns take a path in: the last pattern that matches it, or a folder above it, decides.
  package func choose(_ path: [ArraySlice<UInt8>], isFolder: Bool) -> Bool {
    last { $0.matchesWithin(path, isFolder: isFolder) }.map { !$0.isNegated } ?? false
  }
}
