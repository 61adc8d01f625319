import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An interrupted download: its raw bytes in `partial/KEY.part`, and `KEY.journal` with its facts.
///
/// Used by one thread at a time. After a crash the files may contain anything, so bytes count only if a
/// checkpoint's digest matches them (contract, section 5).
package final class PartialDownload: @unchecked Sendable {
  /// A place to resume from.
  package struct Checkpoint: Sendable, Equatable {
    /// In bytes from the start, more than 0.
    package var offset: Int64
    /// The sha256 of the first `offset` bytes.
    package var sha256: HexDigest

    /// `offset` is in bytes and more than 0; `sha256` is of the bytes before it.
    package init(offset: Int64, sha256: HexDigest) {
      self.offset = offset
      self.sha256 = sha256
    }
  }

  /// As the journal on the disk has them.
  package var facts: PartialFacts { journal.facts }
  /// Ascending; none is beyond ``size``.
  package var checkpoints: [Checkpoint] { journal.checkpoints }
  /// The number of bytes present.
  package private(set) var size: Int64

  private let key: String
  private let state: StateFolder
  private var journal: PartialJournal
  private var body: Descriptor
  private var filler = DirectAppender()
  private var journalFile: Descriptor

  private var subject: FailureSubject { Self.subject(Self.bodyName(key), state) }

  private static func subject(_ name: String, _ state: StateFolder) -> FailureSubject {
    .state(state.path(of: "partial/" + name), in: state)
  }

  private init(
    _ key: String, _ state: StateFolder, _ journal: PartialJournal, size: Int64,
    _ body: consuming Descriptor, _ journalFile: consuming Descriptor
  ) {
    self.key = key
    self.state = state
    self.journal = journal
    self.size = size
    self.body = body
    self.journalFile = journalFile
  }

  /// The keys under which earlier runs left something, and be it half of a pair.
  package static func keys(in state: StateFolder) -> Set<String> {
    let names = (try? state.partial.names()) ?? []
    return Set(names.compactMap { key(ofFile: $0) })
  }

  /// Opens the partial download of an earlier run with `key`, hexadecimal digits that the caller computes.
  ///
  /// - Returns: `nil` if there is none, or an invalid one, which is removed.
  package static func open(key: String, in state: StateFolder) -> PartialDownload? {
    guard isKey(key) else { return nil }
    if let found = try? load(key, state) { return found }
    remove(key, state)
    return nil
  }

  private static func load(_ key: String, _ state: StateFolder) throws(SystemError) -> PartialDownload? {
    let body = try openBody(key, state)
    let journalFile = try state.partial.open(journalName(key), O_RDWR)
    let status = try FileStatus(body)
    // A file with a second name belongs to somebody, for example an output after an incomplete rename.
    guard status.kind == .file, status.links == 1, try FileStatus(journalFile).kind == .file else {
      throw SystemError(EINVAL)
    }
    guard var journal = PartialJournal(try journalFile.readAll(limit: PartialJournal.sizeLimit)) else {
      throw SystemError(EINVAL)
    }
    let size = status.signature.size
    journal.cut(to: size)
    // New lines must follow the valid ones.
    try journalFile.truncate(to: journal.length)
    return PartialDownload(key, state, journal, size: size, body, journalFile)
  }

  private static func openBody(_ key: String, _ state: StateFolder) throws(SystemError) -> Descriptor {
    do throws(SystemError) {
      return try state.partial.open(bodyName(key), O_RDWR)
    } catch {
      guard error.code == EACCES else { throw error }
      // Lent to be put in place it got its output's mode, which a killed run did not take back.
      let file = try state.partial.open(bodyName(key), O_RDONLY)
      guard try FileStatus(file).links == 1 else { throw error }
      try file.setProperties(mode: 0o600, modified: nil)
      return try state.partial.open(bodyName(key), O_RDWR)
    }
  }

  /// Begins an empty one under `key`, in place of any older one.
  ///
  /// Throws `.diskFull` or `.outputUnwritable` with a path in the state folder, `.internalError` for a key
  /// that is not hexadecimal.
  package static func create(
    key: String, facts: PartialFacts, in state: StateFolder
  ) throws(FailureCause) -> PartialDownload {
    guard isKey(key) else { throw .internalError("not a key: \(key)") }
    remove(key, state)
    let journal = PartialJournal(facts: facts)
    let journalFile = try subject(journalName(key), state).attempt { () throws(SystemError) in
      let file = try state.partial.create(journalName(key))
      try file.write(Array(journal.header.utf8))
      return file
    }
    let body = try subject(bodyName(key), state).attempt { () throws(SystemError) in
      try state.partial.create(bodyName(key))
    }
    return PartialDownload(key, state, journal, size: 0, body, journalFile)
  }

  /// Appends all of `bytes`; if it throws, ``size`` counts the written ones.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) { try unsafe append([bytes]) }

  /// Appends `pieces`, as one is; together they may reach the disk faster.
  package func append(_ pieces: [UnsafeRawBufferPointer]) throws(FailureCause) {
    try subject.attempt { () throws(SystemError) in
      try unsafe filler.append(pieces, to: body, size: &size)
    }
  }

  /// Notes a checkpoint, beyond the last one and not beyond ``size``; others are ignored.
  ///
  /// Does not wait for the disk: a checkpoint proves itself by its digest.
  package func note(_ checkpoint: Checkpoint) throws(FailureCause) {
    let end = journal.length
    guard checkpoint.offset <= size, journal.append(checkpoint) else { return }
    try subject.attempt { () throws(SystemError) in
      try journalFile.write(Array(PartialJournal.line(checkpoint).utf8), at: end)
    }
  }

  /// Reads at `offset` into `buffer`, which is not empty.
  ///
  /// - Returns: how many bytes came, which may be fewer than fit; 0 at the end.
  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FailureCause) -> Int {
    try subject.attempt { () throws(SystemError) in try unsafe body.read(into: buffer, at: offset) }
  }

  /// Drops the bytes from `newSize` on, and the checkpoints beyond it; a larger size changes nothing.
  package func truncate(to newSize: Int64) throws(FailureCause) {
    guard newSize < size else { return }
    journal.cut(to: newSize)
    try subject.attempt { () throws(SystemError) in
      try journalFile.truncate(to: journal.length)
      try body.truncate(to: newSize)
    }
    size = newSize
    filler.cut(to: newSize)
  }

  /// The complete body as a file that becomes `output`; call it once, and use this object for no other access
  /// afterwards.
  ///
  /// On the same device, and if it is `withheld`, the file itself is used; for another device it is copied. This
  /// partial is kept until it is discarded after the publication, so that a failed publication needs no second
  /// download.
  package func intoStaged(
    for output: RelativePath, root: RootFolder, in state: StateFolder, withheld: Bool = false
  ) throws(FailureCause) -> StagedFile {
    let isOnDevice = try StagingPlace.isOnDevice(of: state, output, root)
    if isOnDevice || withheld {
      let place = StagingPlace(folder: self.state.partial, name: Self.bodyName(key))
      return StagedFile(
        lent: StagingPlace.NewFile(place: place, file: body.take()), output, root, state, size: size)
    }
    let new = try StagingPlace.createBeside(output, in: state, root: root)
    let copied = StagedFile(new, output, root, state)
    try copied.append(body, size: size)
    return copied
  }

  /// Keeps it for the next run, if there is anything to resume from.
  ///
  /// - Returns: the number of bytes up to the last checkpoint.
  @discardableResult
  package func keep() -> Int64 {
    guard let last = checkpoints.last else {
      discard()
      return 0
    }
    close()
    return last.offset
  }

  /// Leaves the partial download unchanged.
  package func close() {
    body.close()
    journalFile.close()
  }

  /// Removes it.
  package func discard() {
    close()
    Self.remove(key, state)
  }

  /// Removes partial downloads that were last changed before `moment` and whose key is not among `keys`, and
  /// incomplete pairs, which cannot be resumed; call it only while holding the ``RunLock``.
  ///
  /// A run knows only its own manifest's keys, and another manifest in the same folder may still resume its
  /// downloads: hence the age. A file that cannot be removed stays and does no harm.
  package static func removeUnused(
    since moment: Timestamp, except keys: Set<String>, in state: StateFolder
  ) {
    for key in Self.keys(in: state).sorted() {
      let age = Age(key, since: moment, state)
      if age == .half || age == .old && !keys.contains(key) { remove(key, state) }
    }
  }

  /// Whether ``removeUnused(since:except:in:)`` may have work, depending on the keys.
  package static func mayHaveUnused(since moment: Timestamp, in state: StateFolder) -> Bool {
    Self.keys(in: state).contains { Age($0, since: moment, state) != .recent }
  }

  /// Removes the partial download of `key` if it was last changed before `moment`, or is an incomplete pair.
  package static func remove(_ key: String, ifUnusedSince moment: Timestamp, in state: StateFolder) {
    if Age(key, since: moment, state) != .recent { remove(key, state) }
  }

  /// The path of the largest one in the folder; `nil` if there is none.
  static func largest(in state: StateFolder) -> String? {
    let files = keys(in: state).sorted().map { key in
      (name: bodyName(key), size: (try? state.partial.status(of: bodyName(key)))?.signature.size ?? 0)
    }
    return files.filter { $0.size > 0 }.max { $0.size < $1.size }.map { state.path(of: "partial/" + $0.name) }
  }

  private enum Age {
    case half, old, recent

    init(_ key: String, since moment: Timestamp, _ state: StateFolder) {
      let changes = [bodyName(key), journalName(key)].compactMap {
        (try? state.partial.status(of: $0))?.signature.modified
      }
      self = changes.count < 2 ? .half : changes.allSatisfy { $0 < moment } ? .old : .recent
    }
  }

  /// The key of a file in the folder of partial downloads; `nil` for a foreign file.
  private static func key(ofFile name: String) -> String? {
    guard let dot = name.lastIndex(of: "."), case let key = String(name[..<dot]), isKey(key),
      name == bodyName(key) || name == journalName(key)
    else { return nil }
    return key
  }

  private static func bodyName(_ key: String) -> String { key + ".part" }
  private static func journalName(_ key: String) -> String { key + ".journal" }

  /// A key becomes part of a file name, so it is hexadecimal and short.
  private static func isKey(_ key: String) -> Bool {
    key.utf8.count <= 200 && HexDigest(hex: key)?.text == key
  }

  private static func remove(_ key: String, _ state: StateFolder) {
    try? state.partial.remove(bodyName(key))
    try? state.partial.remove(journalName(key))
  }
}
