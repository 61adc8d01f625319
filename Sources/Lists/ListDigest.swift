import Planning
import SyncModel

/// The digests that lists state, in the forms that sidecars have too.
enum ListDigest {
  /// The digest in a value such as `sha256:HEX`, `md5-BASE64` or HEX; empty if it is of another algorithm.
  static func digests(in text: String, of name: String) throws(ListFault) -> [ListedDigest] {
    let lines = ChecksumLine.values(text)
    guard !lines.isEmpty else { throw ListFault(.badField(name: name, value: text)) }
    return try digests(lines, of: name)
  }

  static func digests(of file: MetalinkFile) throws(ListFault) -> [ListedDigest] {
    try digests(file.hashes.map { ChecksumLine(hex: $0.value, tag: $0.type) }, of: "hash")
  }

  private static func digests(_ lines: [ChecksumLine], of name: String) throws(ListFault) -> [ListedDigest] {
    var digests: [ListedDigest] = []
    for line in lines {
      let digest: ListedDigest?
      do throws(SidecarFault) { digest = try line.listed } catch {
        throw ListFault(.badField(name: name, value: line.hex))
      }
      guard let digest else { continue }
      let known = digests.first { $0.algorithm == digest.algorithm }
      if let known, known != digest { throw ListFault(.badField(name: name, value: line.hex)) }
      if known == nil { digests.append(digest) }
    }
    return digests
  }
}
