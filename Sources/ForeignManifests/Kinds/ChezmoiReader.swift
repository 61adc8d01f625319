import ManifestParsing
import SyncModel

/// Reads the externals of chezmoi: a mapping from paths to what is there.
enum ChezmoiReader {
  static let types: Set<String> = ["file", "archive", "archive-file", "git-repo"]
  private static let known: Set<String> = [
    "type", "url", "urls", "decompress", "encrypted", "exact", "exclude", "executable", "private", "readonly",
    "format", "path", "include", "refreshPeriod", "stripComponents", "checksum", "filter",
  ]
  private static let steps = [
    "gzip": "gunzip", "xz": "unxz", "zstd": "unzstd", "bzip2": "bunzip2",
  ]

  static func read(_ root: DataNode) -> ForeignManifest {
    var manifest = ForeignManifest()
    for (index, path) in (root.keys ?? []).enumerated() {
      let entry = root.items[index]
      if let why = objection(entry) {
        manifest.remark(entry.span.line, Shown.quoted(path), why)
      } else {
        add(entry, at: path, to: &manifest)
      }
    }
    return manifest
  }

  private static func objection(_ entry: DataNode) -> String? {
    let type = entry.text("type")
    guard types.contains(type) else {
      return "its type is not file, archive, archive-file or git-repo"
    }
    if type == "git-repo" {
      let url = Shown.address(entry.text("url"))
      return "git \(url): syncmake fetches files; many hosts offer an archive"
    }
    if entry.isTrue("encrypted") { return "it is encrypted" }
    if entry["filter"] != nil { return "its filter is a command, and syncmake runs none" }
    if urls(entry).isEmpty { return "it has no url" }
    if holdsTemplate(entry) {
      return "it has a template; `chezmoi execute-template` replaces it by its value"
    }
    return nil
  }

  private static func add(_ entry: DataNode, at path: String, to manifest: inout ForeignManifest) {
    guard var target = manifest.target(urls(entry), line: entry.span.line) else { return }
    let type = entry.text("type")
    target.output = type == "archive" ? path + "/" : path
    setFreshness(entry, &target)
    let checksum = entry["checksum"]
    for key in checksum?.keys ?? [] {
      let text = checksum?.text(key) ?? ""
      if key == "size" {
        target.verify(size: text)
      } else {
        target.verify(key, text, line: checksum?.line(of: key))
      }
    }
    if type != "file" {
      target.steps.append(unpack(entry, type == "archive-file", &target))
    } else if let format = entry["decompress"]?.text {
      if let step = steps[format] {
        target.steps.append(step)
      } else {
        target.refusal = (entry.line(of: "decompress"), "decompress by \(Shown.quoted(format))")
      }
    }
    if type != "archive" { target.mode = mode(entry) }
    for (key, line) in zip(entry.keys ?? [], entry.keyLines) where !known.contains(key) {
      target.remark("\(Shown.clean(key, longest: 40)): a manifest has no such key", line: line)
    }
    manifest.add(target)
  }

  /// chezmoi fetches again only after this period, and without one never.
  private static func setFreshness(_ entry: DataNode, _ target: inout ForeignTarget) {
    let key = "refreshPeriod"
    let period = entry.text(key)
    guard !period.isEmpty, !period.utf8.allSatisfy({ "0hms".utf8.contains($0) }) else {
      target.freshness = "once"
      return
    }
    if period.utf8.contains(where: { !"0123456789hms".utf8.contains($0) }) {
      target.remark(
        "\(key) \(Shown.quoted(period)): a duration has whole numbers, such as 1h30m",
        line: entry.line(of: key))
    } else {
      target.freshness = "{interval: \(period)}"
    }
  }

  private static func unpack(_ entry: DataNode, _ isFile: Bool, _ target: inout ForeignTarget) -> String {
    var options: [String] = []
    let strip = Int(entry.text("stripComponents")) ?? 0
    if isFile {
      let pattern = ArchivePattern.anchored(ArchivePattern.escaped(entry.text("path")))
      options.append("entry: \(YAMLText.quoted(Literal.text(pattern)))")
    }
    if strip > 0 { options.append("strip: \(strip)") }
    if let format = entry["format"]?.text {
      let known = ArchiveFormat(ofName: "a." + (format.first == "." ? String(format.dropFirst()) : format))
      if let known {
        options.append("format: \(known.rawValue)")
      } else {
        let why = "format \(Shown.quoted(format)): `unpack` knows tar, zip, 7z and xar"
        target.refusal = (entry.line(of: "format"), why)
      }
    }
    for key in isFile ? ["exclude"] : ["include", "exclude"] {
      let text = ArchivePattern.option(key, entry, key, strippedBy: strip, &target)
      if let text { options.append(text) }
    }
    if entry.isTrue("exact"), !isFile { options.append("prune: all") }
    return options.isEmpty ? "unpack" : "unpack: {\(options.joined(separator: ", "))}"
  }

  private static func mode(_ entry: DataNode) -> String? {
    let (isProgram, isPrivate) = (entry.isTrue("executable"), entry.isTrue("private"))
    guard isProgram || isPrivate || entry.isTrue("readonly") else { return nil }
    let digit = (entry.isTrue("readonly") ? 4 : 6) + (isProgram ? 1 : 0)
    let other = isPrivate ? 0 : 4 + (isProgram ? 1 : 0)
    return "0\(digit)\(other)\(other)"
  }

  private static func urls(_ entry: DataNode) -> [String] {
    ([entry.text("url")] + entry.list("urls").compactMap(\.text)).filter { !$0.isEmpty }
  }

  private static func holdsTemplate(_ node: DataNode) -> Bool {
    node.text?.holds("{{") == true || node.items.contains(where: holdsTemplate)
  }
}
