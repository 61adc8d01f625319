import SyncModel

/// The text inside a PGP clear-signed message (RFC 9580, section 7). The signature itself is not checked.
enum ClearSigned {
  /// One line of the text, with its number in the file, from 1.
  struct Line {
    var bytes: ArraySlice<UInt8>
    var number: Int
  }

  private static let begin = Array("-----BEGIN PGP SIGNED MESSAGE-----".utf8)
  private static let signature = Array("-----BEGIN PGP SIGNATURE-----".utf8)
  private static let end = Array("-----END PGP SIGNATURE-----".utf8)

  /// The lines of `text`; if it is a clear-signed message, those that are signed, with dash-escapes undone.
  static func lines(of text: [UInt8]) throws(SidecarFault) -> [Line] {
    let lines = cut(text)
    let numbered = lines.enumerated().map { Line(bytes: $0.element, number: $0.offset + 1) }
    guard let start = numbered.firstIndex(where: { isMarker($0, begin) }) else { return numbered }
    try demandBlank(numbered[..<start])
    let text = try afterHeader(numbered[(start + 1)...])
    guard let textEnd = text.firstIndex(where: { isMarker($0, signature) }) else {
      try checkDashes(text)
      throw .brokenFrame(line: numbered.count, .noSignature)
    }
    try checkDashes(text[..<textEnd])
    guard let frameEnd = text[textEnd...].firstIndex(where: { isMarker($0, end) }) else {
      throw .brokenFrame(line: numbered.count, .noEnd)
    }
    try demandBlank(text[(frameEnd + 1)...])
    return text[..<textEnd].map { line in
      let isEscaped = line.bytes.starts(with: "- ".utf8)
      return isEscaped ? Line(bytes: line.bytes.dropFirst(2), number: line.number) : line
    }
  }

  /// The lines without their ends: LF, CR LF, or a CR alone, as old programs write it.
  private static func cut(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard text.contains(UInt8(ascii: "\r")) else { return lines }
    lines = lines.map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    return lines.flatMap { $0.split(separator: UInt8(ascii: "\r"), omittingEmptySubsequences: false) }
  }

  private static func isMarker(_ line: Line, _ marker: [UInt8]) -> Bool {
    line.bytes.starts(with: marker) && ChecksumLine.trimmed(line.bytes).elementsEqual(marker)
  }

  /// Nothing outside the frame is signed.
  private static func demandBlank(_ lines: ArraySlice<Line>) throws(SidecarFault) {
    for line in lines where !ChecksumLine.trimmed(line.bytes).isEmpty {
      throw .brokenFrame(line: line.number, .textOutside)
    }
  }

  /// The text after the `Hash` lines and the empty line.
  private static func afterHeader(_ lines: ArraySlice<Line>) throws(SidecarFault) -> ArraySlice<Line> {
    for (index, line) in zip(lines.indices, lines) {
      if ChecksumLine.trimmed(line.bytes).isEmpty { return lines[(index + 1)...] }
      guard line.bytes.starts(with: "Hash: ".utf8) else { throw .brokenFrame(line: line.number, .header) }
    }
    throw .brokenFrame(line: lines.last?.number ?? 1, .header)
  }

  private static func checkDashes(_ lines: ArraySlice<Line>) throws(SidecarFault) {
    for line in lines where line.bytes.first == UInt8(ascii: "-") && !line.bytes.starts(with: "- ".utf8) {
      throw .brokenFrame(line: line.number, .dash)
    }
  }
}
