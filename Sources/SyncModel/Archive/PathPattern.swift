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
    case name([Piece])
  }

  fileprivate enum Piece: Sendable, Hashable {
    case byte(UInt8)
    /// `*`.
    case any
    /// `?`.
    case one
    /// `[…]`, with its ranges; `isNegated`: any other character.
    case set([ClosedRange<UInt32>], isNegated: Bool)
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
        parts.append(.name(try Self.pieces(part)))
      }
    }
    guard !parts.isEmpty else { throw .empty }
    let isAnchored = begins || bytes.contains(UInt8(ascii: "/"))
    if !isAnchored, parts.first != .folders { parts.insert(.folders, at: 0) }
    // `a/**` means everything below `a`, and not `a` itself.
    if parts.last == .folders { parts.append(.name([.any])) }
    self.parts = parts
    self.text = ByteString(text)
  }

  /// Whether the path with these parts matches; `isFolder` says what it is the path of.
  package func matches(_ path: [ArraySlice<UInt8>], isFolder: Bool = false) -> Bool {
    (isFolder || !isOfFolders) && matches(path[...])
  }

  /// Whether the path, or a folder above it, matches.
  package func matchesWithin(_ path: [ArraySlice<UInt8>], isFolder: Bool) -> Bool {
    if matches(path, isFolder: isFolder) { return true }
    return path.indices.dropFirst().contains { matches(path[..<$0]) }
  }

  /// The text of the last part, without its wildcards; what is compared to find near names.
  package var nameHint: String {
    guard case .name(let pieces)? = parts.last else { return "" }
    return String(
      decoding: pieces.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }, as: UTF8.self)
  }

  /// Whether a path's last part matches that of the pattern.
  package func matchesName(_ name: ArraySlice<UInt8>) -> Bool {
    guard case .name(let pieces)? = parts.last else { return false }
    return Self.matches(name, pieces)
  }

  /// Goes back to the last `**` only, so that no pattern takes more than the product of both lengths.
  private func matches(_ path: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    var (place, part) = (path.startIndex, 0)
    var star: (part: Int, place: Int)?
    while place < path.endIndex {
      if part < parts.count, parts[part] == .folders {
        star = (part, place)
        part += 1
      } else if part < parts.count, case .name(let pieces) = parts[part], Self.matches(path[place], pieces) {
        (place, part) = (place + 1, part + 1)
      } else if let last = star {
        star = (last.part, last.place + 1)
        (place, part) = (last.place + 1, last.part + 1)
      } else {
        return false
      }
    }
    return part == parts.count
  }

  /// Goes back to the last star only, likewise.
  private static func matches(_ name: ArraySlice<UInt8>, _ pieces: [Piece]) -> Bool {
    var (place, piece) = (name.startIndex, 0)
    var star: (piece: Int, place: Int)?
    while place < name.endIndex {
      if piece < pieces.count, pieces[piece] == .any {
        star = (piece, place)
        piece += 1
      } else if piece < pieces.count, let length = length(name[place...], pieces[piece]) {
        (place, piece) = (place + length, piece + 1)
      } else if let last = star {
        star = (last.piece, last.place + 1)
        (place, piece) = (last.place + 1, last.piece + 1)
      } else {
        return false
      }
    }
    return pieces[piece...].allSatisfy { $0 == .any }
  }

  /// How many bytes `piece` takes from the start of `rest`, which is not empty; `nil` if it does not match.
  private static func length(_ rest: ArraySlice<UInt8>, _ piece: Piece) -> Int? {
    switch piece {
    case .any: return nil
    case .byte(let byte): return rest.first == byte ? 1 : nil
    case .one: return character(rest).length
    case .set(let ranges, let isNegated):
      let (scalar, length) = character(rest)
      return ranges.contains(where: { $0.contains(scalar) }) != isNegated ? length : nil
    }
  }

  /// The first character of `bytes`; a byte that is not UTF-8 is one, beyond all others.
  private static func character(_ bytes: ArraySlice<UInt8>) -> (scalar: UInt32, length: Int) {
    var decoder = UTF8()
    var iterator = bytes.prefix(4).makeIterator()
    if case .scalarValue(let scalar) = decoder.decode(&iterator) {
      return (scalar.value, UTF8.width(scalar))
    }
    return (0x11_0000 + UInt32(bytes.first ?? 0), 1)
  }

  // MARK: Reading

  private static func pieces(_ part: ArraySlice<UInt8>) throws(Fault) -> [Piece] {
    var pieces: [Piece] = []
    var rest = part
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "*"): if pieces.last != .any { pieces.append(.any) }
      case UInt8(ascii: "?"): pieces.append(.one)
      case UInt8(ascii: "["): pieces.append(try set(&rest))
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { throw .openEscape }
        pieces.append(.byte(next))
      default: pieces.append(.byte(byte))
      }
    }
    return pieces
  }

  /// Reads a set after its `[`.
  private static func set(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> Piece {
    let isNegated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
    if isNegated { rest.removeFirst() }
    var ranges: [ClosedRange<UInt32>] = []
    var isFirst = true
    while let byte = rest.first {
      // As the first one it stands for itself.
      if byte == UInt8(ascii: "]"), !isFirst {
        rest.removeFirst()
        return .set(ranges, isNegated: isNegated)
      }
      isFirst = false
      let low = try member(&rest)
      guard rest.first == UInt8(ascii: "-"), let after = rest.dropFirst().first, after != UInt8(ascii: "]")
      else {
        ranges.append(low...low)
        continue
      }
      rest.removeFirst()
      let high = try member(&rest)
      // A range from high to low contains nothing.
      if low <= high { ranges.append(low...high) }
    }
    throw .openBracket
  }

  /// One character of a set.
  private static func member(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> UInt32 {
    if rest.first == UInt8(ascii: "\\") { rest.removeFirst() }
    guard !rest.isEmpty else { throw .openBracket }
    let (scalar, length) = character(rest)
    rest.removeFirst(length)
    return scalar
  }
}

extension [PathPattern] {
  /// Whether a path is excluded: the last pattern that matches it, or a folder above it, decides.
  package func excludes(_ path: [ArraySlice<UInt8>], isFolder: Bool) -> Bool {
    last { $0.matchesWithin(path, isFolder: isFolder) }.map { !$0.isNegated } ?? false
  }
}
