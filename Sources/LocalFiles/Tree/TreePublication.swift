import CSystemShim
import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension StagedTree {
  /// Puts the tree into the output's place in one step, if the output is still `expected`.
  ///
  /// Files with the same bytes keep inode and mtime, and what the rules of the contract say stays. `beforeExchange` is
  /// called with the listing of the new tree when all is ready and on the disk except the step itself: it stores the
  /// listing, so that the next run knows the tree whatever happens. It is called again if the system cannot exchange
  /// two folders; then each file is replaced on its own, by a journal that ``finishJournal(of:key:in:root:)``
  /// completes.
  ///
  /// Returns the listing with the signatures that the entries have in the end. Throws `.filesModified`, and
  /// `.outputUnwritable` and `.diskFull` with the path; then the folder is as it was, but for some files' ctimes, unless
  /// the journal was begun, and this tree can only be discarded. `sharing` may have it done by several threads.
  package func publish(
    over expected: OutputObservation, sharing: @escaping WorkSharing = { $0() },
    _ beforeExchange: (TreeListing) throws(FailureCause) -> Void
  ) throws(FailureCause) -> TreeListing {
    try publish(over: expected, byJournal: false, sharing: sharing, beforeExchange)
  }

  /// `byJournal`: does not try to exchange.
  func publish(
    over expected: OutputObservation, byJournal: Bool, sharing: @escaping WorkSharing = { $0() },
    _ beforeExchange: (TreeListing) throws(FailureCause) -> Void
  ) throws(FailureCause) -> TreeListing {
    guard isOpen else { throw .internalError("published twice: \(order.output)") }
    if case .unusable(let fault) = expected { throw .outputUnwritable(path: order.output.text, fault) }
    let place = try root.parentCreating(of: order.output)
    let found = try examined(over: expected)
    if isWithheld { try requireShared(found) }
    let survey = found?.survey
    let publication = TreePublication(
      tree: self, parent: place.folder, name: place.name, live: found?.live, survey, sharing)
    if let listing = try publication.unchanged() {
      try beforeExchange(listing)
      discard()
      return listing
    }
    if !byJournal, survey?.hasMounts != true, try publication.mayExchange(),
      let listing = try publication.exchange(beforeExchange)
    {
      return listing
    }
    return try publication.changeByJournal(beforeExchange)
  }

  /// Throws what ``publish(over:sharing:_:)`` would, if something is in the tree's way, or if a file that it shares with the
  /// folder in place has left that. Nothing is changed.
  package func requireFree(over expected: OutputObservation) throws(FailureCause) {
    try requireShared(try examined(over: expected))
  }

  /// Throws `.changedMeanwhile` with the path of the first file that was to be taken from the folder in place, and is no
  /// longer there or is another one.
  private func requireShared(_ found: (live: OpenFolder, survey: TreeSurvey)?) throws(FailureCause) {
    let shared = entries.indices.filter {
      made.live($0) != nil && found?.survey.isKept(entries.path(at: $0)) != true
    }
    guard shared.count > found?.survey.unchangedCount ?? 0 else { return }
    var walker = found.map { TreeWalker($0.live) }
    for place in shared {
      let path = entries.path(at: place)
      let status = try? walker?.status(of: found?.survey.place(of: path) ?? path)
      guard status?.signature == made.live(place) else {
        throw .outputUnwritable(path: order.output.text(of: path), .changedMeanwhile)
      }
    }
  }

  /// The folder in place and what becomes of it; `nil` if nothing is there. Throws if something is in the tree's way.
  private func examined(
    over expected: OutputObservation
  ) throws(FailureCause) -> (live: OpenFolder, survey: TreeSurvey)? {
    guard let live = try openLive() else { return nil }
    let survey = try attempt([]) { () throws(SystemError) in
      try TreeSurvey(self, of: live, wasMissing: expected.isMissing)
    }
    if let failure = survey.failure { throw failure }
    try StayingLinks(self, survey, in: live)?.requireInside()
    return (live, survey)
  }

  /// `nil` if nothing is there.
  private func openLive() throws(FailureCause) -> OpenFolder? {
    do throws(WalkError) { return try root.open(tree: order.output).0 } catch {
      guard case .missing = error else { throw error.cause(order.output) }
      return nil
    }
  }
}

