import CSystemShim
import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension TreeListing {
  /// Whether each file that is recorded without an x bit has one in `folder`, whose file system may give it to all, as vfat,
  /// exFAT, NTFS and the drives of Windows in WSL do: then the bit says nothing.
  func isExecutableThroughout(_ folder: OpenFolder) -> Bool {
    guard syncmake_may_lack_permissions(folder.raw) == 1 else { return false }
    var (walker, count) = (TreeWalker(folder), 0)
    for place in entries.indices {
      guard case .file(_, isExecutable: false) = entries.kind(at: place),
        let (parent, name) = try? walker.place(of: entries.path(at: place)),
        let status = try? parent.status(of: name),
        status.kind == .file
      else { continue }
      guard status.isExecutable else { return false }
      count += 1
    }
    return count > 0
  }
}

extension StagedTree {
  /// Whether a file of the live folder may stay where the archive's file has `mode`.
  func isRight(_ status: FileStatus, for mode: UInt16) -> Bool {
    if order.rules.keepsModes { return status.mode == mode_t(bits(of: mode)) }
    return status.isExecutable == (mode & 0o111 != 0) || status.isExecutable && givesExecution
  }
}
