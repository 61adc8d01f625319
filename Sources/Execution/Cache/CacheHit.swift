import LocalFiles
import Planning
import SyncModel

/// A file of the cache that is read as a body, or that becomes the body's own file first.
final class CacheHit: OpenedFile {
  private let file: CachedFile
  private let cache: LocalCache
  /// Whether the target demands neither a mode nor a time, which would be those of all names of a file.
  private let mayBeLinked: Bool
  /// What is read and digested.
  private var opened: ReadableFile

  /// `opened` is `file`, in `cache`.
  init(_ file: CachedFile, _ opened: ReadableFile, in cache: LocalCache, mayBeLinked: Bool) {
    self.file = file
    self.opened = opened
    self.cache = cache
    self.mayBeLinked = mayBeLinked
  }

  /// Makes `staged`, to which nothing was written yet, a file with these bytes, if that needs no copy; whether it was
  /// done. Then the bytes are only to be digested.
  func becomes(_ staged: StagedFile) -> Bool {
    guard let own = cache.share(file, opened, with: staged, mayBeLinked: mayBeLinked) else { return false }
    opened = own
    return true
  }

  var signature: FileSignature { opened.signature }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    try unsafe opened.read(into: buffer)
  }

  func requireUnchanged() throws(FailureCause) { try opened.requireUnchanged() }

  func identity(
    _ algorithms: Set<DigestAlgorithm>, isInVain: () -> Bool
  ) throws(FailureCause) -> ContentIdentity {
    try opened.identity(algorithms, isInVain: isInVain)
  }
}
