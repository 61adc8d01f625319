package import LocalFiles
package import SyncModel

/// Digests of a file that is here already.
package enum ContentDigest {
  /// Reads `file` from where it stands to its end; sha256 is always among the digests.
  ///
  /// Throws what reading throws, and `.internalError` once `isInVain`, asked for each block, says that nobody
  /// waits for the answer any more.
  package static func of(
    _ file: ReadableFile, _ algorithms: Set<DigestAlgorithm>, isInVain: () -> Bool = { false }
  ) throws(FailureCause) -> ContentIdentity {
    let block = Block()
    var digester = Digester(algorithms.union([.sha256]))
    var size: Int64 = 0
    while true {
      if isInVain() { throw .internalError("stopped while reading") }
      block.clear()
      unsafe block.grow(by: try file.read(into: block.free))
      guard block.count > 0 else { return ContentIdentity(size: size, digests: digester.finish()) }
      unsafe digester.update(block.bytes)
      size += Int64(block.count)
    }
  }
}
