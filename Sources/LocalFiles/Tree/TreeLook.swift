import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RootFolder {
  /// What is at a folder output's path, judged by the listings that may describe it, and the one that does.
  ///
  /// - `.missing`: nothing is there.
  /// - `.incomplete`: recorded entries are missing, and no other was changed.
  /// - `.file` with a listing's signature: every entry is as the listing says.
  /// - `.file` with another inode number, which depends on each entry that differs: two such looks are equal only if
  ///   nothing changed between them. Without listings it is the folder's own signature.
  /// - `.unusable`: the folder, or an entry, cannot be examined.
  ///
  /// The listing is the one of this very folder, else that with the fewest differences, of equals the first. With
  /// `keepingEdits`, entries that differ count as unchanged.
  ///
  /// `sharing` may have the look done by several threads. Also returns the place of the listing.
  package func observe(
    tree path: RelativePath, by tables: [TreeTable], keepingEdits: Bool, sharing: WorkSharing = { $0() }
  ) -> (OutputObservation, Int?) {
    let folder: (OpenFolder, FileStatus)
    do throws(WalkError) { folder = try open(tree: path) } catch {
      switch error {
      case .missing: return (.missing, tables.isEmpty ? nil : 0)
      case .fault(let fault): return (.unusable(fault), nil)
      }
    }
    var nearest: (look: TreeLook, place: Int)?
    let own = tables.indices.filter { tables[$0].folder == folder.1.signature.inode }
    for place in own.isEmpty ? Array(tables.indices) : own {
      let look: TreeLook
      do throws(SystemError) { look = try TreeLook(tables[place], in: folder.0, sharing) } catch {
        return (.unusable(error.fault), nil)
      }
      if look.differences < nearest?.look.differences ?? .max { nearest = (look, place) }
      if look.differences == 0 { break }
    }
    guard let (look, place) = nearest else { return (.file(folder.1.signature), nil) }
    return (look.observation(keepingEdits: keepingEdits), place)
  }

  /// The same by listings.
  package func observe(
    tree path: RelativePath, by listings: [TreeListing], keepingEdits: Bool
  ) -> (OutputObservation, TreeListing?) {
    let (found, place) = observe(tree: path, by: listings.map(TreeTable.init), keepingEdits: keepingEdits)
    return (found, place.map { listings[$0] })
  }

  /// The recorded files and links that are not as recorded, and the entries that are not there, in order.
  package func edits(
    tree path: RelativePath, of listing: TreeListing
  ) -> (edited: [[UInt8]], missing: [[UInt8]]) {
    guard let (folder, _) = try? open(tree: path), let look = try? TreeLook(TreeTable(listing), in: folder)
    else {
      return ([], Array(listing.entries.paths))
    }
    return (
      look.edited.map { listing.entries.path(at: $0.place) },
      look.missing.map { listing.entries.path(at: $0) }
    )
  }

  /// The listing with the present signature of each entry whose bytes are as recorded although its signature is not.
  ///
  /// A crash while a new tree is put in place has this effect, and so has `touch`. `digest` gives the sha256 of an
  /// open file. Entries without a signature, which were edited before, are examined too.
  package func settled(
    tree path: RelativePath, of listing: TreeListing,
    digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) throws(FailureCause) -> TreeListing {
    let top: OpenFolder
    do throws(WalkError) { top = try open(tree: path).0 } catch {
      if case .fault(.system) = error { throw error.cause(path, as: .source(path.text)) }
      return listing
    }
    return try top.settled(listing, as: path, digest: digest)
  }

  /// The folder at an output's path; the fault is a link, a file or a device there, or what is on the way.
  func open(tree path: RelativePath) throws(WalkError) -> (OpenFolder, FileStatus) {
    let place = Place(path)
    let parent = try walk(to: place)
    let status = try status(of: place.name, in: parent)
    if let fault = status.treeFault { throw .fault(fault) }
    do throws(SystemError) {
      let folder = try OpenFolder(place.name, in: parent)
      return (folder, try folder.status())
    } catch {
      throw WalkError(error)
    }
  }
}

extension OpenFolder {
  /// Whether everything that `listing` has is here, and is as it says; with `keepingEdits` edited entries count, too.
  func holds(_ listing: TreeListing, keepingEdits: Bool = false) -> Bool {
    guard let look = try? TreeLook(TreeTable(listing), in: self) else { return false }
    return keepingEdits ? look.missing.isEmpty : look.differences == 0
  }

  /// ``RootFolder/settled(tree:of:digest:)`` for this folder, which messages call `path`.
  func settled(
    _ listing: TreeListing, as path: RelativePath, digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) throws(FailureCause) -> TreeListing {
    var (settled, walker) = (listing, TreeWalker(self))
    let look = try FailureSubject.source(path.text).attempt { () throws(SystemError) in
      try TreeLook(TreeTable(listing), in: self)
    }
    lazy var givesExecution = listing.isExecutableThroughout(self)
    for (place, _) in look.edited {
      let entry = listing.entries[place]
      let subject = FailureSubject.source(path.text(of: entry.path))
      // It may be another one by now.
      let found = try subject.attempt { () throws(SystemError) in
        try ifThere { () throws(SystemError) in try walker.place(of: entry.path) }
      }
      guard let (folder, name) = found else { continue }
      switch entry.kind {
      case .folder: continue
      case .link(let target):
        let status = try subject.attempt { () throws(SystemError) in
          try ifThere { () throws(SystemError) in
            try folder.target(of: name) == target ? try folder.status(of: name) : nil
          }
        }
        guard let status else { continue }
        settled.entries.set(status.signature, at: place)
      case .file(let sha256, let isExecutable):
        let file = try folder.file(name, of: entry.size, subject) {
          $0 == isExecutable || $0 && givesExecution
        }
        guard let readable = file, try CompactDigest(digest(readable)) == sha256,
          (try? readable.requireUnchanged()) != nil
        else { continue }
        settled.entries.set(readable.signature, at: place)
      }
    }
    return settled
  }

