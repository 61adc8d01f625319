import SyncModel

/// Reads a list of URLs, one on each line, as `wget -i` does; lines that begin with `#` are comments.
enum URLListReader {
  static func read(_ text: ForeignText) -> ForeignManifest {
    var manifest = ForeignManifest()
    for line in text.lines where line.isContent {
      let words = line.text.with(" ", for: "\t").parts(between: 0x20)
      guard let target = manifest.target(Array(words.prefix(1)), line: line.number) else { continue }
      if words.count == 1 || words[1].utf8.first == UInt8(ascii: "#") {
        manifest.add(target)
      } else {
        manifest.remark(line.number, Shown.address(words[0]), "there is more than a URL on the line")
      }
    }
    return manifest
  }
}
