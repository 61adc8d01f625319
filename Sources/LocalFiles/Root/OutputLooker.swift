import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Looks at many outputs, folder by folder, and keeps the folders on the way to the last one open.
///
/// For one thread; several may look below one root. Every folder is opened relative to the one above it and
/// through no link, as ``RootFolder/observe(_:)`` does.
package struct OutputLooker {
  private let root: RootFolder
  /// From the root down to the folder of the output looked at last.
  private var open: [(name: Substring.UTF8View, folder: OpenFolder)] = []
  /// The number of the cached folder; `nil` before the first, and if it could not be opened.
  private var present: Int?

  /// Nothing is opened before the first look.
  package init(_ root: RootFolder) { self.root = root }

  /// Whether `name` in `folder`, a path from the root, is a file of this signature.
  ///
  /// `index` is the caller's number for the folder. `false` also for whatever cannot be looked at.
  ///
  /// A run with nothing to do calls it for each target; the rest of this module is built for size.
  @_optimize(speed) package mutating func has(
    _ signature: FileSignature, _ name: UnsafePointer<CChar>, in folder: String, at index: Int
  ) -> Bool {
    if present != index {
      present = nil
      guard enter(folder) else { return false }
      present = index
    }
    var status = stat()
    let parent = (open.last?.folder ?? root.top).raw
    guard unsafe fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
    let found = FileStatus(status)
    // A pattern, not `==`: the comparison of another module's enum is a call for each output.
    guard case .file = found.kind else { return false }
    return found.signature == signature
  }

  /// Opens the folders that `path` has beside those that are open.
  @_optimize(speed) private mutating func enter(_ path: String) -> Bool {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"))
    let shared = zip(open, parts).prefix { $0.name.elementsEqual($1) }.count
    open.removeSubrange(shared...)
    for part in parts[shared...] {
      // The parser has resolved these; here they would lead out of the root.
      guard !part.elementsEqual("..".utf8), !part.elementsEqual(".".utf8),
        let folder = try? OpenFolder(String(Substring(part)), in: open.last?.folder ?? root.top)
      else { return false }
      open.append((part, folder))
    }
    return true
  }
}
