package import LocalFiles
package import SyncModel

/// Digests of an existing file.
package enum ContentDigest {
  /// Reads `file` from its position to its end; sha256 is always among the digests.
  ///
  /// Throws read errors, and `.internalError` as soon as `isInVain`, called for each block, says that the answer is
  /// no longer needed.
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
