/// What a target's folder contains: the files, links and empty folders that were unpacked into it (contract, section 10).
///
/// Its text is the form `syncmake-tree/1`, whose sha256 is the tree digest.
package struct TreeListing: Sendable, Equatable {
  /// A file, a link or an empty folder.
  package struct Entry: Sendable, Equatable {
    /// What it is.
    package enum Kind: Sendable, Equatable {
      case file(sha256: CompactDigest, isExecutable: Bool)
      /// A symbolic link; `target` as the archive has it.
      case link(target: [UInt8])
      /// A folder without entries; those above files are not listed.
      case folder
    }

    /// From the folder, without slashes at the ends.
    package var path: [UInt8]
    /// The kind, and what its bytes are.
    package var kind: Kind
    /// As it was put in place; `nil` for folders, before that, and if an edited file stays in its place.
    package var signature: FileSignature?
    /// Of a file in bytes, else 0.
    package var size: Int64

    /// `path` is relative to the folder; `size` is in bytes.
    package init(path: [UInt8], kind: Kind, size: Int64 = 0, signature: FileSignature? = nil) {
      self.path = path
      self.kind = kind
      self.size = size
      self.signature = signature
    }
  }

  /// In the order of the paths' bytes.
  package var entries: TreeEntries
  /// The folder's own signature in records: it stays the same while every entry has its own.
  ///
  /// The size is the sum of the files', both times are those of the publication, and the inode is a random number.
  package var signature: FileSignature
  /// The inode number of the folder itself: after a crash it tells which of two listings is the folder's.
  package var folder: UInt64?

  /// `entries` may be in any order.
  package init(_ entries: TreeEntries, signature: FileSignature, folder: UInt64? = nil) {
    self.entries = entries.sorted()
    self.signature = signature
    self.folder = folder
  }

  /// The same with a few entries.
  package init(_ entries: [Entry], signature: FileSignature, folder: UInt64? = nil) {
    self.init(TreeEntries(entries), signature: signature, folder: folder)
  }

  /// The entry with that path; `nil` if there is none.
  package subscript(path: [UInt8]) -> Entry? { place(of: path).map { entries[$0] } }

  /// The index of the entry with that path; `nil` if there is none.
  package func place(of path: [UInt8]) -> Int? {
    unsafe path.withUnsafeBytes { unsafe entries.place(of: $0) }
  }
}

extension TreeListing.Entry {
  /// The entry's line in the text of `syncmake-tree/1`, with its newline.
  package var line: [UInt8] {
    var line: [UInt8]
    switch kind {
    case .file(let sha256, let isExecutable):
      line = Array("\(isExecutable ? "x" : "f") \(sha256.hex) \(size) ".utf8)
    case .link(let target): line = Array("l ".utf8) + target + [UInt8(ascii: " ")]
    case .folder: line = Array("d ".utf8)
    }
    return line + path + [UInt8(ascii: "\n")]
  }

  /// Whether both have the same line: the same path, kind and bytes.
  package func isSame(as other: Self) -> Bool {
    path == other.path && kind == other.kind && size == other.size
  }
}

/// How a new tree differs from the one before, in files and links.
package struct TreeChanges: Sendable, Equatable {
  /// Files and links that were not there.
  package var added = 0
  /// Those that were there and are written anew.
  package var changed = 0
  /// Those that are removed.
  package var removed = 0
  /// Those that stay as they are.
  package var kept = 0
  /// Whether something is removed that nobody recorded, which is not counted.
  package var dropsOthers = false

  /// No differences.
  package init() {}

  /// Those between the files and links of a new tree, of which `isNew` tells by their places whether they are written, and
  /// the `old` entries, which are sorted, and of which those `staying` are not removed. `dropsOthers`: whether unrecorded
  /// things are.
  package init(
    of new: TreeEntries, since old: TreeEntries, _ pruning: TreePruning, staying: Set<[UInt8]> = [],
    dropsOthers: Bool = false, isNew: (Int) -> Bool
  ) {
    self.dropsOthers = dropsOthers
    // Files and links of the old tree that the new one does not have.
    var isLeft = old.indices.map { !old.isFolder(at: $0) }
    for place in new.indices where !new.isFolder(at: place) {
      let before = unsafe new.withPath(at: place) { unsafe old.place(of: $0) }.flatMap {
        isLeft[$0] ? $0 : nil
      }
      if let before { isLeft[before] = false }
      if !isNew(place) { kept += 1 } else if before == nil { added += 1 } else { changed += 1 }
    }
    let left = isLeft.count { $0 }
    let stayingCount = staying.count { path in
      unsafe path.withUnsafeBytes { unsafe old.place(of: $0) }.map { isLeft[$0] } ?? false
    }
    removed = pruning == .none ? 0 : left - stayingCount
    kept += left - removed
  }

  /// Those that are not as before.
  package var total: Int { added + changed + removed }
}

/// What happens to files in a target's folder that are not from its archive (contract, section 10).
package enum TreePruning: String, Sendable, CaseIterable {
  /// Those that the target recorded are removed, others stay.
  case recorded
  /// All are removed.
  case all
  /// All stay.
  case none
}

/// How the entries of an archive become files of a folder (contract, section 10).
package struct TreeRules: Sendable, Equatable {
  /// Only files that match one are unpacked; empty for all.
  package var include: [PathPattern] = []
  /// `modes: archive`: the archive's nine permission bits, instead of 0755 or 0644 less the umask.
  package var keepsModes = false
  /// `mtimes: archive`: the archive's times, instead of that of the change.
  package var keepsTimes = false
  /// What happens to files that are not in the archive.
  package var pruning = TreePruning.recorded

  /// The defaults of the contract.
  package init() {}
}
