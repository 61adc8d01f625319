/// What a file looks like without reading it; two equal signatures of one path mean the same bytes.
package struct FileSignature: Hashable, Sendable {
  /// In bytes.
  package var size: Int64
  /// The file's own time, which anybody may set.
  package var modified: Timestamp
  /// The inode's change time, which an edit cannot set back.
  package var changed: Timestamp
  /// Its number in its file system.
  package var inode: UInt64

  package init(size: Int64, modified: Timestamp, changed: Timestamp, inode: UInt64) {
    self.size = size
    self.modified = modified
    self.changed = changed
    self.inode = inode
  }
}

/// What stands at an output's path.
package enum OutputObservation: Sendable, Equatable {
  case missing
  case file(FileSignature)
  /// Something that must not be replaced (contract, section 6, promise 4).
  case unusable(PathFault)
}

/// Why a path cannot be an output.
package enum PathFault: Sendable, Equatable {
  case isLink, isFolder, isDevice
  /// The part of the path from the root that is a link.
  case parentIsLink(String)
  /// The part of the path from the root that is not a folder.
  case parentIsNotFolder(String)
  /// The system refused: `errno` and its words.
  case system(errno: Int32, text: String)
  /// It belongs to another user, by name or number, and is closed to this one.
  case belongsTo(user: String)
  /// The file system, or what stands between it and the program, lacks something; the system's words.
  case lacks(FileSystemAbility, text: String)
}

/// What a file system may lack.
package enum FileSystemAbility: Sendable, Equatable {
  /// Locks that end with the process that holds them.
  case locks
  /// Permission bits that can be set.
  case permissions
}
