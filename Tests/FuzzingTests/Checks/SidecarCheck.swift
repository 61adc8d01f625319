import Planning
import SyncModel

/// Checksum lists: a digest that is found stands in the text, and what says the same is read the same.
enum SidecarCheck {
  private static let names = ["genes.tsv.gz", "genes.tsv"]
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func run(_ input: [UInt8]) throws(Violation) {
    for algorithm in DigestAlgorithm.allCases {
      for exactName in [false, true] { try run(input, algorithm, exactName) }
    }
  }

  private typealias Reading = Result<HexDigest, SidecarFault>

  private static func read(_ bytes: [UInt8], _ algorithm: DigestAlgorithm, _ exactName: Bool) -> Reading {
    Result { () throws(SidecarFault) in
      try SidecarParser.digest(in: bytes, algorithm: algorithm, names: names, exactName: exactName)
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
    if !input.contains(0x0D) {
      try same(input.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }, "with CR LF")
    }
    if !input.starts(with: byteOrderMark) { try same(byteOrderMark + input, "with a byte order mark") }
    if !input.contains(0x5C) { try same(input.map { changedCase($0, in: input) }, "in upper case") }
    guard case .success(let digest) = reading else { return }
    try demand(digest.text.utf8.count == algorithm.hexCount, "\(digest) for \(algorithm)")
    try demand(contains(digest, in: input), "\(digest) does not stand in the text")
    try same(input + Array("\n# \(digest)  genes.tsv.gz\n\n".utf8), "with a comment")
    try contradict(digest, input, algorithm, exactName)
  }

  /// A digest's letters in upper case, where nothing but digests and white space is.
  private static func changedCase(_ c: UInt8, in input: [UInt8]) -> UInt8 {
    let isBare = input.allSatisfy { isHex($0) || (0x09...0x0D).contains($0) || $0 == 0x20 }
    return isBare && (0x61...0x66).contains(c) ? c - 32 : c
  }

  private static func isHex(_ c: UInt8) -> Bool {
    (0x30...0x39).contains(c) || (0x41...0x46).contains(c) || (0x61...0x66).contains(c)
  }

  private static func contains(_ digest: HexDigest, in input: [UInt8]) -> Bool {
    input.split { !isHex($0) }.contains {
      String(decoding: Array($0), as: UTF8.self).lowercased() == digest.text
    }
  }

  /// One more line that gives the best name another digest: that one or none is right, never the old one.
  private static func contradict(
    _ digest: HexDigest, _ input: [UInt8], _ algorithm: DigestAlgorithm, _ exactName: Bool
  ) throws(Violation) {
    let digit = digest.text.hasPrefix("0") ? "1" : "0"
    let other = String(repeating: digit, count: algorithm.hexCount)
    let changed = read(input + Array("\n\(other)  \(names[0])\n".utf8), algorithm, exactName)
    switch changed {
    case .success(let found): try demand(found.text == other, "\(digest) in spite of \(other)")
    case .failure(let fault): try demand(fault == .ambiguous(name: names[0]), "\(fault) after one more line")
    }
  }
}
