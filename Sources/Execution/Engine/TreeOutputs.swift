import ContentPipeline
import LocalFiles
import Platform
import StateStore
import SyncModel

/// The folder outputs of a root: what is in them, judged by the listings in the state folder.
struct TreeOutputs: Sendable {
  let root: RootFolder
  let shelf: TreeShelf
  let statePath: String
  /// The listings of folders whose targets have left.
  let earlierShelf: TreeShelf
  /// What was learnt of folders in this run.
  let learnt = Monitor(Learnt())

  /// What is kept of folders, so that it need not be read again.
  struct Learnt {
    /// The last listings that were read of a folder whose target has left.
    var earlier: (folder: RelativePath, listings: [TreeListing])?
    /// The listings of folders in which other targets have written since, with what these have put there.
    var writtenOver: [RelativePath: TreeListing] = [:]
    /// What may have been edited in folders before they were unpacked.
    var noted: [RelativePath: [EarlierEdit]] = [:]
  }

  /// Edited files that a failure names.
  static let mostNamed = 10

  /// `statePath` is that of the state folder; `others` are those of further states whose listings count, too, and
  /// `earlier` those that may know of targets that have left.
  init(_ root: RootFolder, statePath: String, others: [String] = [], earlier: [String] = []) {
    self.root = root
    self.statePath = statePath
    shelf = TreeShelf(stateFolder: statePath, others: others)
    earlierShelf = TreeShelf(stateFolder: statePath, others: earlier)
  }

  /// The name of a folder's listing.
  static func key(of output: RelativePath) -> String { BodyIntake.key(of: output) }

  /// What is there: a file with the listing's signature stands for a folder in which every recorded entry is as it was
  /// unpacked. A folder whose change by a journal was interrupted counts as missing until a run has completed it.
  func observe(_ output: RelativePath, keepingEdits: Bool) -> OutputObservation {
    look(output, keepingEdits: keepingEdits).0
  }

  /// The listing that describes the folder; `nil` if none is known.
  ///
  /// Files whose bytes are as recorded have their present signatures: neither `touch` nor a crash makes an edit. What other
  /// targets have written over counts as recorded, too.
  func listing(of output: RelativePath, keepingEdits: Bool) -> TreeListing? {
    let listing = settledListing(of: output, keepingEdits: keepingEdits)
    guard let over = learnt.withLock({ $0.writtenOver[output] }), over.signature == listing?.signature else {
      return listing
    }
    return over
  }

  func settledListing(of output: RelativePath, keepingEdits: Bool) -> TreeListing? {
    guard let listing = look(output, keepingEdits: keepingEdits).1?.listing else { return nil }
    let settled = try? root.settled(tree: output, of: listing) { file throws(FailureCause) in
      try Self.sha256(file)
    }
    // What cannot be read counts as edited.
    return settled ?? listing
  }

  /// What is there, and the listing as it was stored.
  func look(_ output: RelativePath, keepingEdits: Bool) -> (OutputObservation, StoredListing?) {
    let key = Self.key(of: output)
    let stored = shelf.stored(key)
    let (found, place) = root.observe(
      tree: output, by: stored.map(\.table), keepingEdits: keepingEdits, sharing: Self.withHelp)
    let hasJournal = StagedTree.hasJournal(of: output, key: key, statePath: statePath)
    let seen = hasJournal && found != .missing ? .incomplete(.interruptedChange) : found
    return (seen, place.map { stored[$0] })
  }

  /// Whether the folder `name` in `folder`, a path from the root, is seen as a listing with this signature has it.
  func has(_ signature: FileSignature, _ name: String, in folder: String, keepingEdits: Bool) -> Bool {
    guard let output = try? RelativePath(folder.isEmpty ? name : "\(folder)/\(name)") else { return false }
    return observe(output, keepingEdits: keepingEdits) == .file(signature)
  }

  /// Runs `job` here and on a second thread: most of what is done with many files is system calls.
  static func withHelp(_ job: @escaping @Sendable () -> Void) {
    let helper = WorkerPool(threads: 1)
    helper.submit(job)
    job()
    helper.shutDown()
  }

  /// The tree digest and the size of what is there of the recorded entries; if some are missing and no other was edited,
  /// of all of them.
  ///
  /// Files are only read if their signature is not the recorded one. `mayWrite`: the run lock is held, and what was
  /// learnt is stored, so that it need not be read again. Files that make up the `locked` tree are no edits: then they are
  /// recorded in place of those that were unpacked.
  func read(
    _ output: RelativePath, keepingEdits: Bool, mayWrite: Bool, locked: HexDigest? = nil,
    isInVain: () -> Bool
  ) throws(FailureCause) -> OutputReading {
    let key = Self.key(of: output)
    let listings = shelf.read(key)
    // With edits kept, each of them fits whose files are all there: also one that never got its place.
    let own = keepingEdits ? look(output, keepingEdits: true).1?.listing : nil
    var partial: (listing: TreeListing, gap: FolderGap)?
    func found(_ settled: TreeListing, gap: FolderGap? = nil) -> OutputReading {
      // With a gap it is not known which of two listings is the folder's.
      if mayWrite, gap == nil || listings.count == 1 {
        // If it cannot be stored, the files are read again next time.
        if settled != listings.first { try? shelf.write(settled, as: key, isNext: true) }
        try? shelf.promote(key)
      }
      return OutputReading(
        content: ContentIdentity(size: settled.signature.size, sha256: settled.digest), gap: gap)
    }
    for listing in own.map({ [$0] }) ?? listings {
      let settled = try root.settled(tree: output, of: listing) { file throws(FailureCause) in
        try Self.sha256(file, isInVain: isInVain)
      }
      let (now, _) = root.observe(tree: output, by: [settled], keepingEdits: keepingEdits)
      if case .unusable(let fault) = now { throw .outputUnwritable(path: output.text, fault) }
      if now == .file(settled.signature) { return found(settled) }
      if case .incomplete(let gap) = now, partial == nil { partial = (settled, gap) }
    }
    if let partial { return found(partial.listing, gap: partial.gap) }
    guard let listing = listings.last else {
      return OutputReading(content: ContentIdentity(size: 0, sha256: nil))
    }
    let present = try edited(listing, of: output, isInVain: isInVain)
    let digest = present.digest
    // If it cannot be stored, they count as edits until it can. What is missing here another checkout may bring back.
    if mayWrite, digest == locked, present.entries.count == listing.entries.count,
      (try? shelf.write(present, as: key, isNext: true)) != nil
    {
      try? shelf.promote(key)
    }
    return OutputReading(content: ContentIdentity(size: present.signature.size, sha256: digest))
  }

