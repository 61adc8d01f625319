package import SyncModel

/// The changes that an `update` would make to the lock, as far as they are known without a download (contract,
/// section 8).
package struct UpdateForecast: Sendable, Equatable {
  /// By name; what a moved target would be locked as is not known, so that ``PinChange/now`` is `nil`.
  package private(set) var changes: [PinChange] = []
  /// Targets for which only a download can tell, in manifest order.
  package private(set) var unknown: [TargetName] = []

  /// Whether something would move.
  package var hasChanges: Bool { !changes.isEmpty }

  /// - Parameters:
  ///   - plan: of the targets that the update would check, with their pins in force.
  ///   - taken: those that would accept the source's present version.
  ///   - isWhole: whether the update names no targets, so that entries of removed targets are dropped.
  package init(
    _ plan: Plan, taking taken: Set<TargetID>, isWhole: Bool, lock: LockFile?, in manifest: Manifest,
    _ graph: TargetGraph
  ) {
    let pins = lock?.pins ?? [:]
    var moved: Set<TargetID> = []
    let contradicted = Set(lock.map { LockReview($0, manifest).contradictions.map(\.id) } ?? [])
    for line in plan.targets where taken.contains(line.id) && manifest[line.id].gone == nil {
      guard let pin = pins[line.name] else {
        changes.append(PinChange(name: line.name, kind: .added, was: nil, now: nil))
        moved.insert(line.id)
        continue
      }
      let followsMoved = graph.dependencies(of: line.id).contains {
        $0.kind == .from && moved.contains($0.from)
      }
      if line.lock == .moved || followsMoved || contradicted.contains(line.id) {
        changes.append(PinChange(name: line.name, kind: .moved, was: pin, now: nil))
        moved.insert(line.id)
      } else if manifest[line.id].source.mirrors != nil, !line.knowsMoved, line.action != .error,
        !Self.isLeftAlone(line)
      {
        unknown.append(line.name)
      }
    }
    if isWhole {
      let names = Set(manifest.present.map(\.name))
      for (name, pin) in pins where !names.contains(name) {
        changes.append(PinChange(name: name, kind: .removed, was: pin, now: nil))
      }
    }
    changes.sort { $0.name < $1.name }
  }

  /// Whether an update does not ask its source either.
  private static func isLeftAlone(_ line: PlannedTarget) -> Bool {
    switch line.reason {
    case .fresh(.keptModified), .fresh(.assumedFresh): true
    default: false
    }
  }
}
