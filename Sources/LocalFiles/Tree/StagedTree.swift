import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder output's new content, which takes the place of the old one whole.
///
/// Entries of an archive are added one after the other. What differs from the folder in place, the *live* one, is
/// written to a folder in `staging/`; the rest is only noted, and is linked when the tree is published. Until then
/// nothing in the live folder is touched. Used by one thread at a time.
package final class StagedTree: @unchecked Sendable {
  /// What is to be made.
  package struct Order: Sendable {
    /// The folder's path.
    package var output: RelativePath
    /// The file name in `trees/` of what is stored about it.
    package var key: String
    /// How entries become files.
    package var rules: TreeRules
    /// What was recorded of the live folder; `nil` if nothing is known.
    package var old: TreeListing?
    /// What to do with recorded files that were edited, and with unrecorded ones in the way.
    package var edits: LocalChanges
    /// Where an untrusted manifest must change nothing; `nil` for any other manifest.
    package var places: ProtectedPlaces?

    /// `old` must describe the live folder as ``RootFolder/observe(tree:by:keepingEdits:)`` found it.
    package init(
      output: RelativePath, key: String, rules: TreeRules, old: TreeListing?, edits: LocalChanges,
      places: ProtectedPlaces? = nil
    ) {
      self.output = output
      self.key = key
      self.rules = rules
      self.old = old
      self.edits = edits
      self.places = places
    }

    /// Whether `prune: all` spares what nobody has recorded at `path`: what git keeps could not be had again.
    func spares(_ path: [UInt8], isFolder: Bool) -> Bool {
      OwnPlaces.folder(on: path) != nil
        || places?.fault(ofEntry: path, in: output.text, isFolder: isFolder) != nil
    }
  }

  /// An entry, and where its bytes are.
  struct Made {
    enum Source {
      /// In the staged folder.
      case staged
      /// At the same path in the live folder, which had this signature.
      case live(FileSignature)
    }

    var kind: TreeListing.Entry.Kind
    var size: Int64 = 0
    /// The archive's, for hard links.
    var mode: UInt16 = 0
    var modified: Timestamp?
    var source: Source

    var isStaged: Bool { if case .staged = source { true } else { false } }
  }

  package let order: Order
  let state: StateFolder
  let root: RootFolder
  /// The folder that it is in: `staging/`, or `withheld/`.
  private(set) var home: OpenFolder
  /// Its name there.
  private(set) var name: FileName
  /// Whether it stays there unless it is published.
  private(set) var isWithheld = false
  var staged: TreeWalker
  /// `nil` if there is no folder.
  var live: TreeWalker?
  /// The files and links, and where the bytes of each are.
  var made = MadeTree()
  /// The archive's folders, empty or not.
  private var folders: Set<[UInt8]> = []
  /// The recorded paths without case; `nil` where case counts, or nothing is recorded.
  private lazy var oldWithoutCase: Set<String>? = order.old.flatMap { old in
    ignoresCase ? Set(old.entries.paths.map { FoldedPath.key(of: $0) }) : nil
  }
  /// Whether the file system of the live folder gives all files an x bit.
  private(set) lazy var givesExecution =
    live.map { order.old?.isExecutableThroughout($0.top) == true } ?? false
  private var file: TreeFile?
  private var smallFiles: SmallFileWriter
  /// What is made, after ``finish()``; those that stay in the live folder have the signatures that they have there.
  var entries: TreeEntries { made.entries }
  /// Set by ``prepare()``.
  private var signature: FileSignature?
  /// Neither published nor discarded yet.
  var isOpen = true
  /// Whether its publication has begun to change the live folder; if it failed then, it may be complete or not.
  package var isBegun = false
  /// Lists a folder of the old tree; tests let it fail.
  var children: (OpenFolder) throws(SystemError) -> [(name: FileName, isFolder: Bool?)] = {
    (folder) throws(SystemError) in try folder.children()
  }

  /// An empty tree.
  package init(_ order: Order, in state: StateFolder, root: RootFolder) throws(FailureCause) {
    self.order = order
    self.state = state
    self.root = root
    let name = FileName("tree-\(state.names.next())".utf8)
    self.name = name
    home = state.staging
    let live = try Self.open(order.output, in: root)
    self.live = live
    staged = try FailureSubject.state(state.path(of: "staging"), in: state).attempt {
      () throws(SystemError) in
      try state.staging.createFolder(name)
      return TreeWalker(try OpenFolder(name, in: state.staging), like: live?.top)
    }
    smallFiles = SmallFileWriter(in: staged.top, like: live?.top, helper: nil)
    // What is made in it gets the group that it would get there, if the system allows it.
    if let old = try? live?.top.status() { try? staged.top.takeGroup(old.group, handingOn: old.mode) }
  }

  /// The live folder; `nil` if none is there, or something else, which is found when the tree is published.
  private static func open(
    _ output: RelativePath, in root: RootFolder
  ) throws(FailureCause) -> TreeWalker? {
    do throws(WalkError) { return TreeWalker(try root.open(tree: output).0) } catch {
      if case .fault(.system) = error { throw error.cause(output) }
      return nil
    }
  }

  deinit { discard() }

  /// Has many small files written on the helper's thread, too; call it before the first entry.
  package func use(_ helper: @escaping Helper) {
    smallFiles = SmallFileWriter(in: staged.top, like: live?.top, helper: helper)
  }

  /// Empties it, to be filled again.
  package func restart() throws(FailureCause) {
    file = nil
    smallFiles.stop()
    (made, folders, signature) = (MadeTree(), [], nil)
    staged.forget()
    for entry in (try? staged.top.entries()) ?? [] { staged.top.removeAll(entry) }
  }

  /// Drops it unless it is published; a second call does nothing.
  package func discard() {
    guard isOpen else { return }
    isOpen = false
    file = nil
    smallFiles.stop()
    if !isWithheld { home.removeAll(name) }
  }

  // MARK: Withholding

  /// Stores the tree as `key` for an update, replacing any older one; this object is not used afterwards.
  ///
  /// Call it after ``prepare()``, whose listing is needed to publish it, and after ``sync()``.
  package func withhold(as key: String) throws(FailureCause) {
    guard isOpen else { throw .internalError("withheld twice: \(order.output)") }
    try FailureSubject.state(state.path(of: "withheld")).attempt { () throws(SystemError) in
      let (folder, other) = (try state.withheld(), Self.withheldName(key))
      folder.removeAll(other)
      try home.move(name, to: other, in: folder)
    }
    isOpen = false
  }

  /// A tree that was withheld, to be published; it stays if it is discarded. `listing` is what ``prepare()`` returned. Due
  /// after ``dropLinks(withheld:_:in:)``.
  package init(
    withheld key: String, _ listing: TreeListing, _ order: Order, in state: StateFolder, root: RootFolder
  ) throws(FailureCause) {
    self.order = order
    self.state = state
    self.root = root
    let name = Self.withheldName(key)
    self.name = name
    (home, staged) = try FailureSubject.state(state.path(of: "withheld")).attempt { () throws(SystemError) in
      let folder = try state.withheld()
      return (folder, TreeWalker(try OpenFolder(name, in: folder)))
    }
    smallFiles = SmallFileWriter(in: staged.top, helper: nil)
    isWithheld = true
    signature = listing.signature
    made = MadeTree(of: listing.entries) { place in
      // Only what stays in the live folder has a signature. An interrupted attempt has changed its ctime.
      listing.entries.signature(at: place).map { recorded(listing.entries[place]) ?? $0 }
    }
    let emptyFolders = listing.entries.indices.filter { listing.entries.isFolder(at: $0) }
    folders = Set(emptyFolders.map { listing.entries.path(at: $0) })
  }

  static func withheldName(_ key: String) -> FileName {
    FileName("\(key)\(TreeJournal.withheldEnding)".utf8)
  }

  // MARK: Adding entries

  /// Begins a regular file, whose bytes follow; it replaces an earlier one of that path.
  ///
  /// `path` is relative, without `.`, `..` and doubled slashes. `size` and `mode` are the archive's. Throws
  /// `.outputUnwritable` with the entry's path, or `.diskFull`, as all of these do.
  package func beginFile(
    _ path: [UInt8], size: Int64, mode: UInt16, modified: Timestamp?
  ) throws(FailureCause) {
    guard file == nil, isOpen else { throw .internalError("file begun twice in a tree: \(order.output)") }
    let new = Made(
      kind: .folder, size: size, mode: mode, modified: modified, source: .staged)
    try dropEarlier(path)
    try attempt(path) { () throws(SystemError) in
      file = TreeFile(path, new, candidate: try candidate(path, for: mode), size: size)
    }
  }

  /// Appends bytes to the file begun last.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    guard let file else { throw .internalError("no file begun in a tree: \(order.output)") }
    try attempt(file.path) { () throws(SystemError) in
      try unsafe file.write(bytes) { () throws(SystemError) in try createFile(file.path, file.made.mode) }
    }
  }

  /// Ends the file begun last; `sha256` is that of its bytes.
  package func endFile(sha256: HexDigest) throws(FailureCause) {
    guard let file else { throw .internalError("no file begun in a tree: \(order.output)") }
    self.file = nil
    var new = file.made
    new.kind = .file(sha256: CompactDigest(sha256), isExecutable: new.mode & 0o111 != 0)
    new.size = file.size
    let recorded = recorded(TreeListing.Entry(path: file.path, kind: new.kind, size: new.size))
    let reusable = try attempt(file.path) { () throws(SystemError) in try file.reusable(recorded: recorded) }
    if let reusable { new.source = .live(reusable) } else { try finish(file, as: new) }
    made.add(file.path, new)
  }

  private func finish(_ file: TreeFile, as new: Made) throws(FailureCause) {
    let mode = order.rules.keepsModes ? bits(of: new.mode) : nil
    let modified = order.rules.keepsTimes ? new.modified : nil
    let path = file.path
    if let bytes = file.takeHeld() {
      let file = SmallFile(
        path: path, bytes: bytes, creationMode: bits(of: new.mode), mode: mode, modified: modified,
        output: order.output)
      try smallFiles.add(file, by: &staged)
    } else {
      try attempt(path) { () throws(SystemError) in
        try file.finish(mode: mode, modified: modified) { () throws(SystemError) in
          try createFile(path, new.mode)
        }
      }
    }
  }

  /// Adds a symbolic link; `target` as the archive has it.
  package func addLink(_ path: [UInt8], target: [UInt8]) throws(FailureCause) {
    var new = Made(kind: .link(target: target), source: .staged)
    try dropEarlier(path)
    try attempt(path) { () throws(SystemError) in
      guard !target.isEmpty, !target.contains(0) else { throw SystemError(EINVAL) }
      if let signature = try reusableLink(path, target) {
        new.source = .live(signature)
      } else {
        let (folder, name) = try staged.place(of: path, creating: true)
        try folder.createLink(name, target: target)
      }
    }
    made.add(path, new)
  }

  /// The size of the file at `path` in bytes; `nil` if there is none.
  package func size(ofFile path: [UInt8]) -> Int64? {
    guard let new = made[path], case .file = new.kind else { return nil }
    return new.size
  }

  /// Adds a file with the bytes and properties of an earlier one of this tree, which stays a file of its own.
  package func addHardLink(
    _ path: [UInt8], to earlier: [UInt8], _ isCancelled: () -> Bool
  ) throws(FailureCause) {
    guard let source = made[earlier], case .file(let sha256, _) = source.kind, path != earlier else {
      throw .internalError("hard link to no file of a tree: \(order.output)")
    }
    if source.isStaged { try smallFiles.settle(by: &staged) }
    let bytes = try attempt(earlier) { () throws(SystemError) in try open(earlier, source) }
    try beginFile(path, size: source.size, mode: source.mode, modified: source.modified)
    let failure: FailureCause? = try attempt(earlier) { () throws(SystemError) in
      var failure: FailureCause?
      try unsafe bytes.readBlocks { block in
        do throws(FailureCause) {
          if isCancelled() { throw .internalError("cancelled") }
          try unsafe write(block)
        } catch { failure = error }
        return failure == nil
      }
      // The digest is that of the earlier file, not of what was read now.
      if case .live(let signature) = source.source, try FileStatus(bytes).signature != signature {
        throw SystemError(ESTALE)
      }
      return failure
    }
    if let failure { throw failure }
    guard file?.size == source.size else {
      throw .sourceUnreadable(path: order.output.text(of: earlier), .changedMeanwhile)
    }
    try endFile(sha256: sha256.hex)
  }

  /// Adds a folder, which is listed if it remains empty; its mode is not taken.
  package func addFolder(_ path: [UInt8]) throws(FailureCause) {
    guard !path.isEmpty else { return }
    try attempt(path) { () throws(SystemError) in _ = try staged.folder(path[...], creating: true) }
    folders.insert(path)
  }

  // MARK: When all entries are there

  /// The archive's entries in the order of their paths; folders only if they are empty.
  package func finish() throws(FailureCause) -> TreeEntries {
    guard file == nil else { throw .internalError("file not ended in a tree: \(order.output)") }
    try smallFiles.settle(by: &staged)
    let filled =
      folders.isEmpty ? [] : [[UInt8]].folders(above: entries.paths).union([[UInt8]].folders(above: folders))
    made.complete(with: folders.subtracting(filled))
    return entries
  }

  /// How many files and links differ from those recorded; those that are written again count as changed.
  ///
  /// Call it after ``finish()``.
  package var changes: TreeChanges {
    let live =
      order.edits == .keep || order.rules.pruning == .all ? try? root.open(tree: order.output).0 : nil
    let survey = live.flatMap { try? TreeSurvey(self, of: $0, wasMissing: false) }
    return TreeChanges(
      of: entries, since: order.old?.entries ?? TreeEntries(), order.rules.pruning,
      staying: survey?.staying ?? [],
      dropsOthers: survey?.dropped.contains { made.place(of: $0) == nil } ?? false
    ) { made.isStaged($0) && survey?.isKept(entries.path(at: $0)) != true }
  }

  /// The new listing; its entries have no signatures yet, except those that stay as they are.
  ///
  /// Its own signature is that of the listing that ``publish(over:sharing:_:)`` returns.
  package func prepare() throws(FailureCause) -> TreeListing {
    TreeListing(entries, signature: try newSignature(), folder: try folderNumber())
  }

  /// The inode number of the staged folder.
  func folderNumber() throws(FailureCause) -> UInt64 {
    let folder = staged.top
    return try attempt([]) { () throws(SystemError) in try folder.status().signature.inode }
  }

  /// A random inode number, and the present as both times.
  func newSignature() throws(FailureCause) -> FileSignature {
    if let signature { return signature }
    let folder = staged.top
    let now = try attempt([]) { () throws(SystemError) in
      let descriptor = try Descriptor(".", in: folder.raw, O_RDONLY | O_DIRECTORY)
      try descriptor.touch()
      return try FileStatus(descriptor).signature.modified
    }
    let new = FileSignature(
      size: entries.size, modified: now, changed: now, inode: .random(in: 1 ... .max))
    signature = new
    return new
  }

  /// Waits until all that was written is on the disk; due before it is published.
  package func sync() throws(FailureCause) {
    try attempt([]) { () throws(SystemError) in try syncStaged() }
  }

  // MARK: Helpers

  /// The permission bits that a file gets.
  func bits(of mode: UInt16) -> UInt16 {
    if order.rules.keepsModes { return mode & 0o777 }
    return (mode & 0o111 != 0 ? 0o755 : 0o644) & ~UInt16(root.umask)
  }

  private func dropEarlier(_ path: [UInt8]) throws(FailureCause) {
    guard let earlier = made.drop(path), earlier.isStaged else { return }
    try smallFiles.settle(by: &staged)
    try attempt(path) { () throws(SystemError) in
      let (folder, name) = try staged.place(of: path)
      try folder.remove(name)
    }
  }

  private func createFile(_ path: [UInt8], _ mode: UInt16) throws(SystemError) -> Descriptor {
    let (folder, name) = try staged.place(of: path, creating: true)
    return try folder.open(name, O_RDWR | O_CREAT | O_EXCL, mode: mode_t(bits(of: mode)))
  }

  /// The live file at `path`, if its mode is right for a new one.
  private func candidate(_ path: [UInt8], for mode: UInt16) throws(SystemError) -> TreeFile.Candidate? {
    // A recorded file whose name had another case gets the name that it has now.
    if let oldWithoutCase, order.old?[path] == nil, oldWithoutCase.contains(FoldedPath.key(of: path)) {
      return nil
    }
    // If an error counted as a missing file, an unchanged one would be replaced.
    guard let (folder, name) = try ifThere({ () throws(SystemError) in try live?.place(of: path) }),
      let status = try ifThere({ () throws(SystemError) in try folder.status(of: name) }),
      status.kind == .file, status.mode & 0o7000 == 0, isRight(status, for: mode)
    else { return nil }
    return TreeFile.Candidate(folder: folder, name: name, signature: status.signature)
  }

  /// The recorded signature, if the record says the same of that path.
  private func recorded(_ entry: TreeListing.Entry) -> FileSignature? {
    order.old?[entry.path].flatMap { $0.isSame(as: entry) ? $0.signature : nil }
  }

  private func reusableLink(_ path: [UInt8], _ target: [UInt8]) throws(SystemError) -> FileSignature? {
    guard let (folder, name) = try ifThere({ () throws(SystemError) in try live?.place(of: path) }),
      let status = try ifThere({ () throws(SystemError) in try folder.status(of: name) }),
      status.kind == .link,
      try ifThere({ () throws(SystemError) in try folder.target(of: name) }) == target
    else { return nil }
    return status.signature
  }

  private func open(_ path: [UInt8], _ source: Made) throws(SystemError) -> Descriptor {
    guard case .live(let signature) = source.source else {
      let (folder, name) = try staged.place(of: path)
      return try folder.open(name, O_RDONLY)
    }
    guard let (folder, name) = try live?.place(of: path) else { throw SystemError(ENOENT) }
    let file = try folder.open(name, O_RDONLY)
    guard try FileStatus(file).signature == signature else { throw SystemError(ESTALE) }
    return file
  }

  /// A few files one by one, with their folders; otherwise the whole file system.
  private func syncStaged() throws(SystemError) {
    let written = made.files.filter { made.isStaged($0) }
    do throws(SystemError) {
      guard written.count <= RootFolder.fewFiles else {
        return try Descriptor(".", in: staged.top.raw, O_RDONLY | O_DIRECTORY).syncFileSystem()
      }
    } catch {
      guard error.code == ENOSYS else { throw error }
    }
    let paths = written.map { entries.path(at: $0) }
    for path in paths {
      let (folder, name) = try staged.place(of: path)
      // Links have no bytes of their own, and a file's mode may forbid to open it.
      if let file = try? folder.open(name, O_RDONLY) { try file.sync() }
    }
    let names = [[UInt8]].folders(above: paths).union(folders).sorted { $0.lexicographicallyPrecedes($1) }
    for path in names { try staged.folder(path[...]).sync() }
    try staged.top.sync()
  }
}