  /// The file with that size, if its x bit is allowed; `nil` if it is another one, or must not be read.
  private func file(
    _ name: FileName, of size: Int64, _ subject: FailureSubject, mayBeExecutable: (Bool) -> Bool
  ) throws(FailureCause) -> ReadableFile? {
    try subject.attempt { () throws(SystemError) in
      do throws(SystemError) {
        let file = try open(name, O_RDONLY)
        let status = try FileStatus(file)
        guard status.kind == .file, status.signature.size == size, mayBeExecutable(status.isExecutable) else {
          return nil
        }
        return ReadableFile(file, status.signature, subject)
      } catch {
        guard error.isAbsence || [EACCES, EPERM, ENXIO].contains(error.code) else { throw error }
        return nil
      }
    }
  }
}

extension FileStatus {
  /// Why a folder output cannot be there; `nil` for a folder.
  var treeFault: PathFault? { kind == .folder ? nil : fault ?? .isFile }

  /// As a listing has it: any of the three bits.
  var isExecutable: Bool { mode & 0o111 != 0 }
}

extension RelativePath {
  /// The path from the root of something in this folder, for messages.
  func text(of path: [UInt8]) -> String { text + "/" + String(decoding: path, as: UTF8.self) }
}

/// How the entries of a listing differ from what is on the disk.
private struct TreeLook {
  /// Entries that one thread looks at before it asks for more: they take longer than starting a thread.
  private static let stretch = 512

  let table: TreeTable
  /// The numbers of the entries in whose place is something else, with its signature if it has one.
  private(set) var edited: [(place: Int, found: FileSignature?)] = []
  /// The numbers of those that are not there.
  private(set) var missing: [Int] = []

  var differences: Int { edited.count + missing.count }

  /// Fails if an entry cannot be examined: that is no edit.
  init(_ table: TreeTable, in folder: OpenFolder, _ sharing: WorkSharing = { $0() }) throws(SystemError) {
    self.table = table
    let parts = try SharedWork.parts(of: table.rows.count, by: Self.stretch, sharing) {
      (range) throws(SystemError) in
      var part = Self(without: table)
      try part.look(at: range, in: folder)
      return part
    }
    edited = parts.flatMap(\.edited)
    missing = parts.flatMap(\.missing)
  }

  private init(without table: TreeTable) { self.table = table }

  private mutating func look(at range: Range<Int>, in top: OpenFolder) throws(SystemError) {
    var walker = TreeWalker(top)
    // That of the last row, or why it cannot be reached.
    var folder: Result<OpenFolder, SystemError> = .success(top)
    let table = table
    try unsafe table.withNames { (names) throws(SystemError) in
      for place in range {
        let row = table.rows[place]
        if !row.sharesFolder || place == range.lowerBound {
          do throws(SystemError) { folder = .success(try walker.folder(table.folder(of: row))) } catch {
            folder = .failure(error)
          }
        }
        do throws(SystemError) {
          let status = try unsafe folder.get().status(of: table.name(of: row, in: names))
          if !status.isRecorded(row.kind, row.signature) { edited.append((place, status.signature)) }
        } catch {
          guard error.isAbsence || [EACCES, EPERM].contains(error.code) else { throw error }
          // A file or a link in a folder's place is an edit.
          if error.code == ENOENT { missing.append(place) } else { edited.append((place, nil)) }
        }
      }
    }
  }

  /// What is missing; `nil` if nothing is.
  private var gap: FolderGap? {
    let files = missing.filter { table.rows[$0].kind != .folder }
    guard let first = files.first ?? missing.first else { return nil }
    return .files(
      files.count, of: table.rows.count { $0.kind != .folder },
      first: String(decoding: table.path(of: table.rows[first]), as: UTF8.self))
  }

  func observation(keepingEdits: Bool) -> OutputObservation {
    if edited.isEmpty || keepingEdits { return gap.map { .incomplete($0) } ?? .file(table.signature) }
    var (signature, hash) = (table.signature, StableHash())
    for (place, found) in edited {
      hash.add(table.path(of: table.rows[place]))
      guard let found else { continue }
      for number in [found.size, found.modified.nanoseconds, found.changed.nanoseconds] {
        hash.add(UInt64(bitPattern: number))
      }
      hash.add(found.inode)
    }
    for place in missing { hash.add(table.path(of: table.rows[place])) }
    signature.inode ^= max(hash.value, 1)
    return .file(signature)
  }
}

extension FileStatus {
  /// Whether this is what was recorded for an entry with that kind and signature.
  func isRecorded(_ recorded: TreeTable.Kind, _ signature: FileSignature?) -> Bool {
    // Patterns, not `==`: the comparison of another module's enum is a call for each entry.
    switch (recorded, kind) {
    case (.folder, .folder): true
    case (.file, .file), (.link, .link): signature == self.signature
    default: false
    }
  }

  /// Whether this is what was recorded for the entry.
  func isRecorded(_ entry: TreeListing.Entry) -> Bool { isRecorded(.init(entry.kind), entry.signature) }
}