/// The steps by which a staged tree takes the place of the live one.
private final class TreePublication {
  /// In entries: each takes several calls to the system.
  private static let stretch = 32

  private let tree: StagedTree
  private let parent: OpenFolder
  private let name: FileName
  /// `nil` if nothing is there.
  private var live: TreeWalker?
  private let survey: TreeSurvey?
  private let sharing: WorkSharing
  /// The tree's entries; those that were linked have their present signatures, and the others none.
  private var linked: TreeEntries
  /// The folders that got names, since the tree was synced.
  private var changed: Set<[UInt8]> = []

  init(
    tree: StagedTree, parent: OpenFolder, name: String, live: OpenFolder?, _ survey: TreeSurvey?,
    _ sharing: @escaping WorkSharing
  ) {
    self.sharing = sharing
    self.tree = tree
    linked = tree.entries.withoutSignatures
    self.parent = parent
    self.name = FileName(name.utf8)
    self.live = live.map { TreeWalker($0) }
    self.survey = survey
  }

  /// Whether both are on one device.
  func mayExchange() throws(FailureCause) -> Bool {
    let folder = live?.top ?? parent
    return try tree.attempt([]) { () throws(SystemError) in
      try folder.status().device == tree.state.device
    }
  }

  /// The new listing if the live folder already is what it is to become, else `nil`.
  func unchanged() throws(FailureCause) -> TreeListing? {
    guard let survey, survey.removesNothing, survey.unchangedCount == tree.made.count, var live else {
      return nil
    }
    for place in tree.entries.indices where tree.entries.isFolder(at: place) {
      guard (try? live.status(of: tree.entries.path(at: place)))?.kind == .folder else { return nil }
    }
    return try listing(from: live.top)
  }

  /// `nil` if the system cannot do it; then all is as before but for some ctimes.
  func exchange(
    _ beforeExchange: (TreeListing) throws(FailureCause) -> Void
  ) throws(FailureCause) -> TreeListing? {
    try removeKept()
    try gather()
    var listing = try listing()
    try beforeExchange(listing)
    do throws(SystemError) { try exchange() } catch {
      guard error.isUnsupported || [EXDEV, EBUSY].contains(error.code) else {
        throw FailureSubject.output(tree.order.output.text).cause(error)
      }
      try release()
      return nil
    }
    (tree.isOpen, tree.isBegun) = (false, true)
    do throws(FailureCause) { try tree.root.syncFolders(of: [tree.order.output]) } catch {
      // The new tree may not be on the disk, so the old one stays until the next run.
      clearOld(listing, removes: false)
      throw error
    }
    try? tree.home.sync()
    clearOld(listing, removes: true)
    refresh(&listing)
    return listing
  }

  // MARK: Before the step

  /// Removes the new entries in whose place something else stays.
  private func removeKept() throws(FailureCause) {
    for path in survey?.kept ?? [] { try tree.attempt(path) { () throws(SystemError) in try remove(path) } }
  }

