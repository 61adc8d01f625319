/// Reads a version into bytes whose order is that of ``VersionOrder``.
///
/// Each item begins with a byte that gives its kind a place: an early mark is lower than the end, and so on. A number
/// has its length and its digits, a word its letters and a zero. A version's items up to a difference are those of the
/// other, so that both have the same kinds of bytes there.
struct VersionReader {
  private enum Kind {
    static let early: UInt8 = 1
    static let end: UInt8 = 2
    static let build: UInt8 = 3
    static let revision: UInt8 = 4
    static let word: UInt8 = 5
    /// Plus the number of digits, at most ``mostDigits``.
    static let number: UInt8 = 0x20
    static let wordOfEarly: UInt8 = 0xff
  }

  /// A longer number has its length in four further bytes.
  private static let mostDigits = 0xc0

  private static let earlyWords: Set<String> = [
    "alpha", "beta", "rc", "pre", "preview", "prerelease", "dev", "snapshot", "nightly", "canary",
  ]
  private static let longestEarlyWord = 10

  private(set) var code: [UInt8] = []
  private(set) var isPrerelease = false

  private let text: [UInt8]
  private var place = 0
  /// The place of the hyphen before a semver pre-release.
  private let semverHyphen: Int?
  /// Whether a hyphen was read that the next item may need.
  private var isAfterHyphen = false
  private var isAfterBuild = false
  private var isEarly = false

  init(_ version: String) {
    text = Array(version.utf8)
    if text.count > 1, text[0] | 0x20 == UInt8(ascii: "v"), Self.isDigit(text[1]) { place = 1 }
    semverHyphen = Self.semverHyphen(text[place...])
    code.reserveCapacity(text.count + 8)
  }

  mutating func read() {
    while place < text.count {
      let byte = text[place]
      if Self.isDigit(byte) {
        addNumber()
      } else if Self.isLetter(byte) {
        addWord()
      } else {
        addSign(byte)
        place += 1
      }
    }
    addRevision()
    code.append(Kind.end)
  }

  // MARK: Items

  private mutating func addSign(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "-") where place == semverHyphen:
      isPrerelease = true
      addEarly()
    case UInt8(ascii: "-"): isAfterHyphen = true
    case UInt8(ascii: "~"):
      addRevision()
      addEarly()
    case UInt8(ascii: "+"), UInt8(ascii: "^"):
      addRevision()
      code.append(Kind.build)
      isAfterBuild = true
    default: break
    }
  }

  private mutating func addNumber() {
    addRevision()
    let digits = text[place...].prefix(while: Self.isDigit)
    place = digits.endIndex
    let value = digits.drop { $0 == UInt8(ascii: "0") }
    code.append(Kind.number + UInt8(min(value.count, Self.mostDigits)))
    if value.count >= Self.mostDigits {
      let count = UInt32(clamping: value.count)
      for shift in [24, 16, 8, 0] as [UInt32] { code.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }
    code += value
  }

  private mutating func addWord() {
    let letters = text[place...].prefix(while: Self.isLetter)
    if !isAfterBuild, namesPrerelease(letters) {
      isPrerelease = true
      isAfterHyphen = false
      // What follows an early mark is of one pre-release, whatever its words are.
      if !isEarly { addEarly() }
    }
    addRevision()
    place = letters.endIndex
    code.append(isEarly ? Kind.wordOfEarly : Kind.word)
    code += letters.lazy.map(Self.lower)
    code.append(0)
  }

  private mutating func addEarly() {
    isEarly = true
    code.append(Kind.early)
  }

  private mutating func addRevision() {
    guard isAfterHyphen else { return }
    isAfterHyphen = false
    code.append(Kind.revision)
  }

  // MARK: Pre-releases

  private func namesPrerelease(_ letters: ArraySlice<UInt8>) -> Bool {
    if letters.count == 1 {
      let (before, after) = (letters.startIndex - 1, letters.endIndex)
      return [UInt8(ascii: "a"), UInt8(ascii: "b")].contains(Self.lower(text[letters.startIndex]))
        && before >= 0 && Self.isDigit(text[before]) && after < text.count && Self.isDigit(text[after])
    }
    guard letters.count <= Self.longestEarlyWord else { return false }
    return Self.earlyWords.contains(String(decoding: letters.map(Self.lower), as: UTF8.self))
  }

  /// The place of the first hyphen in a version of semver that has a pre-release other than a single number.
  private static func semverHyphen(_ text: ArraySlice<UInt8>) -> Int? {
    guard let hyphen = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let numbers = text[..<hyphen].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard numbers.count == 3, numbers.allSatisfy({ isNumber($0) }) else { return nil }
    let early = text[(hyphen + 1)...].prefix { $0 != UInt8(ascii: "+") }
    let words = early.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let areWords = words.allSatisfy { word in
      guard !word.isEmpty, word.allSatisfy(isOfIdentifier) else { return false }
      return !word.allSatisfy(isDigit) || isNumber(word)
    }
    guard areWords, !(words.count == 1 && words[0].allSatisfy(isDigit)) else { return nil }
    return hyphen
  }

  /// Whether it is a number as semver writes it: without leading zeros.
  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy(isDigit) && (text.count == 1 || text.first != UInt8(ascii: "0"))
  }

  private static func isOfIdentifier(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "-") || byte < 0x80 && isLetter(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Whether it is a letter of ASCII, or belongs to a character beyond it.
  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) || byte >= 0x80 }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
}
