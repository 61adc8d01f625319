import SyncModel

/// The targets of a run that were begun and have not ended.
struct ActiveTargets {
  private var targets: [TargetID: any ActiveTarget] = [:]
  /// The active targets that only wait for the disk.
  private var closing: Set<TargetID> = []
  /// Whether finished files wait for others, so that they share their syncs.
  var isWaitingForCompany = false

  /// Whether one of them does more than wait for the disk.
  var areAtWork: Bool { targets.count > closing.count }

  mutating func add(_ target: any ActiveTarget, _ id: TargetID) { targets[id] = target }

  mutating func close(_ id: TargetID) { closing.insert(id) }

  mutating func remove(_ id: TargetID) {
    targets[id] = nil
    closing.remove(id)
  }

  /// Has those fail that do more than wait for the disk, in the manifest's order.
  func fail(_ cause: FailureCause) {
    for target in targets.values.sorted(by: { $0.target.id < $1.target.id })
    where !closing.contains(target.target.id) {
      (target as? TargetDriver)?.tell(.failed(cause))
    }
  }

  /// Stops all of them cleanly, in the manifest's order.
  func interrupt() {
    for target in targets.values.sorted(by: { $0.target.id < $1.target.id }) { target.interrupt() }
  }
}