  /// Completes the staged tree by what stays of the live one.
  private func gather() throws(FailureCause) {
    let unused = TreeLinker(live: live?.top, staged: tree.staged.top, survey)
    var linker = unused
    for item in survey?.carried ?? [] {
      try tree.attempt(item.path) { () throws(SystemError) in try linker.carry(item) }
    }
    let parts = try SharedWork.parts(of: tree.entries.count, by: Self.stretch, sharing) {
      [tree, survey] (range) throws(FailureCause) in
      var (linker, linked) = (unused, [(place: Int, signature: FileSignature)]())
      for place in range {
        guard let signature = tree.made.live(place) else { continue }
        let path = tree.entries.path(at: place)
        if survey?.isKept(path) == true { continue }
        let now = try tree.attempt(path) { () throws(SystemError) in try linker.reuse(path, signature) }
        guard let now else { throw .edited([path]) }
        linked.append((place, now))
      }
      return (linked: linked, changed: linker.changed)
    }
    for part in parts { for file in part.linked { linked.set(file.signature, at: file.place) } }
    changed = parts.reduce(linker.changed) { $0.union($1.changed) }
    try touchWritten()
    try tree.attempt([]) { () throws(SystemError) in
      try copyModes()
      if !changed.isEmpty { try sync() }
    }
  }

  private func isKept(_ path: [UInt8]) -> Bool { survey?.isKept(path) == true }

  /// The paths of the files and links that are written anew.
  private var written: some Sequence<[UInt8]> {
    let (made, survey) = (tree.made, survey)
    return made.files.lazy.filter { made.isStaged($0) }.map { made.entries.path(at: $0) }
      .filter { survey?.isKept($0) != true }
  }

  private func remove(_ path: [UInt8]) throws(SystemError) {
    tree.staged.forget()
    guard let (folder, name) = try? tree.staged.place(of: path) else { return }
    folder.removeAll(name)
  }

  /// What was made from the old files during the unpacking must look older than the new ones.
  private func touchWritten() throws(FailureCause) {
    guard live != nil, !tree.order.rules.keepsTimes else { return }
    for path in written {
      try tree.attempt(path) { () throws(SystemError) in
        let (folder, name) = try tree.staged.place(of: path)
        try folder.touch(name)
      }
    }
  }

  /// Folders keep their permission bits and, if the system allows it, their groups.
  private func copyModes() throws(SystemError) {
    guard let live else { return }
    let top = try live.top.status()
    for (path, mode, group) in (survey?.modes ?? []) + [([], top.mode, top.group)] {
      guard let folder = try ifThere({ () throws(SystemError) in try tree.staged.folder(path[...]) }) else {
        continue
      }
      let now = try folder.status()
      if now.group != group { try? folder.takeGroup(group, handingOn: mode) }
      if now.group != group || now.mode != mode { try folder.setMode(mode) }
    }
  }

