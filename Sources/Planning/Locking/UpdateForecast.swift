package import SyncModel

/// The changes that an `update` would make to the lock, as far as they are known without a download (contract,
/// section 8).
package struct UpdateForecast: Sendable, Equatable {
  /// By name; what a moved target would be locked as is not known, so that ``PinChange/now`` is `nil`.
  package private(set) var changes: [PinChange] = []
  /// In what way the lock contradicts the manifest, for those of ``changes`` that it contradicts.
  package private(set) var contradictions: [TargetName: LockContradiction] = [:]
  /// Those of ``contradictions`` whose source a list gives.
  package private(set) var listed: Set<TargetName> = []
  /// Targets for which only the update can tell, in manifest order.
  package private(set) var unknown: [TargetName] = []

  /// Whether the lock would change.
  package var hasChanges: Bool { !changes.isEmpty }

  /// - Parameters:
  ///   - plan: of the targets that the update would check, with their pins in force.
  ///   - taken: those that would accept the source's present version.
  ///   - open: those whose source will be another one that is not known yet.
  ///   - isWhole: whether the update names no targets, so that entries of removed targets are dropped (``UnknownEntries``).
  package init(
    _ plan: Plan, taking taken: Set<TargetID>, open: Set<TargetID> = [], isWhole: Bool, lock: LockFile?,
    in manifest: Manifest,
    _ graph: TargetGraph
  ) {
    let pins = lock?.pins ?? [:]
    var (moved, added, failed): (Set<TargetID>, Set<TargetID>, Set<TargetID>) = ([], [], [])
    let review = lock.map { LockReview($0, manifest).contradictions } ?? []
    var contradicted = Dictionary(uniqueKeysWithValues: review.map { ($0.id, $0.what) })
    for line in plan.targets where taken.contains(line.id) && Self.isTarget(manifest[line.id]) {
      guard let pin = pins[line.name] else {
        // Nor is anything locked of what cannot be without a target that fails.
        guard line.action != .error,
          !graph.dependencies(of: line.id).contains(where: { $0.kind != .after && failed.contains($0.from) })
        else {
          failed.insert(line.id)
          continue
        }
        changes.append(PinChange(name: line.name, kind: .added, was: nil, now: nil))
        added.insert(line.id)
        continue
      }
      if case .source(.urls, .urls)? = contradicted[line.id], pin.entry != nil, line.lock == .pinned,
        line.knowsMoved,
        Self.isSameEntry(manifest[line.id], pin, manifest)
      {
        // Some lists give another URL each time: here it says that it is the locked version.
        contradicted[line.id] = nil
      }
      let sources = graph.dependencies(of: line.id).filter { $0.kind == .from }.map(\.from)
      // What has left its list stays as it is locked, unless the target is made of another entry now.
      let hasMoved =
        open.contains(line.id)
        || line.lock == .moved
          && (line.moved != .listGone
            || !Self.isSameEntry(manifest[line.id], pin, manifest))
      if hasMoved || sources.contains(where: moved.contains)
        || contradicted[line.id] != nil && !sources.contains(where: added.contains)
      {
        contradictions[line.name] = contradicted[line.id]
        if case .entry = manifest[line.id].source { listed.insert(line.name) }
        changes.append(PinChange(name: line.name, kind: .moved, was: pin, now: nil))
        moved.insert(line.id)
      } else if sources.contains(where: added.contains) || line.isRemade
        || Self.isUnknown(line, manifest[line.id])
      {
        unknown.append(line.name)
      } else if Self.isRenewed(line, pin, manifest) {
        changes.append(PinChange(name: line.name, kind: .renewed, was: pin, now: nil))
      }
    }
    addRemoved(pins, UnknownEntries(in: manifest, isWhole: isWhole), manifest)
    changes.sort { $0.name < $1.name }
  }

  private mutating func addRemoved(
    _ pins: [TargetName: Pin], _ unknown: UnknownEntries, _ manifest: Manifest
  ) {
    let suspects = manifest.targets.filter(\.isSuspect)
    let names = Set((manifest.present + suspects).map(\.name))
    for (name, pin) in pins where !names.contains(name) && !unknown.stay(ofList: pin.entry?.template) {
      changes.append(PinChange(name: name, kind: .removed, was: pin, now: nil))
    }
  }

  /// Whether it is one whose bytes are locked, and not one that has gone or stands for those that are not known.
  private static func isTarget(_ target: Target) -> Bool {
    switch target.source {
    case .gone, .unlisted: false
    default: true
    }
  }

  /// Whether the target is made of the entry of a list of which it is locked, or both of none.
  private static func isSameEntry(_ target: Target, _ pin: Pin, _ manifest: Manifest) -> Bool {
    manifest.pinnedEntry(of: target)?.entry.identity == pin.entry?.entry.identity
  }

  /// Whether its bytes are known to be the locked ones, and its list says something else of them.
  private static func isRenewed(_ line: PlannedTarget, _ pin: Pin, _ manifest: Manifest) -> Bool {
    line.knowsMoved && line.moved == nil && line.action != .error
      && manifest.pinnedEntry(of: manifest[line.id])?.masked(by: manifest.secrets) != pin.entry
  }

  /// Whether neither the source nor the lock says which bytes an update gets, or makes of those of another target.
  private static func isUnknown(_ line: PlannedTarget, _ target: Target) -> Bool {
    guard line.action != .error, !isLeftAlone(line) else { return false }
    if target.source.mirrors != nil { return !line.knowsMoved }
    // Of a copy, the lock says what it is: it has the digest of the other target's output.
    return line.isUnproven && target.steps.contains(where: \.transforms)
  }

  /// Whether an update does not ask its source either.
  private static func isLeftAlone(_ line: PlannedTarget) -> Bool {
    switch line.reason {
    // In a folder, the files that nobody has edited follow the archive.
    case .fresh(.keptModified): !line.output.isFolder
    case .fresh(.assumedFresh): true
    default: false
    }
  }
}

