/// What a target's folder contains: the files, links and empty folders that were unpacked into it (contract, section 10).
///
/// Its text is the form `syncmake-tree/1`, whose sha256 is the tree digest.
package struct TreeListing: Sendable, Equatable {
  /// A file, a link or an empty folder.
  package struct Entry: Sendable, Equatable {
    /// What it is.
    package enum Kind: Sendable, Equatable {
      case file(sha256: HexDigest, isExecutable: Bool)
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
  package var entries: [Entry]
  /// The folder's own signature in records: it stays the same while every entry has its own.
  ///
  /// The size is the sum of the files', both times are those of the publication, and the inode is a random number.
  package var signature: FileSignature
  /// The inode number of the folder itself: after a crash it tells which of two listings is the folder's.
  package var folder: UInt64?

  /// `entries` may be in any order.
  package init(_ entries: [Entry], signature: FileSignature, folder: UInt64? = nil) {
    func isBefore(_ a: Entry, _ b: Entry) -> Bool { a.path.lexicographicallyPrecedes(b.path) }
    // Stored ones are in order: sorting them would take as much memory again.
    let areSorted = !zip(entries, entries.dropFirst()).contains { isBefore($1, $0) }
    self.entries = areSorted ? entries : entries.sorted(by: isBefore)
    self.signature = signature
    self.folder = folder
  }

  /// The sum of the files' sizes, in bytes; the largest number if it is more.
  package static func size(of entries: [Entry]) -> Int64 {
    entries.reduce(0) { sum, entry in
      let (total, isTooMuch) = sum.addingReportingOverflow(entry.size)
      return isTooMuch ? .max : total
    }
  }

  /// The number of files and links.
  package var fileCount: Int { entries.count { $0.kind != .folder } }

  /// The entry with that path; `nil` if there is none.
  package subscript(path: [UInt8]) -> Entry? { place(of: path).map { entries[$0] } }

  /// The index of the entry with that path; `nil` if there is none.
  package func place(of path: [UInt8]) -> Int? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].path.lexicographicallyPrecedes(path) { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].path == path ? low : nil
  }
}

extension TreeListing.Entry {
  /// The entry's line in the text of `syncmake-tree/1`, with its newline.
  package var line: [UInt8] {
    var line: [UInt8]
    switch kind {
    case .file(let sha256, let isExecutable):
      line = Array("\(isExecutable ? "x" : "f") \(sha256.text) \(size) ".utf8)
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

  /// Those between the files and links of a new tree, of which `isNew` tells whether they are written, and the `old`
  /// entries, of which those `staying` are not removed. `dropsOthers`: whether unrecorded things are.
  package init(
    of new: some Sequence<(path: [UInt8], isNew: Bool)>, since old: [TreeListing.Entry],
    _ pruning: TreePruning, staying: Set<[UInt8]> = [], dropsOthers: Bool = false
  ) {
    self.dropsOthers = dropsOthers
    var left = Set(old.lazy.filter { $0.kind != .folder }.map(\.path))
    for (path, isNew) in new {
      let wasThere = left.remove(path) != nil
      if !isNew { kept += 1 } else if wasThere { changed += 1 } else { added += 1 }
    }
    removed = pruning == .none ? 0 : left.count - left.intersection(staying).count
    kept += left.count - removed
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
