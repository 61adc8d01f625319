import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What is left to do when a live folder is changed file by file, since the system cannot exchange two folders.
///
/// Everything in the staged folder is to be moved to the same place in the live one, after some paths were removed
/// there. It is in `trees/KEY.journal` of the state folder until all of this is done, so that a later run can complete
/// it.
struct TreeJournal: Equatable {
  /// The number grows with each change of the form.
  private static let header = "syncmake tree journal 3"
  /// It had no ``replaced``.
  private static let earlierHeader = "syncmake tree journal 2"
  private static let ending = ".journal"
  /// The end of the name of a folder in `withheld/`.
  static let withheldEnding = ".tree"
  /// More than any list of removals takes.
  private static let longest = 1 << 30

  /// A file or link that is removed; anything with another inode number, size or mtime came there later, and stays. A
  /// power cut, or a copy, may have changed the ctime alone.
  struct Removal: Equatable {
    let path: [UInt8]
    let signature: FileSignature
  }

  /// What was in a new file's place when the journal was written; `nil` for nothing.
  struct Replaced: Equatable {
    let path: [UInt8]
    let signature: FileSignature?
  }

  let output: RelativePath
  /// The staged folder's name in `staging/` or, if it was withheld, in `withheld/`: there it must stay, since a kill
  /// between a move and the journal would lose it.
  let staged: FileName
  let removals: [Removal]
  /// The folders that are removed if they are empty by then, each after those in it.
  let emptied: [[UInt8]]
  /// Anything else in these places came there later, and stays, as an edit of the new file; `nil` if edits are replaced.
  let replaced: [Replaced]?

  // MARK: In its file

  /// Stores it; from then on it must be completed.
  func write(_ key: String, in state: StateFolder) throws(FailureCause) {
    let path = state.path(of: "trees/\(key)\(Self.ending)")
    try FailureSubject.state(path, in: state).attempt { () throws(SystemError) in
      try state.top.createFolder("trees")
      try state.top.sync()
      let folder = try OpenFolder("trees", in: state.top)
      let new = try AtomicFile(key + Self.ending + ".new", in: folder.raw, of: folder)
      try new.file.write(bytes)
      try new.file.sync()
      try new.publish(as: key + Self.ending)
      try folder.sync()
    }
  }

  /// Removes those that are damaged or have another form: nobody will complete them, and the folder is looked at anew.
  static func removeDamaged(in state: StateFolder) {
    for key in keys(in: state) {
      guard let folder = try? OpenFolder("trees", in: state.top),
        let file = try? folder.open(key + ending, O_RDONLY), let bytes = try? file.readAll(limit: longest),
        TreeJournal(bytes) == nil
      else { continue }
      try? folder.remove(key + ending)
    }
  }

  /// Removes one that could not be written as a whole.
  static func drop(_ key: String, in state: StateFolder) {
    guard let folder = try? OpenFolder("trees", in: state.top) else { return }
    try? folder.remove(key + ending)
    try? folder.sync()
  }

  /// `nil` if there is none, or a damaged one.
  static func read(_ key: String, in state: StateFolder) -> TreeJournal? {
    read(key, below: state.top)
  }

  static func read(_ key: String, below top: OpenFolder) -> TreeJournal? {
    guard let folder = try? OpenFolder("trees", in: top), let file = try? folder.open(key + ending, O_RDONLY),
      let bytes = try? file.readAll(limit: longest)
    else { return nil }
    return TreeJournal(bytes)
  }

  /// The same for whoever completes it: throws if it is there and cannot be read.
  static func require(_ key: String, in state: StateFolder) throws(FailureCause) -> TreeJournal? {
    let name = key + ending
    let bytes = try FailureSubject.state(state.path(of: "trees/\(name)")).attempt {
      () throws(SystemError) -> [UInt8]? in
      do throws(SystemError) {
        return try OpenFolder("trees", in: state.top).open(name, O_RDONLY).readAll(limit: longest)
      } catch {
        guard error.isAbsence else { throw error }
        return nil
      }
    }
    return bytes.flatMap { TreeJournal($0) }
  }

