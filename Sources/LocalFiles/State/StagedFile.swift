import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A new file being written, invisible until it is published whole.
///
/// Used by one thread at a time. Holds one descriptor, once there is a file, until it is published or discarded.
package final class StagedFile: @unchecked Sendable {
  /// In bytes. Up to this size the bytes wait in memory until the file is made ready to be published.
  package static let mostHeld = 16 << 10

  /// Bytes written so far.
  package private(set) var size: Int64
  /// Whether there is a file: then bytes are written to it at once.
  package var isOnDisk: Bool { place != nil }
  let output: RelativePath
  let root: RootFolder
  let state: StateFolder
  /// `nil` until there is a file: one that is never written is never made.
  private(set) var place: StagingPlace?
  private var file: Descriptor
  /// All bytes that were written before there was a file.
  private var held: [UInt8] = []
  /// The file has them, too. They stay until this object is freed, possibly on another thread.
  private var isHeldWritten = false
  /// The attributes that were set, and the signature then.
  private var prepared: (bits: UInt16, modified: Timestamp?, signature: FileSignature, device: UInt64)?
  private var filler = DirectAppender()
  /// Whether its bytes may be an earlier run's, and its time with them.
  private var mayBeOld: Bool
  /// Whether the file belongs to a ``PartialDownload``, which has it back unless it is published.
  private var isLent = false
  /// Whether the file is withheld for an update: it stays unless it is published, and a replaced output gets its
  /// name.
  private var isWithheld = false
  /// Whether the file is one of a cache, too: neither its bytes nor its mode are changed.
  private var isShared = false
  /// Neither published nor discarded yet.
  private var isOpen = true
  /// Whether a file system that does not take the permissions is an error: those of the manifest, not those that an
  /// archive suggests.
  package var demandsMode = true

  private var subject: FailureSubject { .output(output.text) }

  /// An empty file that becomes `output`; missing folders are created only when it is published.
  ///
  /// The file is created when it exceeds ``mostHeld``, else when it is prepared, on that thread. If the output is
  /// on another device than `state`, it is created beside the output, at once, with its folders. Throws
  /// `.outputUnwritable` if a parent is a link, not a folder, or not accessible. If a file exists and `replacing`
  /// is false, this is an error only at the publication, because the file may turn out to be the same. A `withheld`
  /// file is always created in `state`.
  package static func create(
    in state: StateFolder, for output: RelativePath, root: RootFolder, replacing: Bool = false,
    withheld: Bool = false
  ) throws(FailureCause) -> StagedFile {
    do throws(FailureCause) {
      let isOnDevice = try StagingPlace.isOnDevice(of: state, output, root)
      if isOnDevice || withheld { return StagedFile(output, root, state) }
      return StagedFile(try StagingPlace.createBeside(output, in: state, root: root), output, root, state)
    } catch {
      guard replacing, error.isRefusedWriting else { throw error }
      return StagedFile(output, root, state)
    }
  }

  private init(_ output: RelativePath, _ root: RootFolder, _ state: StateFolder) {
    self.output = output
    self.root = root
    self.state = state
    size = 0
    mayBeOld = false
    file = Descriptor(owning: -1)
  }

  /// Takes over a file that was created for it.
  init(
    _ new: consuming StagingPlace.NewFile, _ output: RelativePath, _ root: RootFolder, _ state: StateFolder
  ) {
    self.output = output
    self.root = root
    self.state = state
    size = 0
    mayBeOld = false
    place = new.place
    file = new.file
  }

  /// Publishes a file of `size` bytes that stays, readable by its owner only, if it is discarded.
  init(
    lent: consuming StagingPlace.NewFile, _ output: RelativePath, _ root: RootFolder, _ state: StateFolder,
    size: Int64
  ) {
    self.output = output
    self.root = root
    self.state = state
    self.size = size
    mayBeOld = true
    isLent = true
    place = lent.place
    file = lent.file
  }

  /// Publishes a file that ``withhold(as:)`` has put aside.
  init(
    withheld: consuming StagingPlace.NewFile, _ output: RelativePath, _ root: RootFolder,
    _ state: StateFolder,
    size: Int64
  ) {
    self.output = output
    self.root = root
    self.state = state
    self.size = size
    mayBeOld = true
    isWithheld = true
    place = withheld.place
    file = withheld.file
  }

  deinit { discard() }

  /// Stores the file as `key`, replacing any older one; its bytes must be synced before.
  ///
  /// Returns its signature. This object is not used afterwards.
  package func withhold(as key: String) throws(FailureCause) -> FileSignature {
    guard isOpen else { throw .internalError("withheld twice: \(output)") }
    try make()
    let signature = try FailureSubject.state(state.path(of: "withheld")).attempt { () throws(SystemError) in
      let folder = try state.withheld()
      if let place, place.name == nil { self.place = try place.named(file) }
      try place?.move(to: key, in: folder, replacing: true)
      return try FileStatus(file).signature
    }
    isLent = false
    finish()
    return signature
  }

  /// Creates the file if necessary, and writes the waiting bytes.
  ///
  /// Only its owner may read or write it unless `mode` allows more.
  private func make(mode: UInt16 = 0o600, nameless: Bool = false) throws(FailureCause) {
    guard isOpen else { return }
    if place == nil {
      var new = try StagingPlace.create(in: state, mode: mode, nameless: nameless)
      place = new.place
      file = new.file.take()
    }
    guard !held.isEmpty, !isHeldWritten else { return }
    // From the start, should an earlier try have failed midway.
    size = 0
    filler.cut(to: 0)
    let written = unsafe held.withUnsafeBytes { bytes in
      Result { () throws(FailureCause) in try unsafe fill([bytes]) }
    }
    try written.get()
    isHeldWritten = true
  }

  private func fill(_ pieces: [UnsafeRawBufferPointer]) throws(FailureCause) {
    try subject.attempt { () throws(SystemError) in
      try unsafe filler.append(pieces, to: file, size: &size)
    }
  }

  /// Appends all of `bytes`.
  ///
  /// Throws `.diskFull` with the output's path if disk or quota are exhausted, else `.outputUnwritable` with the
  /// system's message; ``size`` then counts the written bytes.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) { try unsafe write([bytes]) }

  /// Appends `pieces`, as one is; together they may reach the disk faster.
  package func write(_ pieces: [UnsafeRawBufferPointer]) throws(FailureCause) {
    if place == nil, isOpen, unsafe held.count + pieces.reduce(0, { $0 + $1.count }) <= Self.mostHeld {
      for place in unsafe pieces.indices { unsafe held.append(contentsOf: pieces[place]) }
      size = Int64(held.count)
      return
    }
    try make()
    prepared = nil
    try unsafe fill(pieces)
  }

  /// Appends all of `bytes`; if they wait in memory, and nothing waits yet, without a copy.
  package func write(whole bytes: [UInt8]) throws(FailureCause) {
    guard place == nil, isOpen, held.isEmpty, bytes.count <= Self.mostHeld else {
      return try unsafe bytes.withUnsafeBytes { bytes in
        Result { () throws(FailureCause) in try unsafe write([bytes]) }
      }.get()
    }
    held = bytes
    size = Int64(bytes.count)
  }

  /// Empties it, to be written again.
  package func restart() throws(FailureCause) {
    held = []
    isHeldWritten = false
    size = 0
    prepared = nil
    guard place != nil else { return }
    try subject.attempt { () throws(SystemError) in try file.truncate(to: 0) }
    filler.cut(to: 0)
  }

  /// Waits until its bytes are on the disk; due before it is published.
  package func sync() throws(FailureCause) {
    try make()
    try subject.attempt { () throws(SystemError) in try file.sync() }
  }

  /// The same for several: a few one by one, more than four by one `syncfs` for each file system.
  ///
  /// Returns the devices of the latter: all else that was done on them before the call is on the disk, too.
  @discardableResult
  package static func syncAll(
    _ files: [StagedFile], in state: StateFolder
  ) throws(FailureCause) -> Set<UInt64> {
    var seen: Set<UInt64> = []
    guard files.count > RootFolder.fewFiles else {
      for file in files { try file.sync() }
      return seen
    }
    for file in files { try file.syncFileSystem(unlessIn: &seen) }
    return seen
  }

  private func syncFileSystem(unlessIn seen: inout Set<UInt64>) throws(FailureCause) {
    try make()
    let device = try subject.attempt { () throws(SystemError) in
      if let prepared { return prepared.device }
      return try FileStatus(file).device
    }
    guard !seen.contains(device) else { return }
    do throws(SystemError) {
      try file.syncFileSystem()
      seen.insert(device)
    } catch {
      guard error.code == ENOSYS else { throw subject.cause(error) }
      try sync()
    }
  }

  /// Gives the file its final permission bits and mtime; call it before the sync.
  ///
  /// ``publish(over:mode:modified:expectedDigest:in:)`` sets them, too, with the same parameters. But a power cut
  /// can undo what is set after the sync while the new name stays: then only the owner could read the output.
  /// Returns the file's signature. Throws as ``write(_:)`` does.
  @discardableResult
  package func prepare(
    over expected: OutputObservation, mode: UInt16?, modified: Timestamp?
  ) throws(FailureCause) -> FileSignature {
    var old: FileStatus?
    if case .file = expected {
      let place = Place(output)
      old = try? root.status(of: place.name, in: root.walk(to: place))
    }
    let bits = bits(mode, replacing: old)
    // A link is faster than a rename, and a killed run leaves less behind (docs/decisions/0011).
    try make(mode: bits, nameless: expected == .missing)
    return try subject.attempt { () throws(SystemError) in
      try setProperties(bits, modified, isDemanded: mode != nil && demandsMode)
    }
  }

  /// Does nothing if it was done before; returns the file's signature. `isDemanded`: the manifest has the mode.
  private func setProperties(
    _ bits: UInt16, _ modified: Timestamp?, isDemanded: Bool
  ) throws(SystemError) -> FileSignature {
    if let prepared, prepared.bits == bits, prepared.modified == modified { return prepared.signature }
    var status = try FileStatus(file)
    if isShared {
      prepared = (bits, modified, status.signature, status.device)
      return status.signature
    }
    // A file that was made with them has them, unless the system withholds some from new files.
    let isGiven = status.mode == mode_t(bits)
    if !isGiven || modified != nil {
      try file.setProperties(mode: isGiven ? nil : bits, modified: modified, mustHaveMode: isDemanded)
      status = try FileStatus(file)
    }
    prepared = (bits, modified, status.signature, status.device)
    return status.signature
  }

  private func bits(_ mode: UInt16?, replacing old: FileStatus?) -> UInt16 {
    mode ?? UInt16(old?.mode ?? (0o666 & ~root.umask)) & 0o777
  }

  /// Puts the file into the output's place, in one step, if the output is still `expected`.
  ///
  /// - Parameters:
  ///   - expected: the last observation. It is not an error if the file is missing now.
  ///   - mode: permission bits; `nil` for those of the replaced file, else 0666 without the umask's bits.
  ///   - modified: the mtime; `nil` for the time of this call or, if no file was expected, that of the last write.
  ///   - expectedDigest: the digest of `expected`, for the error only; `nil` if it is unknown.
  ///   - group: keeps the last folder open, for other files of its group.
  /// - Returns: the output's signature.
  ///
  /// Throws `.outputModified` if another file than `expected` is there, `.outputUnwritable` if a link, a folder or a
  /// device is there, if a parent is or became a link, or if the system refuses. After an error the old output is
  /// unchanged, and this file can be published again or discarded.
  @discardableResult
  package func publish(
    over expected: OutputObservation, mode: UInt16?, modified: Timestamp?, expectedDigest: HexDigest?,
    in group: PublishedGroup = PublishedGroup()
  ) throws(FailureCause) -> FileSignature {
    guard isOpen else { throw .internalError("published twice: \(output)") }
    try make()
    let (folder, name) = try group.parent(of: output, in: root)
    // If no file was expected, the call fails if there is one.
    let old = expected == .missing ? nil : try check(name, in: folder, expected, expectedDigest)
    let bits = bits(mode, replacing: old)
    // Files that were made from the old output during the sync must look older; without an old output there are
    // none.
    let mustTouch = modified == nil && (expected != .missing || mayBeOld)
    do throws(SystemError) {
      var signature = try setProperties(bits, modified, isDemanded: mode != nil && demandsMode)
      if mustTouch { signature = try touched() }
      try rename(to: name, in: folder, replacing: old != nil, &signature)
      finish()
      return signature
    } catch {
      // Two mounts of one device look the same until a rename fails, and the cached folder may be gone.
      let isOtherMount = error.code == EXDEV && place?.note == nil
      if isOtherMount {
        // Before gigabytes are copied.
        if expected == .missing { _ = try check(name, in: folder, expected, expectedDigest) }
        try moveBeside(bits, modified, isDemanded: mode != nil && demandsMode)
      }
      if isOtherMount || ([ENOENT, ESTALE].contains(error.code) && group.forget()) {
        return try publish(
          over: expected, mode: mode, modified: modified, expectedDigest: expectedDigest, in: group)
      }
      guard error.code == EEXIST, old == nil else { throw subject.cause(error) }
      _ = try check(name, in: folder, expected, expectedDigest)
      throw .outputModified(expected: expectedDigest, actual: nil)
    }
  }

  /// Copies the file to the output's own folder.
  private func moveBeside(
    _ mode: UInt16, _ modified: Timestamp?, isDemanded: Bool
  ) throws(FailureCause) {
    let new = try StagingPlace.createBeside(output, in: state, root: root)
    do throws(SystemError) {
      try file.copy(to: new.file, size: size)
      try new.file.setProperties(mode: mode, modified: modified, mustHaveMode: isDemanded)
      try new.file.sync()
    } catch {
      new.place.remove()
      throw subject.cause(error)
    }
    giveUpFile()
    place = new.place
    file = new.file
    (isLent, isWithheld, isShared) = (false, false, false)
    prepared = nil
  }

  /// Takes over a file of a cache's bytes in place of its own; `isShared`: it is the cache's file.
  ///
  /// Nothing may have been written yet.
  func adopt(_ new: consuming StagingPlace.NewFile, size: Int64, isShared: Bool) {
    place = new.place
    file = new.file
    self.size = size
    self.isShared = isShared
    mayBeOld = true
  }

  /// Appends the first `size` bytes of `other`.
  func append(_ other: borrowing Descriptor, size: Int64) throws(FailureCause) {
    prepared = nil
    do throws(SystemError) { try other.copy(to: file, size: size) } catch { throw subject.cause(error) }
    self.size = size
  }

  /// Fails if the output has changed.
  ///
  /// - Returns: the file to replace, or `nil`.
  private func check(
    _ name: String, in folder: OpenFolder, _ expected: OutputObservation, _ digest: HexDigest?
  ) throws(FailureCause) -> FileStatus? {
    if case .unusable(let fault) = expected { throw .outputUnwritable(path: output.text, fault) }
    let now: FileStatus
    do throws(WalkError) { now = try root.status(of: name, in: folder) } catch {
      guard case .missing = error else { throw error.cause(output) }
      return nil
    }
    if let fault = now.fault { throw .outputUnwritable(path: output.text, fault) }
    guard now.observation == expected else { throw .outputModified(expected: digest, actual: nil) }
    return now
  }

  /// At the last moment: sets the file's mtime to now, and returns its signature.
  private func touched() throws(SystemError) -> FileSignature {
    try file.touch()
    let signature = try FileStatus(file).signature
    prepared?.signature = signature
    return signature
  }

  /// `signature` is the file's, and gets the change time that the rename gives it.
  private func rename(
    to name: String, in folder: OpenFolder, replacing: Bool, _ signature: inout FileSignature
  ) throws(SystemError) {
    if isWithheld, replacing {
      try place?.exchange(with: name, in: folder)
    } else if try !link(to: name, in: folder, replacing: replacing) {
      try place?.move(to: name, in: folder, replacing: replacing)
      // Onto another name of the same file nothing is moved.
      if isShared, replacing { place?.remove() }
    }
    // The rest is from before the rename, so that a later edit is detected. The file is published, so nothing may
    // fail any more: with the old time the next run hashes it once.
    if let after = try? FileStatus(file) { signature.changed = after.signature.changed }
  }

  /// Gives a nameless file the output's name; `false` if it now has another name from which it must be renamed.
  private func link(
    to name: String, in folder: OpenFolder, replacing: Bool
  ) throws(SystemError) -> Bool {
    guard let place, place.name == nil else { return false }
    if !replacing {
      do throws(SystemError) {
        try folder.name(file, name)
        return true
      } catch {
        // Other obstacles may allow a rename, or appear there.
        guard error.code != EEXIST else { throw error }
      }
    }
    self.place = try place.named(file)
    return false
  }

  /// Removes everything except the output.
  private func finish() {
    isOpen = false
    file.close()
    place?.removeNote()
  }

  /// Drops the file unless it is published; a second call does nothing.
  package func discard() {
    guard isOpen else { return }
    isOpen = false
    giveUpFile()
    file.close()
  }

  private func giveUpFile() {
    guard !isWithheld else { return }
    guard isLent else { return place?.remove() ?? () }
    // The old mode: otherwise users who may only read the output could not resume from it.
    try? file.setProperties(mode: 0o600, modified: nil)
  }
}
