import ManifestParsing
import SyncModel

/// Reads the `.dvc` file that `dvc import-url` writes.
enum DVCReader {
  /// `folder` is the file's own, which its paths are relative to.
  static func read(_ root: DataNode, folder: String) -> ForeignManifest {
    var manifest = ForeignManifest()
    let folder = Folders.joined(folder, root.text("wdir"))
    let sources = root.list("deps")
    for (index, output) in root.list("outs").enumerated() {
      let line = output.span.line
      let path = output.text("path")
      let what = Shown.quoted(path)
      guard index < sources.count else {
        manifest.remark(line, what, "the file names no source; DVC has it from `dvc add`")
        continue
      }
      let source = sources[index]
      guard source["repo"] == nil else {
        manifest.remark(line, what, "its source is another DVC repository")
        continue
      }
      let url = source.text("path")
      guard !path.isEmpty, !url.isEmpty else {
        manifest.remark(line, what, "\"path\" is missing")
        continue
      }
      let (md5, size) = (output.text("md5"), output.text("size"))
      guard output["nfiles"] == nil, !md5.hasSuffix(".dir") else {
        manifest.remark(line, what, "it is a folder of files; a `list` can name them")
        continue
      }
      guard var target = manifest.target([url], line: source.span.line) else { continue }
      target.output = Folders.joined(folder, path)
      if !size.isEmpty { target.verify(size: size) }
      if output.text("hash") == "md5" {
        target.verify("md5", md5)
      } else if !md5.isEmpty {
        target.remark(
          "md5: without \"hash: md5\" it may be that of the text with other line ends",
          line: output.line(of: "md5"))
      }
      if output.isTrue("isexec") { target.mode = "0755" }
      for key in ["etag", "checksum"] where source[key] != nil {
        target.remark("\(key): the first run records its own", line: source.line(of: key))
      }
      manifest.add(target)
    }
    return manifest
  }
}