  /// All is done: the next listing is the present one from now on, whatever inode number the folder has.
  static func remove(_ key: String, in state: StateFolder) throws(SystemError) {
    let folder = try OpenFolder("trees", in: state.top)
    do throws(SystemError) {
      try folder.move(FileName("\(key).next".utf8), to: FileName(key.utf8), in: folder)
    } catch {
      guard error.code == ENOENT else { throw error }
    }
    try folder.sync()
    try folder.remove(key + ending)
    try folder.sync()
  }

  /// All that must be completed.
  static func keys(in state: StateFolder) -> [String] {
    let names = (try? OpenFolder("trees", in: state.top).names()) ?? []
    return names.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ field: some Sequence<UInt8>) { bytes += Array(field) + [0] }
    add(Self.header.utf8)
    add(output.text.utf8)
    add(staged.bytes)
    for removal in removals { add(Array("r\(Self.text(removal.signature)) ".utf8) + removal.path) }
    for path in emptied { add([UInt8(ascii: "d")] + path) }
    if let replaced {
      add("o".utf8)
      for file in replaced {
        let text = file.signature.map { "o\(Self.text($0)) " } ?? "n"
        add(Array(text.utf8) + file.path)
      }
    }
    var hash = StableHash()
    hash.add(bytes)
    return bytes + Array(String(hash.value, radix: 16).utf8)
  }

  private static func text(_ now: FileSignature) -> String {
    "\(now.size) \(now.modified.nanoseconds) \(now.changed.nanoseconds) \(now.inode)"
  }

  /// `nil` if `bytes` are not a journal as this version or the one before writes it.
  private init?(_ bytes: [UInt8]) {
    guard let fields = Self.fields(bytes), fields.count >= 3,
      fields[0].elementsEqual(Self.header.utf8) || fields[0].elementsEqual(Self.earlierHeader.utf8),
      let output = try? RelativePath(String(decoding: fields[1], as: UTF8.self)),
      // Only such names are made.
      fields[2].starts(with: "tree-".utf8) || Self.isWithheld(fields[2]),
      !fields[2].contains(UInt8(ascii: "/"))
    else { return nil }
    var (removals, emptied): ([Removal], [[UInt8]]) = ([], [])
    var replaced: [Replaced]?
    for field in fields[3...] {
      switch field.first {
      case UInt8(ascii: "r"):
        guard let removal = Self.removal(field.dropFirst()) else { return nil }
        removals.append(removal)
      case UInt8(ascii: "d"): emptied.append(Array(field.dropFirst()))
      case UInt8(ascii: "o") where field.count == 1: replaced = []
      case UInt8(ascii: "o"):
        guard let file = Self.removal(field.dropFirst()) else { return nil }
        replaced?.append(Replaced(path: file.path, signature: file.signature))
      case UInt8(ascii: "n"): replaced?.append(Replaced(path: Array(field.dropFirst()), signature: nil))
      default: return nil
      }
    }
    // A folder that somebody else made may have any journal.
    guard !(removals.map(\.path) + emptied).contains(where: Self.leadsOut) else { return nil }
    self.init(
      output: output, staged: FileName(fields[2]), removals: removals, emptied: emptied, replaced: replaced)
  }

  /// `nil` if their sum is wrong.
  private static func fields(_ bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
    guard let last = bytes.lastIndex(of: 0) else { return nil }
    var hash = StableHash()
    hash.add(Array(bytes[...last]))
    guard bytes[(last + 1)...].elementsEqual(String(hash.value, radix: 16).utf8) else { return nil }
    return bytes[..<last].split(separator: 0, omittingEmptySubsequences: false)
  }

  private static func removal(_ field: ArraySlice<UInt8>) -> Removal? {
    let parts = field.split(separator: UInt8(ascii: " "), maxSplits: 4, omittingEmptySubsequences: false)
    let numbers = parts.prefix(4).map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 5, let size = Int64(numbers[0]), let modified = Int64(numbers[1]),
      let changed = Int64(numbers[2]), let inode = UInt64(numbers[3])
    else { return nil }
    let signature = FileSignature(
      size: size, modified: Timestamp(nanoseconds: modified), changed: Timestamp(nanoseconds: changed),
      inode: inode)
    return Removal(path: Array(parts[4]), signature: signature)
  }

  private static func leadsOut(_ path: [UInt8]) -> Bool {
    let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.contains { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
  }

  init(
    output: RelativePath, staged: FileName, removals: [Removal], emptied: [[UInt8]],
    replaced: [Replaced]? = nil
  ) {
    self.output = output
    self.staged = staged
    self.removals = removals
    self.emptied = emptied
    self.replaced = replaced
  }

  // MARK: Carrying it out

  /// Does what is left, and removes it from the state folder. Returns the new files that are left out, since there are
  /// edits in their places.
  @discardableResult
  func finish(
    _ key: String, in state: StateFolder, root: RootFolder
  ) throws(FailureCause) -> Set<[UInt8]> {
    let edited = try complete(in: state, root: root)
    try FailureSubject.state(state.path(of: "trees")).attempt { () throws(SystemError) in
      try Self.remove(key, in: state)
    }
    (try? Self.home(of: staged, in: state))?.removeAll(staged)
    return edited
  }

  private static func isWithheld(_ name: some Collection<UInt8>) -> Bool {
    name.suffix(withheldEnding.utf8.count).elementsEqual(withheldEnding.utf8)
  }

  private static func home(of staged: FileName, in state: StateFolder) throws(SystemError) -> OpenFolder {
    isWithheld(staged.bytes) ? try state.withheld() : state.staging
  }

  /// Does what is left; each step may have been done before. Returns the new files that are left out, since there are edits
  /// in their places.
  @discardableResult
  func complete(in state: StateFolder, root: RootFolder) throws(FailureCause) -> Set<[UInt8]> {
    let (parent, name) = try root.parentCreating(of: output)
    var edited: Set<[UInt8]> = []
    try FailureSubject.output(output.text).attempt { () throws(SystemError) in
      try parent.createFolder(name)
      let top = try OpenFolder(name, in: parent)
      var live = TreeWalker(top)
      for removal in removals { try Self.remove(removal, &live) }
      live.forget()
      for path in emptied { try Self.removeEmpty(path, &live) }
      live.forget()
      let listing = try Descriptor(".", in: top.raw, O_RDONLY | O_DIRECTORY)
      if let folder = try Self.open(staged, in: state) {
        try makeFolders(of: folder, [], &live)
        // If the power fails when the disk has a move but not the new folder, both names of the file are gone.
        try listing.syncFileSystemOrSelf()
        let known = replaced.map { Dictionary($0.map { ($0.path, $0.signature) }) { $1 } }
        try move(folder, [], &live, known, &edited)
        // What a kill has left of a copy that was not made again.
        try? top.remove(temporary)
      }
      try listing.syncFileSystemOrSelf()
    }
    try root.syncFolders(of: [output])
    return edited
  }

  private static func remove(_ removal: Removal, _ live: inout TreeWalker) throws(SystemError) {
    guard let (folder, name) = try ifThere({ () throws(SystemError) in try live.place(of: removal.path) }),
      let status = try ifThere({ () throws(SystemError) in try folder.status(of: name) }),
      status.kind != .folder, status.signature.isSame(as: removal.signature)
    else { return }
    try folder.remove(name)
  }

  private static func removeEmpty(_ path: [UInt8], _ live: inout TreeWalker) throws(SystemError) {
    guard let (folder, name) = try ifThere({ () throws(SystemError) in try live.place(of: path) }) else {
      return
    }
    do throws(SystemError) { try folder.removeFolder(name) } catch {
      // Somebody's files in it, or a folder that is in use, keep it.
      guard error.isAbsence || [ENOTEMPTY, EEXIST, EBUSY].contains(error.code) else { throw error }
    }
  }

  private static func open(_ name: FileName, in state: StateFolder) throws(SystemError) -> OpenFolder? {
    do throws(SystemError) { return try OpenFolder(name, in: try home(of: name, in: state)) } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  /// Makes the folders of a staged folder in the live one.
  private func makeFolders(
    of folder: OpenFolder, _ path: [UInt8], _ live: inout TreeWalker
  ) throws(SystemError) {
    for name in try folder.entries() where try folder.status(of: name).kind == .folder {
      let entry = path.appending(name)
      _ = try live.folder(entry[...], creating: true)
      try makeFolders(of: try OpenFolder(name, in: folder), entry, &live)
    }
  }

  /// Moves all files in a staged folder to the live one, which has its folders, but for those that `edited` gets; `known` is
  /// ``replaced`` by path.
  private func move(
    _ folder: OpenFolder, _ path: [UInt8], _ live: inout TreeWalker, _ known: [[UInt8]: FileSignature?]?,
    _ edited: inout Set<[UInt8]>
  ) throws(SystemError) {
    for name in try folder.entries() {
      let entry = path.appending(name)
      if try folder.status(of: name).kind == .folder {
        try move(try OpenFolder(name, in: folder), entry, &live, known, &edited)
      } else {
        let (target, _) = try live.place(of: entry)
        if let old = known?[entry], try Self.isEdited(name, in: target, since: old) {
          edited.insert(entry)
          continue
        }
        do throws(SystemError) { try folder.move(name, to: name, in: target) } catch {
          guard error.code == EXDEV else { throw error }
          try copy(name, from: folder, to: target, by: live.top)
        }
      }
    }
  }

  /// Whether a file is there that came after the journal.
  private static func isEdited(
    _ name: FileName, in folder: OpenFolder, since old: FileSignature?
  ) throws(SystemError) -> Bool {
    guard let now = try ifThere({ () throws(SystemError) in try folder.status(of: name) }),
      now.kind != .folder
    else { return false }
    // Where names differ in case only, each spelling may have an inode number of its own.
    return old.map { now.signature.size != $0.size || now.signature.modified != $0.modified } ?? true
  }

  /// In the output folder, of this journal only: what else is there is somebody's, or the archive's.
  private var temporary: FileName { FileName(".syncmake-".utf8 + staged.bytes) }

  /// To another device: the copy has a temporary name until it is whole.
  private func copy(
    _ name: FileName, from folder: OpenFolder, to target: OpenFolder, by top: OpenFolder
  ) throws(SystemError) {
    let temporary = temporary
    try top.remove(temporary)
    try folder.copy(name, to: temporary, in: top, else: SystemError(EXDEV))
    try top.move(temporary, to: name, in: target)
    try folder.remove(name)
  }
}

extension StagedTree {
  /// The keys of the folders whose publication by a journal was interrupted.
  package static func journals(in state: StateFolder) -> [String] { TreeJournal.keys(in: state) }

  /// Removes what killed runs left of listings and journals that they were writing, and damaged journals; call it
  /// while holding the ``RunLock``.
  package static func clearUnfinished(in state: StateFolder) {
    guard let folder = try? OpenFolder("trees", in: state.top) else { return }
    for name in (try? folder.names()) ?? [] where name.hasSuffix(".new") { try? folder.remove(name) }
    TreeJournal.removeDamaged(in: state)
  }

  /// Whether a publication of `output` was interrupted, so that some of its files are new and the others old.
  ///
  /// `statePath` is the path of the state folder. It only looks.
  package static func hasJournal(of output: RelativePath, key: String, statePath: String) -> Bool {
    guard let top = try? OpenFolder(path: statePath) else { return false }
    return TreeJournal.read(key, below: top)?.output == output
  }

  /// Completes an interrupted publication of `output`, if there is one; call it while holding the ``RunLock``.
  ///
  /// Then the folder is as the listing `KEY.next` says, but for the ctimes of its files, and that listing is made the
  /// present one. Returns whether there was one. Throws if the system refuses; a later run tries again.
  @discardableResult
  package static func finishJournal(
    of output: RelativePath, key: String, in state: StateFolder, root: RootFolder
  ) throws(FailureCause) -> Bool {
    // One that names another folder is not ours.
    guard let journal = try TreeJournal.require(key, in: state), journal.output == output else {
      return false
    }
    try journal.finish(key, in: state, root: root)
    return true
  }
}

extension Descriptor {
  /// Waits for the whole file system; where there is no such call, for this folder.
  borrowing func syncFileSystemOrSelf() throws(SystemError) {
    do throws(SystemError) { try syncFileSystem() } catch {
      guard error.code == ENOSYS else { throw error }
      try sync()
    }
  }
}
