import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The right to fetch something for a cache, which one run has at a time.
///
/// It ends with the process, however that ends. Where locks do not work everybody has it: then two runs fetch the
/// same, and each puts the same bytes into the cache.
package final class CacheLock: Sendable {
  /// What came of asking for it.
  package enum Attempt {
    /// It is ours; `nil` if the file system has no locks.
    case held(CacheLock?)
    /// Another run has it, and was last heard of at this time.
    case busy(lastSign: Timestamp)
  }

  private let file: Descriptor
  private let name: String
  private let folder: OpenFolder

  private init(_ file: consuming Descriptor, _ name: String, in folder: OpenFolder) {
    self.file = file
    self.name = name
    self.folder = folder
  }

  // Removed before it is unlocked: whoever waits for it then sees that it is another file's.
  deinit { try? folder.remove(name) }

  /// Tells those who wait that the run still works at it.
  package func giveSign() { try? folder.touch(FileName(name.utf8)) }

  /// Asks for the lock of `name`.
  package static func attempt(_ name: HexDigest, in cache: CacheFolder) -> Attempt {
    attempt(name.text, in: cache)
  }

  /// Asks for the right to look after the whole cache.
  static func ofUpkeep(in cache: CacheFolder) -> Attempt { attempt("upkeep", in: cache) }

  private static func attempt(_ name: String, in cache: CacheFolder) -> Attempt {
    guard let folder = try? cache.folder(.locks, isMade: true),
      let file = try? folder.open(name, O_RDWR | O_CREAT, mode: 0o600),
      let own = try? FileStatus(file), own.kind == .file
    else { return .held(nil) }
    let raw = file.raw
    do throws(SystemError) {
      try call { flock(raw, LOCK_EX | LOCK_NB) }
    } catch {
      if error.code == EWOULDBLOCK { return .busy(lastSign: own.signature.modified) }
      try? folder.remove(name)
      return .held(nil)
    }
    // Its last holder may have removed it since it was opened: then it locks nothing.
    guard let there = try? folder.status(of: name), there.signature.inode == own.signature.inode else {
      return .busy(lastSign: own.signature.modified)
    }
    return .held(CacheLock(file, name, in: folder))
  }
}
