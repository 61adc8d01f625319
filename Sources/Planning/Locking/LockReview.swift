package import SyncModel

/// Contradictions between a lock and its manifest (contract, section 8, `--locked`).
package struct LockReview: Sendable {
  /// Targets without a pin, in manifest order.
  package var lacking: [TargetID] = []
  /// The names of targets with `list` of which no entry is locked or known, in manifest order.
  package var lackingLists: [String] = []
  /// The variables whose values are not locked, in manifest order.
  package var lackingValues: [ManifestValue] = []
  /// What a lock of all targets would no longer have, since the manifest has no such targets.
  package var leaving: [TargetName] = []
  /// In manifest order; for each target the first that was found.
  package var contradictions: [(id: TargetID, what: LockContradiction)] = []

  /// Compares every target with its pin; pins without a target are only named.
  package init(_ lock: LockFile, _ manifest: Manifest) {
    var left = lock.pins.count
    for target in manifest.present {
      guard let pin = lock.pins[target.name] else {
        lacking.append(target.id)
        continue
      }
      left -= 1
      // What stands for a target whose value is not known says nothing of it.
      if case .unlisted(.valueInvalid) = target.source { continue }
      if let what = LockContradiction.find(pin, target, lock, manifest) {
        contradictions.append((target.id, what))
      }
    }
    lackingValues = manifest.values.filter { lock.text(of: $0) == nil }
    if left > 0 { leaving = Self.leaving(lock, manifest) }
    guard !manifest.templates.isEmpty else { return }
    let names = Set(manifest.present.map(\.name.text))
    lackingLists = manifest.templates.filter { $0.targets.isEmpty }.map(\.list.template)
      .filter { !names.contains($0) && !lock.emptyLists.contains($0) }
  }

  private static func leaving(_ lock: LockFile, _ manifest: Manifest) -> [TargetName] {
    // Those that wait for a value may be some of them.
    guard manifest.waiting.isEmpty else { return [] }
    let (names, unknown) = (Set(manifest.present.map(\.name)), UnknownEntries(in: manifest, isWhole: true))
    return lock.pins.filter { !names.contains($0.key) && !unknown.stay(ofList: $0.value.entry?.template) }
      .keys.sorted()
  }

  /// Only what concerns `selection`, which has no target of a list that is not known.
  package func of(_ selection: [TargetID]) -> LockReview {
    var part = self
    let chosen = Set(selection)
    part.lackingValues = lackingValues.filter { $0.users.contains { chosen.contains($0) } }
    part.lacking = lacking.filter { chosen.contains($0) }
    part.lackingLists = []
    part.contradictions = contradictions.filter { chosen.contains($0.id) }
    return part
  }
}

/// In what way a pin cannot be true of the target as the manifest has it now.
package enum LockContradiction: Sendable, Equatable {
  /// The source is another; both as the lock spells them.
  case source(locked: Pin.Source, now: Pin.Source)
  /// The manifest names a sha256 of the download or the output that is not the locked one.
  case digest(locked: HexDigest, now: HexDigest)
  /// The manifest names a size that is not the locked one.
  case size(locked: Int64, now: Int64)
  /// The steps that transform are others than those that made the locked output.
  case steps(locked: [String], now: [String])
  /// The download and the output differ, though no step transforms the download.
  case notTransformed
  /// They are the same, though a step does.
  case transformed
  /// A folder is locked and the manifest makes a file, or the reverse.
  case otherKind(lockedFolder: Bool)

  static func find(
    _ pin: Pin, _ target: Target, _ lock: LockFile, _ manifest: Manifest
  ) -> LockContradiction? {
    let now = LockRenewal.source(of: target, in: manifest)
    guard pin.source == now else { return .source(locked: pin.source, now: now) }
    guard pin.output.isTree == target.output.isFolder else {
      return .otherKind(lockedFolder: pin.output.isTree)
    }
    if !pin.steps.isEmpty {
      let steps = Definition.transformingSteps(of: target, in: manifest)
      guard pin.steps == steps else { return .steps(locked: pin.steps, now: steps) }
    }
    let came = if case .target(let input) = now { lock.pins[input]?.output } else { pin.download }
    if let came {
      let transforms = target.steps.contains(where: \.transforms)
      if transforms == (came == pin.output) { return transforms ? .transformed : .notTransformed }
    }
    return ofRule(pin, target) ?? ofSteps(pin, target.steps)
  }

  private static func ofRule(_ pin: Pin, _ target: Target) -> LockContradiction? {
    guard case .digest(let rule)? = target.freshness?.innermost, case .literal(let now) = rule.expected,
      let locked = rule.of.among(download: pin.download, output: pin.output)
    else { return nil }
    return differs(locked, rule.algorithm, now)
  }

  /// Steps before the first that transforms speak of the download, those after the last of the output.
  private static func ofSteps(_ pin: Pin, _ steps: [Step]) -> LockContradiction? {
    let first = steps.firstIndex(where: \.transforms) ?? steps.endIndex
    let last = steps.lastIndex(where: \.transforms) ?? -1
    for (index, step) in steps.enumerated() {
      guard let locked = index > last ? pin.output : index < first ? pin.download : nil else { continue }
      switch step {
      case .verifyDigest(let algorithm, .literal(let now)):
        if let found = differs(locked, algorithm, now) { return found }
      case .verifyTree(let now):
        if let found = differs(locked, .sha256, now) { return found }
      case .verifySize(let now) where now != locked.size: return .size(locked: locked.size, now: now)
      default: break
      }
    }
    return nil
  }

  /// The lock knows no other algorithm's digest.
  private static func differs(
    _ locked: Pin.Content, _ algorithm: DigestAlgorithm, _ now: HexDigest
  ) -> LockContradiction? {
    algorithm == .sha256 && now != locked.sha256 ? .digest(locked: locked.sha256, now: now) : nil
  }
}
