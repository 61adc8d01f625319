import SyncModel

/// Paths of foreign files.
enum Folders {
  /// `path` below `folder`; either may be empty or `.`.
  static func joined(_ folder: String, _ path: String) -> String {
    guard !folder.isEmpty, folder != "." else { return path == "." ? "" : path }
    guard !path.isEmpty, path != "." else { return folder }
    return folder + (folder.utf8.last == UInt8(ascii: "/") ? "" : "/") + path
  }

  /// The folder of `file`, relative to that of `manifest`, if both paths tell it; else empty.
  static func folder(of file: String, from manifest: String) -> String {
    let (own, root) = (parent(file), parent(manifest))
    guard own.utf8.first != UInt8(ascii: "/") || root.utf8.first == UInt8(ascii: "/"),
      !own.split(separator: "/").contains("..")
    else { return "" }
    if root.isEmpty { return own }
    return own.isPath(in: root) ? String(own.utf8.dropFirst(root.utf8.count + 1)) ?? "" : ""
  }

  /// Empty for the current folder.
  private static func parent(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    let folder = String(Substring(path.utf8[..<slash]))
    return folder == "." ? "" : folder.hasPrefix("./") ? String(folder.dropFirst(2)) : folder
  }
}
