import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The `file` sources of an untrusted manifest, which must be inside the root (contract, section 14).
extension RootFolder {
  /// The path from the root of a source, its links resolved; throws `.hostRefused` for one that is outside.
  ///
  /// It is to be opened without following links: one that comes in between leads nowhere.
  func confined(_ path: String) throws(FailureCause) -> RelativePath {
    guard let inside = Self.inside(path, of: self.path) else {
      throw .hostRefused(url: path, from: nil, .file)
    }
    return inside
  }

  /// Whether a source is outside the folder `root`, perhaps by a link, or one of git's own files: those of a checkout may
  /// have its credentials. Paths are from the root.
  package static func isOutside(_ path: String, of root: String) -> Bool { inside(path, of: root) == nil }

  private static func inside(_ path: String, of root: String) -> RelativePath? {
    guard !path.utf8.contains(0), let top = RealPath.of(root) else { return nil }
    let whole = path.utf8.first == UInt8(ascii: "/") ? path : "\(top)/\(path)"
    // What is not there is read nowhere, but its path says where it would be.
    guard let found = RealPath.of(whole) ?? realPath(ofMissing: whole),
      let rest = RealPath.rest(of: found, in: top), let inside = try? RelativePath(rest),
      !inside.parts.contains(where: { FoldedPath.plainName($0.utf8) == ".git" })
    else { return nil }
    return inside
  }

  /// The path with the links resolved of its deepest folder that is there; `nil` for a link that leads nowhere now.
  private static func realPath(ofMissing path: String) -> String? {
    var folder = path
    var missing: [String] = []
    while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
      if (unsafe try? FileStatus(folder, in: AT_FDCWD)) != nil { return nil }
      missing.append(String(folder[folder.utf8.index(after: slash)...]))
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
      if let real = RealPath.of(folder) {
        return missing.contains("..") ? nil : ([real] + missing.reversed()).joined(separator: "/")
      }
    }
    return nil
  }
}
