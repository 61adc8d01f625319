/// The properties of a file that are known without reading it; equal signatures of one path mean equal bytes.
package struct FileSignature: Hashable, Sendable {
  /// In bytes.
  package var size: Int64
  /// The file's own time, which anybody may set.
  package var modified: Timestamp
  /// The inode's change time, which an edit cannot set back.
  package var changed: Timestamp
  /// Its number in its file system.
  package var inode: UInt64

  /// All values must be of one look at the file; `size` is in bytes.
  // Inlinable, since every output of a run has one.
  @inlinable
  package init(size: Int64, modified: Timestamp, changed: Timestamp, inode: UInt64) {
    self.size = size
    self.modified = modified
    self.changed = changed
    self.inode = inode
  }

  /// Whether all values are equal.
  @inlinable
  package static func == (a: FileSignature, b: FileSignature) -> Bool {
    a.size == b.size && a.modified.nanoseconds == b.modified.nanoseconds
      && a.changed.nanoseconds == b.changed.nanoseconds && a.inode == b.inode
  }
}

/// What is at an output's path.
package enum OutputObservation: Sendable, Equatable {
  /// Nothing is there, not even a link.
  case missing
  /// A folder output that counts as missing, since something recorded of it is not there.
  case incomplete(FolderGap)
  /// A regular file.
  case file(FileSignature)
  /// Something that must not be replaced (contract, section 6, promise 4).
  case unusable(PathFault)

  /// Whether it is a file that may be replaced.
  package var isFile: Bool { if case .file = self { true } else { false } }

  /// Whether it counts as missing by the rules of freshness: nothing or only a part is there, and no edit of it.
  package var isMissing: Bool {
    switch self {
    case .missing, .incomplete: true
    case .file, .unusable: false
    }
  }
}

/// What a folder output lacks.
package enum FolderGap: Sendable, Equatable {
  /// So many of `all` recorded files and links are missing, or with 0 only empty folders. `first` is the path of the
  /// first one in the folder, a foreign text.
  case files(Int, of: Int, first: String)
  /// A change file by file was interrupted; the next run completes it.
  case interruptedChange
}

/// Why a path cannot be an output.
package enum PathFault: Sendable, Equatable {
  /// The path is a symbolic link, a folder, or a device, socket or pipe.
  case isLink, isFolder, isDevice
  /// The path of a folder output is a file.
  case isFile
  /// It is in the way, and neither git's files nor those that a policy protects are replaced.
  case isProtected
  /// The part of the path from the root that is a link.
  case parentIsLink(String)
  /// The part of the path from the root that is not a folder.
  case parentIsNotFolder(String)
  /// The system refused: `errno` and its words.
  case system(errno: Int32, text: String)
  /// The records of the state folder cannot be written, and it is not the system that says so.
  case records(text: String)
  /// A folder output whose files or listing could not be read.
  case notExamined
  /// What was withheld for it in the state folder is damaged or gone.
  case withheldIsDamaged
  /// Another program has changed it since it was read.
  case changedMeanwhile
  /// It belongs to another user, by name or number, and is closed to this one; or it does not exist, and its folder does.
  case belongsTo(user: String, ofFolder: Bool)
  /// The file system, or a layer above it, lacks a feature; the system's message.
  case lacks(FileSystemAbility, text: String)
}

/// A feature that a file system may lack.
package enum FileSystemAbility: Sendable, Equatable {
  /// Locks that end with their process.
  case locks
  /// Permission bits that can be set.
  case permissions
}
