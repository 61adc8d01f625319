import CSystemShim
import Platform
package import SyncModel

extension StagedTree {
  /// Throws `.roomMissing` if the disk has no room for the files that are certainly written. Call it before the first one.
  ///
  /// A file in place with the same size may have the same bytes, and then it stays. `most` is the size of all files
  /// together, in bytes; `files` is only called if that is more than there is room for.
  package func requireRoom(
    atMost most: Int64, for files: () throws(FailureCause) -> [(path: [UInt8], size: Int64)]
  ) throws(FailureCause) {
    guard let free = leastFree, most > free else { return }
    var needed: Int64 = 0
    for file in try files() where !mayStay(file.path, of: file.size) {
      let (sum, overflow) = needed.addingReportingOverflow(file.size)
      needed = overflow ? .max : sum
    }
    if needed > free { throw .roomMissing(path: order.output.text, needed: needed, free: free) }
  }

  private var leastFree: Int64? { staged.top.leastFree(with: live?.top ?? root.top) }

  private func mayStay(_ path: [UInt8], of size: Int64) -> Bool {
    guard let status = try? live?.status(of: path) else { return false }
    return status.kind == .file && status.signature.size == size
  }
}

extension StagedTree {
  /// Whether two names that differ in case only are one where the tree is made, or where it goes.
  package var ignoresCase: Bool {
    let target = live?.top ?? root.top
    return state.stagingIgnoresCase || target.isKnownToIgnoreCase
  }
}

extension OpenFolder {
  /// The free bytes of the disk where files are made, this folder's, or of that where they go, if it is another one and has
  /// fewer.
  fileprivate func leastFree(with target: OpenFolder) -> Int64? {
    let (here, there) = (try? status().device, try? target.status().device)
    return [freeBytes, here == there ? nil : target.freeBytes].compactMap(\.self).min()
  }

  /// Whether the file system's type or the folder's attributes say that case does not count.
  var isKnownToIgnoreCase: Bool { syncmake_ignores_case(raw) == 1 }
}

extension StateFolder {
  /// Throws `.roomMissing` if it has no room for a download of `size` bytes. Call it before the first one is written.
  package func requireRoom(forDownload size: Int64) throws(FailureCause) {
    guard let free = top.freeBytes, size > free else { return }
    throw .roomMissing(path: path, needed: size, free: free)
  }

  /// Throws `.roomMissing` if there is no room for an output of `size` bytes, which is made here and goes to `root`. Call it
  /// before the first byte is written.
  package func requireRoom(
    for output: RelativePath, of size: Int64, root: RootFolder
  ) throws(FailureCause) {
    guard let free = top.leastFree(with: root.top), size > free else { return }
    throw .roomMissing(path: output.text, needed: size, free: free)
  }

  /// Whether two names that differ in case only are one in the folder for files that are being written.
  ///
  /// Found out once: a file is made, and looked up by its name in other letters.
  var stagingIgnoresCase: Bool {
    if let known = ignoresCase.withLock({ $0 }) { return known }
    let name = "case-\(names.next())"
    guard (try? staging.create(name)) != nil else { return false }
    let found = (try? staging.status(of: "CASE" + name.dropFirst("case".count))) != nil
    try? staging.remove(name)
    ignoresCase.withLock { $0 = found }
    return found
  }
}
