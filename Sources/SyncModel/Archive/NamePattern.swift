/// A pattern for one name: what a ``PathPattern`` has between two slashes, with the same signs.
struct NamePattern: Sendable, Hashable {
  fileprivate enum Piece: Sendable, Hashable {
    case byte(UInt8)
    /// `*`.
    case any
    /// `?`.
    case one
    /// `[…]`, with its ranges; `isNegated`: any other character.
    case set([ClosedRange<UInt32>], isNegated: Bool)

    // Comparing with it would compare sets too, and takes longer.
    var isAny: Bool { if case .any = self { true } else { false } }
  }

  private let pieces: [Piece]

  /// `*`.
  static let any = NamePattern(pieces: [.any])

  private init(pieces: [Piece]) { self.pieces = pieces }

  /// Reads the text of a pattern without slashes, which may be empty.
  init(_ text: ArraySlice<UInt8>) throws(PathPattern.Fault) {
    var pieces: [Piece] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "*"): if pieces.last != .any { pieces.append(.any) }
      case UInt8(ascii: "?"): pieces.append(.one)
      case UInt8(ascii: "["): pieces.append(try Self.set(&rest))
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { throw .openEscape }
        pieces.append(.byte(next))
      default: pieces.append(.byte(byte))
      }
    }
    self.pieces = pieces
  }

  /// Its text without wildcards.
  var hint: String {
    String(
      decoding: pieces.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }, as: UTF8.self)
  }

  /// Whether only the end of a name is known, as of `*.htm`.
  var isEnding: Bool { pieces.first?.isAny == true }

  /// Whether the whole name matches. Goes back to the last star only, so that no pattern takes more than the product
  /// of both lengths.
  func matches(_ name: ArraySlice<UInt8>) -> Bool {
    var (place, piece) = (name.startIndex, 0)
    var star: (piece: Int, place: Int)?
    while place < name.endIndex {
      if piece < pieces.count, pieces[piece].isAny {
        star = (piece, place)
        piece += 1
      } else if piece < pieces.count, let length = Self.length(name[place...], pieces[piece]) {
        (place, piece) = (place + length, piece + 1)
      } else if let last = star {
        star = (last.piece, last.place + 1)
        (place, piece) = (last.place + 1, last.piece + 1)
      } else {
        return false
      }
    }
    return pieces[piece...].allSatisfy(\.isAny)
  }

  // MARK: A part of a name

  /// The places at which a beginning of `name` that matches can end, in order.
  func ends(in name: [UInt8]) -> [Int] {
    var place = 0
    var piece = 0
    // Most patterns begin with plain text, and most names that do not match differ there.
    while piece < pieces.count, case .byte(let byte) = pieces[piece] {
      guard place < name.count, name[place] == byte else { return [] }
      (place, piece) = (place + 1, piece + 1)
    }
    guard piece < pieces.count else { return [place] }
    var places = [place]
    for piece in pieces[piece...] { places = Self.after(piece, places, in: name) }
    return places
  }

  /// The places at which an end of `name` that matches can begin, in order.
  func starts(in name: [UInt8]) -> [Int] {
    var place = name.count
    var count = pieces.count
    while count > 0, case .byte(let byte) = pieces[count - 1] {
      guard place > 0, name[place - 1] == byte else { return [] }
      (place, count) = (place - 1, count - 1)
    }
    guard count > 0 else { return [place] }
    var isStart = [Bool](repeating: false, count: name.count + 1)
    isStart[place] = true
    for piece in pieces[..<count].reversed() { Self.goBefore(piece, &isStart, in: name) }
    return isStart.indices.filter { isStart[$0] }
  }

  /// The places behind `piece` if it begins at one of `places`, which are in order.
  private static func after(_ piece: Piece, _ places: [Int], in name: [UInt8]) -> [Int] {
    guard piece == .any else {
      return places.compactMap { place in
        place < name.count ? length(name[place...], piece).map { place + $0 } : nil
      }
    }
    return places.first.map { Array($0...name.count) } ?? []
  }

  /// Turns the places behind `piece` into those at which it can begin.
  private static func goBefore(_ piece: Piece, _ isStart: inout [Bool], in name: [UInt8]) {
    guard piece == .any else {
      // What lies behind a place is read before it is changed, since a piece takes at least one byte.
      for place in name.indices {
        isStart[place] = length(name[place...], piece).map { isStart[place + $0] } ?? false
      }
      isStart[name.count] = false
      return
    }
    guard let last = isStart.lastIndex(of: true) else { return }
    for place in 0...last { isStart[place] = true }
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

  /// Reads a set after its `[`.
  private static func set(_ rest: inout ArraySlice<UInt8>) throws(PathPattern.Fault) -> Piece {
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
      if let members = namedClass(&rest) {
        ranges += members
        continue
      }
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

  /// Takes a class such as `[:alpha:]` from the start of `rest`, with the members that it has in the C locale, as for git;
  /// `nil` if there is none.
  private static func namedClass(_ rest: inout ArraySlice<UInt8>) -> [ClosedRange<UInt32>]? {
    guard rest.starts(with: "[:".utf8), let colon = rest.dropFirst(2).firstIndex(of: UInt8(ascii: ":")),
      rest[colon...].starts(with: ":]".utf8),
      let members = classes[String(decoding: rest[(rest.startIndex + 2)..<colon], as: UTF8.self)]
    else { return nil }
    rest = rest[(colon + 2)...]
    return members
  }

  private static let classes: [String: [ClosedRange<UInt32>]] = [
    "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A], "alpha": [0x41...0x5A, 0x61...0x7A],
    "blank": [0x20...0x20, 0x09...0x09], "cntrl": [0x00...0x1F, 0x7F...0x7F], "digit": [0x30...0x39],
    "graph": [0x21...0x7E], "lower": [0x61...0x7A], "print": [0x20...0x7E],
    "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E], "space": [0x20...0x20, 0x09...0x0D],
    "upper": [0x41...0x5A], "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
  ]

  /// One character of a set.
  private static func member(_ rest: inout ArraySlice<UInt8>) throws(PathPattern.Fault) -> UInt32 {
    if rest.first == UInt8(ascii: "\\") { rest.removeFirst() }
    guard !rest.isEmpty else { throw .openBracket }
    let (scalar, length) = character(rest)
    rest.removeFirst(length)
    return scalar
  }
}
