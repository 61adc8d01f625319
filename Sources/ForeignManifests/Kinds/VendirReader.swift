import ManifestParsing
import SyncModel

/// Reads a `vendir.yml`: directories, and in each of them contents.
enum VendirReader {
  private static let sources = [
    "http", "githubRelease", "git", "hg", "image", "imgpkgBundle", "helmChart", "directory", "manual",
    "inline",
  ]

  /// `folder` is the file's own, which its paths are relative to.
  static func read(_ root: DataNode, folder: String) -> ForeignManifest {
    var manifest = ForeignManifest()
    for directory in root.list("directories") {
      let place = Folders.joined(folder, directory.text("path"))
      for (key, line) in zip(directory.keys ?? [], directory.keyLines)
      where !["path", "contents"].contains(key) {
        let why = "\(Shown.clean(key, longest: 40)): syncmake has no such key for a folder"
        manifest.remark(line, Shown.quoted(place), why)
      }
      for content in directory.list("contents") {
        read(content, in: Folders.joined(place, content.text("path")), &manifest)
      }
    }
    return manifest
  }

  private static func read(_ content: DataNode, in folder: String, _ manifest: inout ForeignManifest) {
    let line = content.span.line
    guard let kind = sources.first(where: { content[$0] != nil }), let source = content[kind] else {
      return manifest.remark(line, Shown.quoted(folder), "it names no source")
    }
    switch kind {
    case "http": http(source, content, in: folder, &manifest)
    case "githubRelease": release(source, content, in: folder, &manifest)
    case "git", "hg":
      manifest.remark(
        line, Shown.quoted(folder),
        "\(kind) \(Shown.address(source.text("url"))): syncmake fetches files; many hosts offer an archive"
      )
    case "manual": manifest.remark(line, Shown.quoted(folder), "it is kept by hand")
    default: manifest.remark(line, Shown.quoted(folder), "syncmake has no source like \(kind)")
    }
  }

  private static func http(
    _ source: DataNode, _ content: DataNode, in folder: String, _ manifest: inout ForeignManifest
  ) {
    let url = source.text("url")
    guard var target = manifest.target([url], line: source.span.line) else { return }
    let digest = source.text("sha256")
    if !digest.isEmpty { target.verify("sha256", digest) }
    remarkSecret(source, &target)
    // An archive is unpacked unless the file says otherwise; which one it is, its name shows.
    let name = WebURL(url)?.lastPathPart ?? ""
    if ArchiveFormat(ofName: name) != nil, !source.isTrue("disableUnpack") {
      unpack(content, into: folder, &target)
    } else {
      target.folder = folder
    }
    remarkOthers(content, &target)
    manifest.add(target)
  }

  /// The files of a release that are named in full; which others there are, only a request tells.
  private static func release(
    _ source: DataNode, _ content: DataNode, in folder: String, _ manifest: inout ForeignManifest
  ) {
    let line = source.span.line
    let tag = source.text("tag")
    let slug = source.text("slug")
    let archive = source["unpackArchive"]?["path"]?.text
    let names = archive.map { [$0] } ?? source.list("assetNames").compactMap(\.text)
    let place = tag.isEmpty ? "latest/download" : "download/\(URLPath.encoded(tag))"
    let isOpen = tag.isEmpty && !source.isTrue("latest")
    let hasPattern = names.contains { $0.utf8.contains { "*?[{".utf8.contains($0) } }
    guard !slug.isEmpty, !names.isEmpty, !isOpen, !hasPattern else {
      return manifest.remark(
        line, Shown.quoted(folder),
        "which files of the release of \(Shown.quoted(slug)) these are, only a request tells; see `list: {format: github}`"
      )
    }
    for name in names {
      let url = "https://github.com/\(slug)/releases/\(place)/\(URLPath.encoded(name))"
      guard var target = manifest.target([url], line: line) else { continue }
      if let digest = source["checksums"]?[name]?.text { target.verify("sha256", digest) }
      remarkSecret(source, &target)
      if archive != nil { unpack(content, into: folder, &target) } else { target.folder = folder }
      remarkOthers(content, &target)
      manifest.add(target)
    }
  }

  private static func unpack(_ content: DataNode, into folder: String, _ target: inout ForeignTarget) {
    var options: [String] = []
    for (key, option) in [("includePaths", "include"), ("excludePaths", "exclude")] {
      if let text = ArchivePattern.option(option, content, key, &target) { options.append(text) }
    }
    target.steps.append(options.isEmpty ? "unpack" : "unpack: {\(options.joined(separator: ", "))}")
    target.output = folder + "/"
    // Without it the files would be elsewhere.
    let key = "newRootPath"
    if content[key] != nil {
      target.refusal = (content.line(of: key), "\(key): `strip` removes folders by their number only")
    }
  }

  /// Says which keys beside the source have no meaning for a target that is a file, or for any.
  private static func remarkOthers(_ content: DataNode, _ target: inout ForeignTarget) {
    let known =
      ["path"] + sources + (target.output == nil ? [] : ["includePaths", "excludePaths", "newRootPath"])
    for (key, line) in zip(content.keys ?? [], content.keyLines) where !known.contains(key) {
      target.remark("\(Shown.clean(key, longest: 40)): a target of this form has no such key", line: line)
    }
  }

  private static func remarkSecret(_ source: DataNode, _ target: inout ForeignTarget) {
    let key = "secretRef"
    guard source[key] != nil else { return }
    target.remark("\(key): give the secret by `auth`, as ${secret:NAME}", line: source.line(of: key))
  }
}
