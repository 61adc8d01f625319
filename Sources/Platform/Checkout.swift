#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The repository that a manifest is in: all that is there may be from a stranger's change.
package enum Checkout {
  /// The folder of the repository that `root` is in; `root` itself without one.
  package static func folder(of root: String) -> String {
    let root = RealPath.of(root) ?? root
    var folder = root[...]
    while !folder.isEmpty {
      if unsafe access("\(folder)/.git", F_OK) == 0 { return String(folder) }
      folder = folder.utf8.lastIndex(of: UInt8(ascii: "/")).map { folder[..<$0] } ?? ""
    }
    return root
  }

  /// Whether a real path is in the repository of `root`.
  package static func holds(_ path: String, of root: String) -> Bool {
    RealPath.rest(of: path, in: folder(of: root)) != nil
  }

  /// A `PATH` with those folders of `path` that cannot have programs of the repository of `root`: not the relative ones,
  /// which begin wherever a program is started.
  ///
  /// `root` is `nil` if there is no repository. The root of the file system is none, since all programs are there. A shell
  /// looks in the present folder if nothing is left: then it is the system's usual path.
  package static func searchPath(_ path: String, outside root: String?) -> String {
    let checkout = root.map(folder(of:)).flatMap { $0 == "/" ? nil : $0 }
    let left = path.split(separator: ":").filter { folder in
      guard folder.hasPrefix("/"), let real = RealPath.of(String(folder)) else { return false }
      return checkout.map { RealPath.rest(of: real, in: $0) == nil } ?? true
    }.joined(separator: ":")
    return left.isEmpty ? "/usr/bin:/bin" : left
  }
}
