import SyncModel

/// Reads a registry of pooch: on each line a name, its digest and perhaps a URL.
enum PoochReader {
  static func read(_ text: ForeignText) -> ForeignManifest {
    var manifest = ForeignManifest()
    for line in text.lines where line.isContent {
      guard let words = line.words, words.count == 2 || words.count == 3, let digest = digest(words[1]) else {
        manifest.remark(line.number, "this line", "it is not NAME DIGEST or NAME DIGEST URL")
        continue
      }
      let below = words.count == 2
      let found =
        below
        ? ForeignTarget(line: line.number, urls: [URLPath.encoded(words[0])], isBelowBase: true)
        : manifest.target([words[2]], line: line.number)
      guard var target = found else { continue }
      target.name = words[0]
      target.output = words[0]
      target.verify(digest.algorithm, digest.digits)
      manifest.add(target)
    }
    return manifest
  }

  /// Whether the line has a name and a digest.
  static func isEntry(_ line: ForeignText.Line) -> Bool {
    guard let words = line.words, words.count == 2 || words.count == 3 else { return false }
    return digest(words[1]) != nil
  }

  /// `ALGORITHM:DIGITS`, or the digits of a sha256.
  private static func digest(_ text: String) -> (algorithm: String, digits: String)? {
    guard let (algorithm, digits) = text.cut(at: UInt8(ascii: ":")) else {
      return HexDigest(text, .sha256).map { _ in ("sha256", text) }
    }
    return HexDigest(hex: digits).map { _ in (algorithm, digits) }
  }
}
