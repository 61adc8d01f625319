import StateStore
import SyncModel

@testable import Execution

/// A state in memory, which can be made to fail.
final class MemoryRecords: RecordStore {
  let setAside: (path: String, why: String)? = nil
  /// What the next calls throw; `nil` if they succeed.
  var fault: StateFault?
  /// Called with what is remembered.
  var onApply: ([StateChange]) -> Void = { _ in }
  private var records: [String: TargetRecord] = [:]
  private var pending: [String: TargetRecord] = [:]
  private var sidecars: [String: SidecarRecord] = [:]

  func load(only outputs: [RelativePath]?) throws(StateFault) -> StateSnapshot {
    if let fault { throw fault }
    let wanted = outputs.map { Set($0.map(\.text)) }
    func ascending<Value>(_ values: [String: Value]) -> [Value] {
      values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }
    return StateSnapshot(
      records: ascending(records.filter { wanted?.contains($0.key) ?? true }), pending: ascending(pending),
      sidecars: ascending(sidecars))
  }

  func apply(_ changes: [StateChange]) throws(StateFault) {
    if let fault { throw fault }
    onApply(changes)
    for change in changes {
      switch change {
      case .intend(let record): pending[record.output.text] = record
      case .commit(let record):
        pending[record.output.text] = nil
        records[record.output.text] = record
      case .withdraw(let output): pending[output.text] = nil
      case .forget(let output): (pending[output.text], records[output.text]) = (nil, nil)
      case .sidecar(let sidecar): sidecars[sidecar.url] = sidecar
      // No test with this state withholds anything.
      case .withhold, .unwithhold, .decide, .concludePublication: break
      }
    }
  }
}
