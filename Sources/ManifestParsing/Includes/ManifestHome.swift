import SyncModel

/// Where a manifest's file is, and what follows from that (contract, section 11, "Includes").
struct ManifestHome {
  /// 0 for the manifest itself, else the number of an included one.
  let number: Int
  /// What its paths begin with, from the root: empty, or a folder with a slash at its end.
  let folder: String
  /// What the names of its targets and groups begin with.
  let prefix: String

  private init(number: Int, folder: String, prefix: String) {
    self.number = number
    self.folder = folder
    self.prefix = prefix
  }

  /// That of the manifest itself.
  static let root = ManifestHome(number: 0, folder: "", prefix: "")

  /// That of an included manifest. Files in the root itself give their targets their own name, less its ending.
  init(_ path: RelativePath, number: Int) {
    self.number = number
    folder = path.text.folderPrefix
    let dot = path.text.utf8.lastIndex(of: UInt8(ascii: "."))
    prefix = folder.isEmpty ? "\(dot.map { path.text[..<$0] } ?? path.text[...])/" : folder
  }

  /// Whether a target's name can begin so.
  var isName: Bool { TargetName.isValid(prefix) }

  /// A path of the file, from the root.
  func rooted(_ text: String) throws(RelativePath.Fault) -> RelativePath {
    guard !folder.isEmpty, !text.isEmpty, text.utf8.first != UInt8(ascii: "/") else {
      return try RelativePath(text)
    }
    return try RelativePath(folder + text)
  }

  /// The same of a source, which may be elsewhere.
  func rooted(_ url: SourceURL) -> SourceURL {
    guard !folder.isEmpty, case .file(let path, _) = url, path.utf8.first != UInt8(ascii: "/") else {
      return url
    }
    return .file(path: folder + path, written: folder + path)
  }

  /// What no path may lead out of, for messages.
  var boundary: String { folder.isEmpty ? "the manifest's folder" : "the root" }
}