  private func sync() throws(SystemError) {
    if changed.count > RootFolder.fewFiles {
      do throws(SystemError) {
        return try Descriptor(".", in: tree.staged.top.raw, O_RDONLY | O_DIRECTORY).syncFileSystem()
      } catch {
        guard error.code == ENOSYS else { throw error }
      }
    }
    for path in changed.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      try tree.staged.folder(path[...]).sync()
    }
  }

  /// The new tree's, with the signatures that its files have in the staged folder.
  private func listing() throws(FailureCause) -> TreeListing {
    var entries = linked
    for place in tree.made.files where linked.signature(at: place) == nil {
      let path = entries.path(at: place)
      if isKept(path) { continue }
      let signature = try tree.attempt(path) { () throws(SystemError) in
        try tree.staged.status(of: path).signature
      }
      entries.set(signature, at: place)
    }
    return TreeListing(entries, signature: try tree.newSignature(), folder: try tree.folderNumber())
  }

  // MARK: The step

  private func exchange() throws(SystemError) {
    guard let live else {
      return try tree.home.moveNew(tree.name, to: name, in: parent)
    }
    let expected = try live.top.status().signature.inode
    try exchangeOnce()
    do throws(SystemError) {
      // Another folder that came in the last moment was never looked at.
      guard try tree.home.status(of: tree.name).signature.inode == expected else { throw SystemError(ESTALE) }
    } catch {
      try exchangeOnce()
      throw error
    }
  }

  private func exchangeOnce() throws(SystemError) {
    try call {
      unsafe syncmake_rename_exchange(
        tree.home.raw, tree.name.characters, parent.raw, name.characters)
    }
  }

  /// Removes what ``gather()`` has linked.
  private func release() throws(FailureCause) {
    tree.staged.forget()
    let reused = tree.entries.indices.filter { tree.made.live($0) != nil }
    for path in (survey?.carried ?? []).map(\.path) + reused.map({ tree.entries.path(at: $0) }) {
      guard let (folder, name) = try? tree.staged.place(of: path) else { continue }
      folder.removeAll(name)
    }
    tree.staged.forget()
    for place in reused {
      guard var known = tree.made.live(place), let now = try present(tree.entries.path(at: place)),
        now.isSame(as: known)
      else { continue }
      known.changed = now.changed
      tree.made.set(live: known, at: place)
    }
    linked = tree.entries.withoutSignatures
  }

  /// The signature of what is at `path` in the live folder; `nil` if nothing is there.
  private func present(_ path: [UInt8]) throws(FailureCause) -> FileSignature? {
    try tree.attempt(path) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in try live?.status(of: place(of: path)).signature }
    }
  }

  /// A file system may take two spellings of one name for two files in what it says of them.
  private func place(of path: [UInt8]) -> [UInt8] { survey?.place(of: path) ?? path }

  // MARK: File by file

  /// Changes the live folder itself.
  func changeByJournal(
    _ beforeChange: (TreeListing) throws(FailureCause) -> Void
  ) throws(FailureCause) -> TreeListing {
    try removeKept()
    try touchWritten()
    for place in tree.entries.indices {
      guard let signature = tree.made.live(place) else { continue }
      let path = tree.entries.path(at: place)
      if isKept(path) { continue }
      guard try present(path) == signature else { throw .edited([path]) }
      linked.set(signature, at: place)
    }
    let prepared = try listing()
    try beforeChange(prepared)
    // In this order: what is edited between the two is found by one of them.
    let replaced = try replaced()
    try requireUnedited()
    let removed = try tree.attempt([]) { () throws(SystemError) in try removals() }
    let journal = TreeJournal(
      output: tree.order.output, staged: tree.name, removals: removed.files, emptied: removed.folders,
      replaced: replaced)
    do throws(FailureCause) {
      try journal.write(tree.order.key, in: tree.state)
      try begin()
    } catch {
      // It may have its name, and would be completed although this folder is discarded.
      TreeJournal.drop(tree.order.key, in: tree.state)
      throw error
    }
    (tree.isOpen, tree.isBegun) = (false, true)
    let edited = try journal.finish(tree.order.key, in: tree.state, root: tree.root)
    var listing = try listing(from: try tree.root.open(published: tree.order.output))
    // With the new file's signature, what is in its place shows as an edit.
    for place in listing.entries.indices where edited.contains(listing.entries.path(at: place)) {
      listing.entries.set(prepared.entries.signature(at: place), at: place)
    }
    return listing
  }

  /// The first step, without which nothing is changed.
  private func begin() throws(FailureCause) {
    let (parent, name) = try tree.root.parentCreating(of: tree.order.output)
    try tree.attempt([]) { () throws(SystemError) -> Void in
      guard let top = live?.top else {
        try parent.createFolder(name)
        return
      }
      do throws(SystemError) { try call { unsafe faccessat(top.raw, ".", W_OK, 0) } } catch {
        // Who may write to which folder in it shows at each file.
        if error.code == EROFS { throw error }
      }
    }
  }

  /// Throws if a file that is to be replaced or removed was edited after the survey, unless edits are to be replaced.
  private func requireUnedited() throws(FailureCause) {
    guard let survey, tree.order.edits != .overwrite else { return }
    var edited: [[UInt8]] = []
    for path in Array(written) + survey.removed {
      guard let known = survey.signature(path), let now = try present(path) else { continue }
      if !now.isSame(as: known) { edited.append(path) }
    }
    if !edited.isEmpty { throw .edited(edited) }
  }

  /// What is in the places of the new files and links; `nil` if edits of them are to be replaced.
  private func replaced() throws(FailureCause) -> [TreeJournal.Replaced]? {
    guard tree.order.edits != .overwrite else { return nil }
    var replaced: [TreeJournal.Replaced] = []
    for path in written {
      replaced.append(TreeJournal.Replaced(path: path, signature: try present(path)))
    }
    return replaced
  }

  /// The files and links that are removed, and the folders that are removed then if they are empty.
  ///
  /// A file in whose place a new one comes is not removed: each is old or new throughout.
  private func removals() throws(SystemError) -> (files: [TreeJournal.Removal], folders: [[UInt8]]) {
    guard let survey, var live else { return ([], []) }
    var files: [[UInt8]: FileSignature] = [:]
    var folders = Set(survey.emptied.map { survey.place(of: $0) })
    for path in survey.removed + survey.dropped {
      let place = survey.place(of: path)
      guard let status = try ifThere({ () throws(SystemError) in try live.status(of: place) }) else {
        continue
      }
      if status.kind == .folder {
        try Self.list(try live.folder(place[...]), place, &files, &folders)
      } else if tree.made.place(of: path) == nil {
        files[place] = status.signature
      }
    }
    return (
      files.map { TreeJournal.Removal(path: $0.key, signature: $0.value) }
        .sorted { $0.path.lexicographicallyPrecedes($1.path) },
      folders.sorted { $1.lexicographicallyPrecedes($0) }
    )
  }

  /// Lists everything in `folder`, and itself.
  private static func list(
    _ folder: OpenFolder, _ path: [UInt8], _ files: inout [[UInt8]: FileSignature],
    _ folders: inout Set<[UInt8]>
  ) throws(SystemError) {
    folders.insert(path)
    for name in try folder.entries() {
      let (entry, status) = (path.appending(name), try folder.status(of: name))
      if status.kind == .folder {
        try list(try OpenFolder(name, in: folder), entry, &files, &folders)
      } else {
        files[entry] = status.signature
      }
    }
  }

  /// With the signatures in the live folder.
  private func listing(from live: OpenFolder) throws(FailureCause) -> TreeListing {
    var (entries, walker) = (tree.entries.withoutSignatures, TreeWalker(live))
    for place in tree.made.files {
      let path = entries.path(at: place)
      // What was removed meanwhile shows as missing.
      if !isKept(path) { entries.set(try? walker.status(of: path).signature, at: place) }
    }
    let folder = try? live.status().signature.inode
    return TreeListing(entries, signature: try tree.newSignature(), folder: folder)
  }

  // MARK: After it: nothing may fail any more

  /// See ``OldTree``; `listing` describes the new tree.
  private func clearOld(_ listing: TreeListing, removes: Bool) {
    guard let old = live?.top else { return }
    OldTree(tree: tree, survey: survey, listing: listing).clear(
      old, besides: name, in: parent, removes: removes, sharing)
  }

  /// Linking changed the ctime of the files that stay, and so did the removal of their old names.
  private func refresh(_ listing: inout TreeListing) {
    let parts = SharedWork.parts(of: listing.entries.count, by: Self.stretch, sharing) {
      [tree, listing] range in
      var (walker, changes) = (TreeWalker(tree.staged.top), [(place: Int, time: Timestamp)]())
      for place in range {
        guard let known = listing.entries.signature(at: place), tree.made.live(place) != nil,
          let now = try? walker.status(of: listing.entries.path(at: place)).signature
        else { continue }
        // Any other change is an edit, and shows as one.
        if now.isSame(as: known) { changes.append((place, now.changed)) }
      }
      return changes
    }
    for change in parts.joined() {
      guard var signature = listing.entries.signature(at: change.place) else { continue }
      signature.changed = change.time
      listing.entries.set(signature, at: change.place)
    }
  }
}

extension RootFolder {
  fileprivate func open(published path: RelativePath) throws(FailureCause) -> OpenFolder {
    do throws(WalkError) { return try open(tree: path).0 } catch { throw error.cause(path) }
  }
}
