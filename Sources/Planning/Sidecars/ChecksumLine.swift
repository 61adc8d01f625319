package import SyncModel

/// One entry of a checksum list: a digest and, unless it is alone, a file's name.
package struct ChecksumLine: Sendable, Equatable {
  /// Hexadecimal digits of either case, any number of them.
  package var hex: String
  /// Without a leading `./`; `nil` for a digest alone.
  package var name: String?
  /// The same to the GNU tools, for which blanks and a `*` at its ends belong to it; `nil` if it is ``name``.
  var exactName: String?
  /// The algorithm in the line, in the spelling of ``DigestAlgorithm`` if that knows it; `nil` if the line names
  /// none.
  package var tag: String?
  /// Whether only the number of digits distinguishes a digest from another value (`NAME: 123456`).
  var isLoose = false

  /// Whether backslashes in the name were escapes, so that none of them separates folders.
  var isEscaped = false

  /// Normalises `name` and `tag` as their fields say; `hex` is taken as it is, and its length is not checked.
  package init(hex: String, name: String? = nil, tag: String? = nil) {
    self.hex = hex
    self.name = name.map(\.withoutDotSlash)
    self.tag = tag.map { Self.algorithm($0) ?? $0.lowercased() }
  }

  /// The content of one line.
  enum Reading: Equatable {
    /// Blank, a comment, or a line of a known form without a digest.
    case nothing
    case entries([ChecksumLine])
    /// The digits follow on the next lines.
    case heading(name: String, tag: String?)
    /// `KEY: VALUE` without a digest.
    case pair
    /// The output of `sum` or `cksum`.
    case sum(FileKind)
    case unreadable
  }

  /// The digests in a text that has nothing else, such as a value of a table; empty if it has none.
  package static func values(_ text: String) -> [ChecksumLine] {
    guard case .entries(let entries) = read(Array(text.utf8)[...]) else { return [] }
    return entries.filter { $0.name == nil }
  }

  /// Whether nothing shows that this line has another algorithm than `algorithm`.
  func mayBe(_ algorithm: DigestAlgorithm) -> Bool { tag == nil || tag == algorithm.rawValue }

  /// The digest, if its algorithm is one that manifests may name; without a tag the number of its digits says which.
  package var listed: ListedDigest? {
    get throws(SidecarFault) {
      let length = hex.utf8.count
      let byLength = DigestAlgorithm.allCases.first { $0.hexCount == length }
      guard let tag else { return byLength.flatMap(digest) }
      guard let algorithm = DigestAlgorithm(rawValue: tag) else { return nil }
      guard algorithm == byLength else { throw .wrongLength(expected: algorithm.hexCount, actual: length) }
      return digest(algorithm)
    }
  }

  private func digest(_ algorithm: DigestAlgorithm) -> ListedDigest? {
    HexDigest(hex, algorithm).map { ListedDigest(algorithm, $0) }
  }

  /// Reads one line without its line feed.
  static func read(_ line: ArraySlice<UInt8>) -> Reading {
    let rest = trimmed(line)
    // Blanks at its end may be those of a name.
    let whole = line.drop(while: isBlank)
    switch rest.first {
    case nil, UInt8(ascii: "#"), UInt8(ascii: ";"): return .nothing
    // The GNU tools put a backslash before a line whose name they had to escape.
    case UInt8(ascii: "\\"):
      return .init((tagged(rest.dropFirst()) ?? digestFirst(whole.dropFirst())).map(withEscapesUndone))
    default: break
    }
    if rest.starts(with: "CertUtil:".utf8) { return .nothing }
    let digits = rest.prefix(while: isHex).count
    if digits >= shortestDigest, let entry = digestFirst(whole) { return .entries([entry]) }
    if let kind = sum(rest) { return .sum(kind) }
    if let entry = tagged(rest) { return .entries([entry]) }
    if let entries = integrity(rest) { return .entries(entries) }
    if let reading = byColon(rest) { return reading }
    return .init(digestFirst(whole))
  }

  /// The hexadecimal digits of a line that has only blanks between groups of them.
  ///
  /// A whole digest is not a group: the text after it is a name, even if it consists of such letters.
  static func digitsOnly(_ line: ArraySlice<UInt8>) -> String? {
    let groups = line.split(whereSeparator: isBlank)
    guard !groups.isEmpty, groups.allSatisfy({ $0.allSatisfy(isHex) }) else { return nil }
    guard groups.count == 1 || groups.allSatisfy({ $0.count < shortestDigest }) else { return nil }
    return text(Array(groups.joined())[...])
  }

  /// The algorithm that a comment such as `# SHA512 HASH` names for the lines below it.
  static func section(_ line: ArraySlice<UInt8>) -> String? {
    let words = trimmed(line).drop { $0 == UInt8(ascii: "#") }.split(whereSeparator: isBlank)
    guard words.count == 2, words[1].elementsEqual("HASH".utf8) else { return nil }
    return algorithm(text(words[0]))
  }

  /// The algorithm of the lines below a heading such as `SHA256` or `MD5Sum`; `nil` if it is none.
  static func blockAlgorithm(_ heading: String) -> String? {
    algorithm(heading.lowercased() == "md5sum" ? "md5" : heading)
  }

  /// The name after a size in bytes and blanks; `nil` if `text` does not begin with one.
  static func withoutSize(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    let digits = bytes.prefix(while: isDecimal).count
    let name = trimmed(bytes[digits...])
    guard digits > 0, digits <= 15, digits < bytes.count, isBlank(bytes[digits]), !name.isEmpty else {
      return nil
    }
    return Self.text(name)
  }

  // MARK: Forms

  /// `HEX`, `HEX  NAME` or `HEX *NAME`.
  private static func digestFirst(_ line: ArraySlice<UInt8>) -> ChecksumLine? {
    let hex = line.prefix(while: isHex)
    guard !hex.isEmpty else { return nil }
    let rest = line[hex.endIndex...]
    var name = trimmed(rest)
    if name.isEmpty { return ChecksumLine(hex: text(hex)) }
    guard let gap = rest.first, isBlank(gap) else { return nil }
    if name.first == UInt8(ascii: "*") { name = name.dropFirst() }
    guard !name.isEmpty else { return nil }
    var entry = ChecksumLine(hex: text(hex), name: text(name))
    if let exact = exactName(rest), exact != name { entry.exactName = text(exact).withoutDotSlash }
    return entry
  }

  /// After one blank and the mode, a blank or `*`, everything is the name; `nil` if a tab shows that people wrote the line.
  private static func exactName(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard !rest.prefix(while: isBlank).contains(UInt8(ascii: "\t")) else { return nil }
    let name = rest.dropFirst()
    return name.first == UInt8(ascii: " ") || name.first == UInt8(ascii: "*") ? name.dropFirst() : name
  }

  /// `MD5 (NAME) = HEX`, with or without its blanks.
  private static func tagged(_ line: ArraySlice<UInt8>) -> ChecksumLine? {
    guard let open = line.firstIndex(of: UInt8(ascii: "(")),
      let close = line.lastIndex(of: UInt8(ascii: ")")),
      open < close
    else { return nil }
    let tag = trimmed(line[..<open])
    let name = line[(open + 1)..<close]
    let value = trimmed(line[(close + 1)...])
    guard !tag.isEmpty, !tag.contains(where: isBlank), !name.isEmpty, value.first == UInt8(ascii: "=") else {
      return nil
    }
    let hex = trimmed(value.dropFirst())
    guard !hex.isEmpty, hex.allSatisfy(isHex) else { return nil }
    return ChecksumLine(hex: text(hex), name: text(name), tag: text(tag))
  }

  /// `sha256-BASE64`, one or several as in HTML's `integrity`, or one before a name.
  private static func integrity(_ line: ArraySlice<UInt8>) -> [ChecksumLine]? {
    let words = line.split(whereSeparator: isBlank)
    guard let first = words.first, let entry = integrityWord(first) else { return nil }
    let others = words.dropFirst().map(integrityWord)
    if !others.contains(nil) { return [entry] + others.compactMap { $0 } }
    var named = entry
    named.name = text(trimmed(line[first.endIndex...])).withoutDotSlash
    return [named]
  }

  /// Options may follow after a question mark; they do not concern the digest.
  private static func integrityWord(_ word: ArraySlice<UInt8>) -> ChecksumLine? {
    guard let dash = word.firstIndex(of: UInt8(ascii: "-")), let tag = algorithm(text(word[..<dash])),
      let bytes = Base64.decode(word[(dash + 1)...].prefix { $0 != UInt8(ascii: "?") }), !bytes.isEmpty
    else { return nil }
    return ChecksumLine(hex: HexDigest(bytes: bytes).text, tag: tag)
  }

  /// `NAME: HEX`, `NAME: SHA256 = HEX`, `NAME: sha256:HEX`, `sha256:HEX`, certutil's first line, or a key and a value.
  private static func byColon(_ line: ArraySlice<UInt8>) -> Reading? {
    guard let colon = line.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let (left, right) = (trimmed(line[..<colon]), trimmed(line[(colon + 1)...]))
    guard !left.isEmpty else { return nil }
    if right.isEmpty { return heading(left) }
    if let hex = digitsOnly(right) { return .entries([beforeColon(left, hex)]) }
    if let equals = right.firstIndex(of: UInt8(ascii: "=")), let hex = digitsOnly(right[(equals + 1)...]),
      let tag = algorithm(text(trimmed(right[..<equals])))
    {
      return .entries([ChecksumLine(hex: hex, name: text(left), tag: tag)])
    }
    if let first = line.firstIndex(of: UInt8(ascii: ":")), let tag = algorithm(text(trimmed(line[..<first]))),
      var entry = digestFirst(trimmed(line[(first + 1)...]))
    {
      entry.tag = tag
      return .entries([entry])
    }
    let key = line.prefix { $0 != UInt8(ascii: ":") }
    return key.contains(where: isBlank) ? .unreadable : .pair
  }

  /// The text before the digits' colon: an algorithm, a name and an algorithm, or a name.
  private static func beforeColon(_ left: ArraySlice<UInt8>, _ hex: String) -> ChecksumLine {
    if let tag = algorithm(text(left)) { return ChecksumLine(hex: hex, tag: tag) }
    let last = left.reversed().prefix { !isBlank($0) && $0 != UInt8(ascii: ":") }
    let before = left.dropLast(last.count)
    // "oid" is the key in a pointer of Git LFS.
    if let tag = algorithm(text(left.suffix(last.count))), !before.isEmpty {
      var name = trimmed(before)
      if name.last == UInt8(ascii: ":") { name = trimmed(name.dropLast()) }
      if !name.isEmpty {
        return ChecksumLine(hex: hex, name: name.elementsEqual("oid".utf8) ? nil : text(name), tag: tag)
      }
    }
    var entry = ChecksumLine(hex: hex, name: text(left))
    entry.isLoose = true
    return entry
  }

  /// `SHA256 hash of NAME:`, as certutil writes it, or any other text that ends in a colon.
  private static func heading(_ left: ArraySlice<UInt8>) -> Reading {
    let words = left.split(whereSeparator: isBlank)
    if words.count > 3, words[1].elementsEqual("hash".utf8), words[2].elementsEqual("of".utf8),
      let tag = algorithm(text(words[0]))
    {
      let isFile = words[3].elementsEqual("file".utf8) && words.count > 4
      let name = left[words[isFile ? 4 : 3].startIndex...]
      let start = name.lastIndex { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "/") }
      return .heading(name: text(start.map { name[($0 + 1)...] } ?? name), tag: tag)
    }
    return .heading(name: text(left), tag: nil)
  }

  /// `SUM BLOCKS [NAME]` or `CRC BYTES [NAME]`: two decimal numbers, the first too short for a digest.
  private static func sum(_ line: ArraySlice<UInt8>) -> FileKind? {
    let words = line.split(maxSplits: 2, whereSeparator: isBlank)
    guard words.count >= 2, words[0].count <= 10, words[1].count <= 15, words[0].allSatisfy(isDecimal),
      words[1].allSatisfy(isDecimal)
    else { return nil }
    return words[0].count <= 5 ? .sum : .cksum
  }

  // MARK: Words

  /// The digits of MD5, the shortest digest in use.
  static let shortestDigest = 32

  /// The numbers of digits that digests in use have.
  static func isDigestLength(_ count: Int) -> Bool { [32, 40, 48, 56, 64, 96, 128].contains(count) }

  private static let known = [
    "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "rmd160", "ripemd160", "blake2b", "blake2s",
    "blake3",
  ]

  /// The common spelling of an algorithm's name; `nil` if `text` is not one.
  private static func algorithm(_ text: String) -> String? {
    guard text.utf8.count <= 12 else { return nil }
    let lower = text.lowercased()
    // OpenSSL writes SHA2-256 where others write SHA256 or SHA-256.
    for prefix in ["sha2-", "sha-"] where lower.hasPrefix(prefix) {
      let plain = "sha" + lower.dropFirst(prefix.count)
      return known.contains(plain) ? plain : nil
    }
    return known.contains(lower) ? lower : nil
  }

  private static func withEscapesUndone(_ line: ChecksumLine) -> ChecksumLine {
    var line = line
    line.name = line.name.map { unescaped($0).withoutDotSlash }
    line.exactName = line.exactName.map { unescaped($0).withoutDotSlash }
    line.isEscaped = true
    return line
  }

  private static func unescaped(_ name: String) -> String {
    var out: [UInt8] = []
    var bytes = name.utf8.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "\\"), let escaped = bytes.next() else {
        out.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "n"): out.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): out.append(UInt8(ascii: "\r"))
      default: out.append(escaped)
      }
    }
    return text(out[...])
  }

  /// Space, tab, and the ends of lines.
  static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || (0x09...0x0D).contains(c) }

  private static func isHex(_ c: UInt8) -> Bool {
    isDecimal(c) || (0x41...0x46).contains(c) || (0x61...0x66).contains(c)
  }

  private static func isDecimal(_ c: UInt8) -> Bool { (0x30...0x39).contains(c) }

  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> { bytes.trimmingWhiteSpace }

  /// A name that is not UTF-8 is repaired; no name of ours can equal it then.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension ChecksumLine.Reading {
  fileprivate init(_ entry: ChecksumLine?) { self = entry.map { .entries([$0]) } ?? .unreadable }
}
