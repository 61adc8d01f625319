import CSqliteShim
import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads the state without a trace: no lock, no file, no roll-back in place (contract, section 6, promise 3).
///
/// SQLite's own read-only mode takes locks, and refuses a file with a journal. So this type reads the bytes and
/// gives SQLite a copy: in memory or, if there is a journal to roll back, in a private folder. A writer may be
/// active meanwhile. It creates the journal before it changes the file, changes the counter in the file's header,
/// and removes the journal last; the checks below depend on this.
struct LockFreeReader {
  let file: StateFile
  /// The parent of the private folder.
  let temporaryFolder: String

  /// How often a file that is changing is looked at again, and how long to wait in between.
  private static let tries = 200
  private static let pauseMicroseconds: UInt32 = 10_000

  /// Everything in the file, or with `outputs` only their records; nothing for one that is missing, damaged or not ours,
  /// and for the latter two why.
  func snapshot(
    only outputs: [RelativePath]? = nil
  ) throws(StateFault) -> (snapshot: StateSnapshot, unusable: String?) {
    for _ in 0..<Self.tries {
      switch try file.standing() {
      case .new: return (StateSnapshot(), nil)
      case .unusable(let objection): return (StateSnapshot(), objection.text)
      case .file: break
      }
      if let copy = try file.exists(file.journalPath) ? copyWithJournal() : copyInMemory() {
        return try read(copy, outputs)
      }
      usleep(Self.pauseMicroseconds)
    }
    throw StateFault(code: SQLITE_BUSY, path: file.path, text: "the file keeps changing")
  }

  /// A private database, and the log that was beside it.
  private struct Copy {
    var database: Database
    var log: [UInt8]?

    /// In memory, or in a folder.
    enum Database {
      case bytes([UInt8])
      case folder(PrivateFolder)
    }
  }

  private func read(
    _ copy: Copy, _ outputs: [RelativePath]?
  ) throws(StateFault) -> (snapshot: StateSnapshot, unusable: String?) {
    do {
      switch copy.database {
      case .bytes(let bytes):
        if !changes(copy, since: Schema.counter(inHeader: bytes)).isEmpty {
          let folder = try PrivateFolder(in: temporaryFolder)
          try folder.write(bytes, to: "state.db")
          return try read(Copy(database: .folder(folder), log: copy.log), outputs)
        }
        let snapshot = try Connection.withDatabase(bytes, standingFor: file.path) {
          (connection) throws(StateFault) in try checkedSnapshot(connection, outputs)
        }
        return (snapshot, nil)
      case .folder(let folder):
        let path = folder.path + "/state.db"
        // Opening it to write rolls the journal back.
        let snapshot = try checkedSnapshot(Connection.open(path: path, creating: false), outputs)
        let changes = changes(copy, since: StateFile(folder: folder.path).counter)
        if changes.isEmpty { return (snapshot, nil) }
        let writer = try Writer(path: path)
        try writer.apply(LoggedChanges.withoutSettled(changes))
        return (try checkedSnapshot(writer.connection, outputs), nil)
      }
    } catch  where error.isDamage {
      return (StateSnapshot(), error.text)
    }
  }

  private func changes(_ copy: Copy, since counter: Int64?) -> [StateChange] {
    guard let log = copy.log, let counter else { return [] }
    return ChangeLog.changes(in: log, since: counter)
  }

  private func checkedSnapshot(
    _ connection: Connection, _ outputs: [RelativePath]?
  ) throws(StateFault) -> StateSnapshot {
    if try Schema.isEmpty(connection) { return StateSnapshot() }
    return try connection.snapshot(version: Schema.check(connection), only: outputs)
  }

  /// `nil` if a writer was active meanwhile.
  private func copyInMemory() throws(StateFault) -> Copy? {
    guard let reader = try opened(file.path) else { return nil }
    // In this order: a transaction that fits between the two looks at the journal has changed the counter.
    let before = try? reader.read(upTo: Schema.headerSize, at: 0)
    guard !file.exists(file.journalPath) else { return nil }
    let bytes = try contents(reader, file.path)
    let log = ChangeLog.bytes(in: file.folder)
    guard !file.exists(file.journalPath) else { return nil }
    guard let before, before == (try? reader.read(upTo: Schema.headerSize, at: 0)) else { return nil }
    return Copy(database: .bytes(bytes), log: log)
  }

  /// `nil` if the journal's transaction ended meanwhile, or it names another file: look again.
  private func copyWithJournal() throws(StateFault) -> Copy? {
    guard let journal = try opened(file.journalPath), let database = try opened(file.path) else { return nil }
    // The file first: changes that are made to it meanwhile are in the journal, which is read later.
    let bytes = try contents(database, file.path)
    let journalBytes = try contents(journal, file.journalPath)
    let log = ChangeLog.bytes(in: file.folder)
    guard isStill(journal, at: file.journalPath), isStill(database, at: file.path),
      !StateFile.endsInName(journalBytes)
    else { return nil }
    let folder = try PrivateFolder(in: temporaryFolder)
    try folder.write(bytes, to: "state.db")
    try folder.write(journalBytes, to: "state.db-journal")
    return Copy(database: .folder(folder), log: log)
  }

  /// Whether `path` still names the file that is open; its number cannot be used again while it is.
  private func isStill(_ reader: borrowing Descriptor, at path: String) -> Bool {
    guard let named = unsafe try? FileStatus(path, in: AT_FDCWD), let open = try? FileStatus(reader) else {
      return false
    }
    return named.signature.inode == open.signature.inode && named.device == open.device
  }

  /// The file existed a moment ago; `nil` if it is gone: repeat.
  private func opened(_ path: String) throws(StateFault) -> Descriptor? {
    do throws(SystemError) { return try Descriptor(reading: path) } catch {
      if error.code == ENOENT { return nil }
      throw .system(error, path: path)
    }
  }

  private func contents(_ reader: borrowing Descriptor, _ path: String) throws(StateFault) -> [UInt8] {
    do throws(SystemError) { return try reader.readState() } catch { throw .system(error, path: path) }
  }
}

extension Connection {
  /// Performs `body` on a database that consists of `bytes`, in memory.
  fileprivate static func withDatabase<Result>(
    _ bytes: [UInt8], standingFor path: String,
    _ body: (Connection) throws(StateFault) -> Result
  ) throws(StateFault) -> Result {
    let connection = try inMemory(standingFor: path)
    guard let memory = unsafe sqliteshim_malloc(UInt64(bytes.count)) else {
      throw connection.fault(SQLITE_NOMEM)
    }
    unsafe bytes.withUnsafeBytes { if let base = $0.baseAddress { unsafe memcpy(memory, base, $0.count) } }
    // SQLite frees the memory, even on failure.
    let code = unsafe sqliteshim_deserialize(
      connection.handle, memory.assumingMemoryBound(to: UInt8.self), Int64(bytes.count))
    guard code == SQLITE_OK else { throw connection.fault(code) }
    return try body(connection)
  }
}
