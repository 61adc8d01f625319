import LocalFiles
import StateStore
import SyncModel

/// The state as a run finds it: opened to be written if that is possible, else read, else empty.
struct OpenState {
  private(set) var store: StateStore?
  private(set) var snapshot = StateSnapshot()
  /// Whether ``snapshot`` is all that the file has: not if a later version wrote it, or the system did not give it. Of a
  /// damaged one there is no more to be had.
  private(set) var isWhole = true
  /// Why there is no ``store`` although there should be one.
  private(set) var fault: StateFault?

  /// Fails only without SQLite: without records every file would look new.
  ///
  /// - outputs: the outputs whose records are needed; `nil` for all.
  init(
    _ path: String, isWritable: Bool, only outputs: [RelativePath]? = nil, _ report: (RunEvent) -> Void
  ) throws(FailureCause) {
    if isWritable {
      do throws(StateFault) {
        let opened = try StateStore.open(folder: path, access: .readWrite)
        snapshot = try opened.load(only: outputs)
        store = opened
        if let aside = opened.setAside { report(.warning(.stateSetAside(path: aside.path, why: aside.why))) }
        return
      } catch {
        if error.isWithoutLibrary { throw error.asCause }
        store = nil
        fault = error
      }
    }
    (snapshot, isWhole) = try Self.read(path, report)
  }

  /// Reads the state and writes nothing.
  init(
    reading path: String, only outputs: [RelativePath]? = nil, _ report: (RunEvent) -> Void
  ) throws(FailureCause) {
    (snapshot, isWhole) = try Self.read(path, only: outputs, report)
  }

  /// Forgets what others than `outputs` were about to become: whoever is at work on them may still do it.
  mutating func keepPending(of outputs: [RelativePath]) {
    guard !snapshot.pending.isEmpty else { return }
    let outputs = Set(outputs)
    snapshot.pending.removeAll { !outputs.contains($0.output) }
  }

  /// Adds what other states know, which stay as they are.
  mutating func complete(_ others: ShardStates, _ report: (RunEvent) -> Void) throws(FailureCause) {
    snapshot = try others.completed(snapshot, report)
  }

  /// Completes a publication that was decided and did not come to its end; `report` gets a warning if its lock is not in
  /// place then.
  mutating func completePublication(
    _ root: RootFolder, _ folder: StateFolder, _ manifest: Manifest, _ report: (RunEvent) -> Void
  ) throws(FailureCause) {
    guard let store, let publication = snapshot.publication else { return }
    try WithheldPublication(root, folder, manifest).complete(publication, snapshot.withheld, in: store)
    let withheld = snapshot.withheld.map(\.record)
    do throws(StateFault) { snapshot = try store.load() } catch { throw error.asCause }
    let contents = Dictionary(snapshot.records.map { ($0.output, $0.content) }) { _, last in last }
    let completed = Set(withheld.filter { contents[$0.output] == $0.content }.map(\.output))
    snapshot.completed = completed
    let seen = root.observe(LockWriter.path)
    guard snapshot.publication == nil, let lock = publication.lock, !LockWriter.isThere(lock, seen, root)
    else { return }
    let what = completed.isEmpty ? "taken back" : "completed"
    let (why, hint) =
      seen == .missing
      ? ("there is no lock", "\(manifest.place.command("lock")) writes it")
      : ("this lock is not the one that it was to make", "run \(manifest.place.command("update")) again")
    let message = "an interrupted update was \(what), and \(why)"
    report(
      .warning(
        .lock(Diagnostic(severity: .warning, file: LockFile.fileName, message: message, hint: hint))))
  }

  /// Reads the state without writing anything. An unreadable state counts as empty, which `report` gets as a warning.
  /// Without SQLite it fails.
  private static func read(
    _ path: String, only outputs: [RelativePath]? = nil, _ report: (RunEvent) -> Void
  ) throws(FailureCause) -> (StateSnapshot, isWhole: Bool) {
    do throws(StateFault) {
      let store = try StateStore.open(folder: path, access: .readOnly)
      let snapshot = try store.load(only: outputs)
      if let why = store.unusable { report(.warning(.stateUnreadable(why: why))) }
      return (snapshot, store.unusable == nil || StateStore.laterVersion(in: path) == nil)
    } catch {
      if error.isWithoutLibrary { throw error.asCause }
      report(.warning(.stateUnreadable(why: error.text)))
      return (StateSnapshot(), false)
    }
  }
}