extension Plan {
  /// The plan in which a target fails of which the server has no file, as it fails an update. Every other status may be of
  /// the question alone, or pass.
  package var failingWhereAbsent: Plan {
    var plan = self
    for (index, line) in targets.enumerated() {
      guard line.unmeasured?.traits.contains(.absent) == true else { continue }
      plan.targets[index].action = .error
      (plan.targets[index].failure, plan.targets[index].unmeasured) = (line.unmeasured, nil)
      plan.targets[index].reason = nil
    }
    return plan.withoutVainRemovals
  }
}

extension Plan {
  /// The targets of which it knows that they fail.
  package func failures(in manifest: Manifest) -> [TargetResult] {
    targets.compactMap { line in
      let target = manifest[line.id]
      // What stands for a suspect list fails in place of its entries.
      guard line.action == .error, let cause = line.failure, target.gone == nil else { return nil }
      var result = TargetResult(id: line.id, name: line.name, outcome: .failed, output: target.output)
      result.failure = TargetFailure(cause)
      result.isOptional = target.isOptional
      return result
    }
  }

  /// The targets whose outputs it removes.
  package var removals: [TargetResult] {
    targets.filter(\.isRemoved).map { line in
      var result = TargetResult(id: line.id, name: line.name, outcome: .updated, output: line.output)
      result.reason = line.reason
      return result
    }
  }

  /// The plan in which nothing is said of these targets: what was asked for them was the source that they have had.
  package func leavingOpen(_ targets: Set<TargetID>) -> Plan {
    guard !targets.isEmpty else { return self }
    var plan = self
    for (index, line) in self.targets.enumerated() where targets.contains(line.id) && line.failure != nil {
      plan.targets[index].failure = nil
      plan.targets[index].action = .maybe
    }
    return plan
  }
}

extension PlannedTarget {
  /// Whether its output is made anew since the manifest makes another one of the same source.
  fileprivate var isRemade: Bool { if case .stale(.definitionChanged)? = reason { true } else { false } }
}
