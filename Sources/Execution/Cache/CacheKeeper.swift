import ContentPipeline
import LocalFiles
package import SyncModel

/// Looks after the cache on this machine, for `syncmake cache`.
package final class CacheKeeper {
  private let folder: CacheFolder

  /// Opens the cache in `path`, and never makes one; throws if what is in it cannot be listed, too.
  package init(path: String) throws(CacheFault) {
    folder = try CacheFolder(named: path, isMade: false)
    if let fault = folder.fault { throw fault }
  }

  /// What is there.
  package func contents() -> CacheContents { folder.contents() }

  /// The paths of folders that cannot be listed: nothing is known of what is in them.
  package var unreadable: [String] { folder.unreadable }

  /// Digests every file; returns how much was read, and the paths of those that cannot be read or have other bytes than
  /// their names say, and of folders that cannot be listed.
  ///
  /// It stops where `stop` asks to. A file that is removed meanwhile is not there.
  package func verify(stop: StopSignal) -> (read: CacheContents, bad: [String]) {
    var (read, bad) = (CacheContents(), folder.unreadable)
    folder.eachFile { name, size in
      guard let file = folder.open(name) else {
        if !folder.isGone(name) { bad.append(folder.path(of: name)) }
        return true
      }
      let content = try? ContentDigest.of(file, [.sha256], isInVain: { stop.isStopped })
      if stop.isStopped { return false }
      read.files += 1
      read.bytes += content?.size ?? 0
      if content?.sha256 != name { bad.append(folder.path(of: name)) }
      return true
    }
    return (read, bad)
  }

  /// Removes what was used least recently until no more than `maxSize` bytes are left, and what was used last before
  /// `moment`; returns what was removed, and how many files could not be.
  package func prune(maxSize: Int64?, unusedSince moment: Timestamp?, now: Timestamp)
    -> (removed: CacheContents, kept: Int)
  {
    LocalCache.prune(folder, maxSize: maxSize, unusedSince: moment, now: now)
  }
}
