import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The state folders of shards, which are below that of a plain run: `.syncmake/shards/3-of-16`.
///
/// Links in their places are never followed: a checked-out `.syncmake` must not redirect what is written or removed.
package enum ShardFolders {
  private static let name = "shards"

  /// The state folder of `shard`, where `base` is that of a plain run.
  package static func path(of shard: Shard, in base: String) -> String {
    "\(base)/\(name)/\(shard.folderName)"
  }

  /// Throws if the folder of all shards' states is a link.
  package static func requireNoLink(in base: String) throws(FailureCause) {
    let path = "\(base)/\(name)"
    if let status = unsafe try? FileStatus(path, in: AT_FDCWD), status.kind == .link {
      throw .outputUnwritable(path: path, .isLink)
    }
  }

  /// The shards that have left a folder, in the order of their names; what is not theirs is not looked at.
  package static func all(in base: String) -> [Shard] {
    guard let folder = open(base), let names = try? folder.names() else { return [] }
    return names.sorted().compactMap { name in
      guard let shard = Shard(folderName: name), (try? folder.status(of: name))?.kind == .folder else {
        return nil
      }
      return shard
    }
  }

  /// Removes what a shard has left, except for downloads that can be resumed.
  ///
  /// For a plain run that holds its lock, which no shard shares then. What cannot be removed does no harm.
  package static func clear(_ shard: Shard, in base: String) {
    guard let folder = open(base), let own = try? OpenFolder(shard.folderName, in: folder),
      let names = try? own.names()
    else { return }
    for name in names where name != "partial" { own.removeAll(FileName(name.utf8)) }
    // Each only if it is empty.
    _ = unsafe unlinkat(own.raw, "partial", AT_REMOVEDIR)
    _ = unsafe unlinkat(folder.raw, shard.folderName, AT_REMOVEDIR)
    _ = unsafe rmdir("\(base)/\(name)")
  }

  /// The state folder of `shard`; `nil` if there is none.
  static func open(_ shard: Shard, in base: String) -> OpenFolder? {
    open(base).flatMap { try? OpenFolder(shard.folderName, in: $0) }
  }

  private static func open(_ base: String) -> OpenFolder? {
    (try? OpenFolder(path: base)).flatMap { try? OpenFolder(name, in: $0) }
  }
}
