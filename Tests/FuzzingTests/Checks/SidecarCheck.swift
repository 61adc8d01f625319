import Planning
import SyncModel

/// Checksum lists: a found digest is in the text, and equivalent texts are read in the same way.
enum SidecarCheck {
  private static let names = ["genes.tsv.gz", "genes.tsv"]
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func run(_ input: [UInt8]) throws(Violation) {
    for algorithm in DigestAlgorithm.allCases {
      for exactName in [false, true] { try run(input, algorithm, exactName) }
      try runPattern(input, algorithm)
      try runDocument(input, algorithm)
    }
  }

  private typealias Reading = Result<HexDigest, SidecarFault>

  private static func read(_ bytes: [UInt8], _ algorithm: DigestAlgorithm, _ exactName: Bool) -> Reading {
    Result { () throws(SidecarFault) in
      try ChecksumList(bytes).digest(algorithm, names: names, exactName: exactName)
    }
  }

  private static func run(
    _ input: [UInt8], _ algorithm: DigestAlgorithm, _ exactName: Bool
  ) throws(Violation) {
    let reading = read(input, algorithm, exactName)
    func same(_ bytes: [UInt8], _ what: String) throws(Violation) {
      let other = read(bytes, algorithm, exactName)
      try demand(other == reading, "\(reading), but \(what) \(other)")
    }
    try same(input, "the second time")
    let isUTF16 = input.starts(with: [0xFF, 0xFE]) || input.starts(with: [0xFE, 0xFF])
    let isText = !isUTF16 && FileKind.recognised(in: input) == nil
    if !input.contains(0x0D), isText {
      try same(input.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }, "with CR LF")
    }
    if !input.starts(with: byteOrderMark), isText {
      try same(byteOrderMark + input, "with a byte order mark")
    }
    if !input.contains(0x5C) { try same(input.map { changedCase($0, in: input) }, "in upper case") }
    if isText, !input.starts(with: byteOrderMark), let text = String(validating: input, as: UTF8.self) {
      try same([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, "in UTF-16")
    }
    guard case .success(let digest) = reading else { return }
    try demand(digest.text.utf8.count == algorithm.hexCount, "\(digest) for \(algorithm)")
    try demand(contains(digest, in: input), "\(digest) is not in the text")
    // Text after a frame is an error, and a byte order mark determines the encoding.
    guard !isFramed(input), !isUTF16 else { return }
    try same(input + Array("\n# \(digest)  genes.tsv.gz\n\n".utf8), "with a comment")
    try contradict(digest, input, algorithm, exactName)
  }

  /// A name without wildcards matches an equal name, and at most one line is used.
  private static func runPattern(_ input: [UInt8], _ algorithm: DigestAlgorithm) throws(Violation) {
    for pattern in ["genes.tsv.gz", "genes*", "*/genes.tsv.gz", "?*"] {
      let reading = Reading { () throws(SidecarFault) in
        try ChecksumList(input).digest(algorithm, entry: EntryPattern(pattern))
      }
      guard case .success(let digest) = reading else { continue }
      try demand(contains(digest, in: input), "\(digest) for \(pattern) is not in the text")
    }
  }

  /// A document's digest is in its text too, unless it was written with escapes.
  private static func runDocument(_ input: [UInt8], _ algorithm: DigestAlgorithm) throws(Violation) {
    guard let document = try? JSONDigest.document(input) else { return }
    for text in ["/sha256", "/files/0/checksum", "/0", "/dist/integrity"] {
      guard let pointer = JSONPointer(text) else { continue }
      let reading = Reading { () throws(SidecarFault) in
        try JSONDigest.digest(in: document, at: pointer, algorithm)
      }
      guard case .success(let digest) = reading, !input.contains(0x5C) else { continue }
      try demand(contains(digest, in: input), "\(digest) at \(text) is not in the document")
    }
  }

  /// A digest's letters in upper case, if there are only digits and white space.
  private static func changedCase(_ c: UInt8, in input: [UInt8]) -> UInt8 {
    let isBare = input.allSatisfy { isHex($0) || (0x09...0x0D).contains($0) || $0 == 0x20 }
    return isBare && (0x61...0x66).contains(c) ? c - 32 : c
  }

  private static func isHex(_ c: UInt8) -> Bool {
    (0x30...0x39).contains(c) || (0x41...0x46).contains(c) || (0x61...0x66).contains(c)
  }

  /// As hexadecimal digits, perhaps with blanks and line ends between them, or in base64; in UTF-16 without the zero
  /// bytes.
  static func contains(_ digest: HexDigest, in input: [UInt8]) -> Bool {
    let bytes = input.filter { $0 > 0x20 }
    let text = String(decoding: bytes, as: UTF8.self)
    if text.lowercased().contains(digest.text) { return true }
    let digits = Array(digest.text.utf8)
    let value = stride(from: 0, to: digits.count, by: 2).compactMap { place in
      UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
    }
    return text.contains(Base64.encode(value))
  }

  private static func isFramed(_ input: [UInt8]) -> Bool {
    String(decoding: input, as: UTF8.self).contains("-----BEGIN PGP SIGNED MESSAGE-----")
  }

  /// Adds a line with another digest for the best name: the result is the new digest or none, never the old one.
  private static func contradict(
    _ digest: HexDigest, _ input: [UInt8], _ algorithm: DigestAlgorithm, _ exactName: Bool
  ) throws(Violation) {
    let digit = digest.text.hasPrefix("0") ? "1" : "0"
    let other = String(repeating: digit, count: algorithm.hexCount)
    let line = "\n\(algorithm.rawValue) (\(names[0])) = \(other)\n"
    switch read(input + Array(line.utf8), algorithm, exactName) {
    case .success(let found): try demand(found.text == other, "\(digest) in spite of \(other)")
    case .failure(let fault): try demand(fault == .ambiguous(name: names[0]), "\(fault) after one more line")
    }
  }
}
