import CSqliteShim
import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Remembers what each target looked like when it was last in order, in one SQLite file.
///
/// The state is a cache: a file that is damaged, foreign or of a later version is set aside and an empty one
/// takes its place, which costs work and never correctness (contract, section 6, promise 2). A file of an earlier
/// version is migrated when it is opened to write. Rows carry a checksum;
/// one that does not fit is left out. For one thread at a time.
package final class StateStore {
  /// The purpose of opening a store.
  package enum Access: Sendable { case readOnly, readWrite }

  /// The unusable file's new path, and the reason; `nil` if the file was valid, and for reading only, which moves
  /// nothing. ``open(folder:access:temporaryFolder:)``, ``load()`` and ``apply(_:)`` may set it: damage shows when
  /// a page is read.
  package private(set) var setAside: (path: String, why: String)?
  /// Why the content is ignored; `nil` if it is not, and if opened for writing.
  package private(set) var unusable: String?

  private let file: StateFile
  private let temporaryFolder: String
  /// `nil` when reading only.
  private var writer: Writer?
  /// Changes that are durable in ``log``, and that the next transaction stores.
  private var logged: [StateChange] = []
  /// `nil` until it is needed, and after a failure.
  private var log: ChangeLog?

  private init(file: StateFile, temporaryFolder: String) {
    self.file = file
    self.temporaryFolder = temporaryFolder
  }

  deinit {
    if logged.isEmpty { log?.remove() }
  }

  /// Loads SQLite, if it is there, so that it need not be waited for later; any thread.
  package static func prepare() { _ = SqliteLibrary.isLoaded }

  /// Whether there is no state in `folder`, a path, nor anything else in its place.
  package static func isNew(in folder: String) -> Bool { (try? StateFile(folder: folder).standing()) == .new }

  /// What is wrong with the state in `folder`, a path, if a later version wrote it; `nil` for any other.
  package static func laterVersion(in folder: String) -> String? {
    guard case .unusable(let objection)? = try? StateFile(folder: folder).standing(),
      objection.laterVersion != nil
    else { return nil }
    return objection.text
  }

  /// Opens `state.db` in `folder`, a path.
  ///
  /// For reading and writing, the folder (not its parents) and the file are created if they are missing. For
  /// reading only, nothing in `folder` is created, changed or locked, and a missing file is an empty store. If a
  /// run was killed in the middle of a change, its file and journal are copied to a private folder in
  /// `temporaryFolder`, repaired there, and removed. Throws if the system refuses: no access, no space, or another
  /// process holds the file for more than five seconds.
  package static func open(
    folder: String, access: Access, temporaryFolder: String = "/tmp"
  ) throws(StateFault) -> StateStore {
    let store = StateStore(file: StateFile(folder: folder), temporaryFolder: temporaryFolder)
    if access == .readWrite { try store.openToWrite() }
    return store
  }

  /// Everything that is remembered; outputs, and sidecars' URLs, are unique in their lists and ascend.
  ///
  /// Rows that are damaged are missing; a file whose structure is damaged is put aside and gives nothing.
  /// Throws as ``open(folder:access:temporaryFolder:)`` does.
  ///
  /// - outputs: those of which the records are wanted, where not all are.
  package func load(only outputs: [RelativePath]? = nil) throws(StateFault) -> StateSnapshot {
    var snapshot = try rows(outputs)
    CheckLog.apply(to: &snapshot, in: file.folder)
    return snapshot
  }

  private func rows(_ outputs: [RelativePath]?) throws(StateFault) -> StateSnapshot {
    guard let writer else {
      let read = try LockFreeReader(file: file, temporaryFolder: temporaryFolder).snapshot(only: outputs)
      unusable = read.unusable
      return read.snapshot
    }
    if !logged.isEmpty { try store([], by: writer) }
    do {
      return try self.writer?.connection.snapshot(only: outputs) ?? StateSnapshot()
    } catch  where error.isDamage {
      try startOver(Schema.Objection(error))
      return StateSnapshot()
    }
  }

  /// Throws if this user may not write the file, or make its journal in the folder: SQLite finds that out only when it
  /// writes.
  package func requireWritable() throws(StateFault) {
    for (path, mode) in [(file.folder, W_OK | X_OK), (file.path, W_OK)] {
      guard unsafe access(path, mode) != 0, errno != ENOENT else { continue }
      throw StateFault(code: SQLITE_READONLY, path: path, text: unsafe String(cString: strerror(errno)))
    }
  }

  /// Stores `changes` in their order: all of them or, if it throws, none.
  ///
  /// When it returns they are on the device, and a power cut does not undo them. A file that turns out to be
  /// damaged is set aside, and a new one contains only these changes. Throws if the system refuses, and always if
  /// the store was opened for reading only.
  package func apply(_ changes: [StateChange]) throws(StateFault) {
    guard let writer else {
      throw StateFault(code: SQLITE_READONLY, path: file.path, text: "the state was opened to read only")
    }
    guard !changes.isEmpty, !isLogged(changes) else { return }
    try store(changes, by: writer)
  }

  /// Stores what waits in the log, and `changes`, in one transaction.
  private func store(_ changes: [StateChange], by writer: Writer) throws(StateFault) {
    let all = LoggedChanges.withoutSettled(logged + changes)
    do {
      try writer.apply(all)
    } catch  where error.isDamage {
      try startOver(Schema.Objection(error))
      try self.writer?.apply(all)
    }
    logged = []
    guard let old = log?.counter else { return }
    if let new = file.counter, new != old {
      log?.restart(counter: new)
    } else {
      log?.remove()
      log = nil
    }
  }

  /// Writes `changes` to the log; `false` if they must be stored by a transaction.
  ///
  /// Only intentions are urgent: files wait for them. Other changes are written once, by a transaction.
  private func isLogged(_ changes: [StateChange]) -> Bool {
    guard changes.count <= ChangeLog.mostChanges, logged.count < ChangeLog.mostWaiting,
      changes.contains(where: \.isIntention),
      // A log that failed has the only copy of what waits, until a transaction has stored it.
      log != nil || logged.isEmpty,
      let list = LoggedChanges.encode(changes)
    else { return false }
    do throws(SystemError) {
      if log == nil {
        guard let counter = file.counter else { return false }
        log = try ChangeLog(in: file.folder, counter: counter)
      }
      try log?.append(list)
    } catch {
      // What is in it stays valid until the transaction that now follows.
      log = nil
      return false
    }
    logged += changes
    return true
  }

  private func openToWrite() throws(StateFault) {
    guard unsafe mkdir(file.folder, 0o777) == 0 || errno == EEXIST else { throw .system(path: file.folder) }
    let standing = try file.standing()
    // It belonged to another state file.
    if standing == .new { ChangeLog.remove(from: file.folder) }
    if case .unusable(let objection) = standing { return try startOver(objection) }
    do {
      writer = try Writer(path: file.path)
      try storeLogged()
    } catch  where error.isDamage {
      try startOver(Schema.Objection(error))
    }
  }

  /// Stores what a killed run left in its log.
  private func storeLogged() throws(StateFault) {
    guard let bytes = ChangeLog.bytes(in: file.folder) else { return }
    let left = file.counter.map { ChangeLog.changes(in: bytes, since: $0) } ?? []
    if !left.isEmpty { try writer?.apply(LoggedChanges.withoutSettled(left)) }
    ChangeLog.remove(from: file.folder)
  }

  /// Sets the file aside and opens a new one.
  private func startOver(_ objection: Schema.Objection) throws(StateFault) {
    writer = nil
    // Its counter may come again in the new file.
    log = nil
    ChangeLog.remove(from: file.folder)
    setAside = (try SetAside(file, objection).perform(), objection.text)
    writer = try Writer(path: file.path)
  }
}

extension Schema.Objection {
  fileprivate init(_ fault: StateFault) { self.init(text: fault.text, laterVersion: fault.laterVersion) }
}