  /// The listing of the present files in the places of a listing's entries, some of which were edited.
  private func edited(
    _ listing: TreeListing, of output: RelativePath, isInVain: () -> Bool
  ) throws(FailureCause) -> TreeListing {
    let (edited, missing) = root.edits(tree: output, of: listing)
    let others = Set(edited)
    let gone = Set(missing)
    var present = listing
    present.entries = TreeEntries()
    for var entry in listing.entries where !gone.contains(entry.path) {
      if others.contains(entry.path) {
        // What is no file any more has no line.
        guard case .file = entry.kind,
          let path = try? RelativePath("\(output.text)/\(String(decoding: entry.path, as: UTF8.self))"),
          let file = try? root.open(path),
          let sha256 = try ContentDigest.of(file, [.sha256], isInVain: isInVain).sha256
        else { continue }
        entry.kind = .file(sha256: CompactDigest(sha256), isExecutable: try file.isExecutable)
        entry.size = file.signature.size
        entry.signature = file.signature
      }
      present.entries.append(entry)
    }
    // No record of other bytes may match it. Nobody knows when the folder got these files: at the latest with the newest.
    let times = present.entries.indices.compactMap { present.entries.signature(at: $0)?.modified }
    let time = times.max() ?? listing.signature.modified
    present.signature = FileSignature(
      size: present.entries.size, modified: time, changed: time,
      inode: .random(in: 1 ... .max))
    return present
  }

  /// The digest of a file in a folder output.
  static func sha256(
    _ file: ReadableFile, isInVain: () -> Bool = { false }
  ) throws(FailureCause) -> HexDigest {
    let content = try ContentDigest.of(file, [.sha256], isInVain: isInVain)
    guard let sha256 = content.sha256 else { throw .internalError("a file has no digest") }
    return sha256
  }

  /// What is at the target's output, a file or a folder, for commands that only look.
  func observe(_ target: Target) -> OutputObservation {
    switch OutputLook(target) {
    case .file: root.observe(target.path)
    case .folder: observe(target.path, keepingEdits: false)
    case .folderWithEdits: observe(target.path, keepingEdits: true)
    }
  }

  /// Reads the target's output, a file or a folder, for commands that only look.
  func read(_ target: Target, isInVain: () -> Bool = { false }) throws(FailureCause) -> OutputReading {
    guard target.output.isFolder else {
      return OutputReading(
        content: try ContentDigest.of(try root.open(target.path), [.sha256], isInVain: isInVain))
    }
    return try read(
      target.path, keepingEdits: OutputLook(target) == .folderWithEdits, mayWrite: false,
      isInVain: isInVain)
  }

  /// The failure that names the edited files; `nil` if there are none.
  func edits(in output: RelativePath) -> FailureCause? {
    guard let listing = listing(of: output, keepingEdits: false) else { return nil }
    let edited = root.edits(tree: output, of: listing).edited
    guard !edited.isEmpty else { return nil }
    return .filesModified(
      paths: edited.prefix(Self.mostNamed).map { String(decoding: $0, as: UTF8.self) }, count: edited.count)
  }
}

/// What reading an output has found.
struct OutputReading: Sendable {
  var content: ContentIdentity
  /// What a folder lacks in which nothing was edited; `nil` if it is whole.
  var gap: FolderGap?
  /// The digest of what is there; `nil` if something is missing.
  var sha256: HexDigest? { gap == nil ? content.sha256 : nil }
}

extension TreeListing {
  /// The tree digest (contract, section 10).
  var digest: HexDigest { Digester.sha256(of: entries.lazy.map(\.line)) }
}

extension RunContext {
  /// What is at the target's output.
  func observe(_ target: Target) -> OutputObservation {
    guard target.output.isFolder, let trees = state.trees else { return root.observe(target.path) }
    return trees.observe(target.path, keepingEdits: keepsEdits(target))
  }

  /// The target's folder after it was read, if nothing in it was edited: reading may have stored that changed files have the
  /// recorded bytes. `nil` for a file.
  func observeRead(_ target: Target, _ reading: OutputReading) -> OutputObservation? {
    guard target.output.isFolder, let trees = state.trees else { return nil }
    if let gap = reading.gap { return .incomplete(gap) }
    let (found, listing) = trees.look(target.path, keepingEdits: keepsEdits(target))
    return listing.flatMap { found == .file($0.table.signature) ? found : nil }
  }

  /// Whether edited files of its folder stay as they are, so that they are no edits of the target.
  func keepsEdits(_ target: Target) -> Bool {
    target.treeOrder(settings)?.keepsEdits == true
  }
}
