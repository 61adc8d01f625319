import Foundation

/// Everything below a folder, as `lstat` sees it.
struct FileTree: Equatable {
  struct Entry: Equatable {
    var kind: UInt32
    var mode: UInt32
    var size: Int
    var inode: UInt64
    /// Nanoseconds since 1970.
    var modified: Int
    var changed: Int
  }

  /// By path relative to the folder.
  var entries: [String: Entry]

  init(entries: [String: Entry]) { self.entries = entries }

  init(_ path: String) {
    entries = [:]
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    for name in names { entries[name] = Entry("\(path)/\(name)") }
  }

  /// The total size in bytes of the files whose names end so.
  func size(ofFiles ending: String) -> Int {
    entries.filter { $0.key.hasSuffix(ending) && $0.value.kind == UInt32(S_IFREG) }.reduce(0) {
      $0 + $1.value.size
    }
  }

  /// The entries whose paths begin with this text.
  func below(_ prefix: String) -> FileTree { FileTree(entries: entries.filter { $0.key.hasPrefix(prefix) }) }

  /// A line for each new, removed or changed entry.
  func changes(since old: FileTree) -> [String] {
    Set(entries.keys).union(old.entries.keys).sorted().compactMap { path in
      switch (old.entries[path], entries[path]) {
      case (nil, _): "new: \(path)"
      case (_, nil): "gone: \(path)"
      case (let was?, let now?): was == now ? nil : "different: \(path)"
      }
    }
  }
}

extension FileTree.Entry {
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    kind = UInt32(status.st_mode) & UInt32(S_IFMT)
    mode = UInt32(status.st_mode) & 0o7777
    size = Int(status.st_size)
    inode = UInt64(status.st_ino)
    #if canImport(Darwin)
      modified = status.st_mtimespec.tv_sec * 1_000_000_000 + status.st_mtimespec.tv_nsec
      changed = status.st_ctimespec.tv_sec * 1_000_000_000 + status.st_ctimespec.tv_nsec
    #else
      modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
      changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
    #endif
  }
}
