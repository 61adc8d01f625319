import LocalFiles
import SyncModel

/// Removes the recorded, unedited outputs of entries that have left their lists (contract, section 11).
struct GoneRemoval {
  let lease: RootLease
  let records: RecordIndex
  let stop: StopSignal

  /// Removes what it may, and forgets the records; returns what became of each output.
  ///
  /// A killed run leaves records without outputs, which the next one forgets.
  func perform(_ targets: [Target]) -> [CleanResult.Fate] {
    let fates = targets.map(remove)
    let changes = zip(targets, fates).filter { $1 == .removed || $1 == .missing }
      .map { StateChange.forget(output: $0.0.path) }
    // Otherwise the next run forgets them.
    try? lease.apply(changes)
    return fates
  }

  private func remove(_ target: Target) -> CleanResult.Fate {
    // A folder with an edit stays whole.
    if target.output.isFolder, lease.trees.edits(in: target.path) != nil { return .keptEdited }
    return Cleaner.clean(target, lease.trees, records, stop)
  }
}

extension TargetResult {
  /// Says what became of the output of an entry that has left its list.
  mutating func leave(_ fate: CleanResult.Fate) {
    switch fate {
    case .removed:
      self.outcome = .updated
      self.reason = .stale(.listGone)
      self.content = nil
    case .failed(let cause): fail(cause, keptOutput: true)
    case .keptEdited, .keptEditedFiles: self.reason = .fresh(.listGoneEdited)
    case .missing: self.reason = .fresh(.listGoneMissing)
    case .keptUnknown: self.reason = .fresh(.listGone)
    }
  }
}
