package import SyncModel

/// A pin's rules for bytes, and for a target's standing (contract, section 8).
package enum PinRules {
  /// Why the bytes for the target `name` of the manifest at `place` are refused; `nil` if they match the lock.
  ///
  /// `download` is `nil` for a target made from another's output, whose input has its own pin.
  package static func mismatch(
    _ pin: Pin, of name: TargetName, at place: CommandPlace, download: ContentIdentity?,
    output: ContentIdentity
  ) -> FailureCause? {
    func compare(_ locked: Pin.Content?, _ actual: ContentIdentity?, ofDownload: Bool) -> FailureCause? {
      guard let locked, let sha256 = actual?.sha256, sha256 != locked.sha256 else { return nil }
      return .lockMismatch(
        name: name, place: place, locked: locked.sha256, actual: sha256, ofDownload: ofDownload)
    }
    return compare(pin.download, download, ofDownload: true) ?? compare(pin.output, output, ofDownload: false)
  }

  /// How a target compares with its pin.
  ///
  /// - Parameters:
  ///   - here: the output's sha256; `nil` if it is missing or cannot be read.
  ///   - hasMoved: whether the source has another version; `false` if it was not asked.
  package static func standing(_ pin: Pin, here: HexDigest?, hasMoved: Bool = false) -> LockStanding {
    if hasMoved { return .moved }
    return here == pin.output.sha256 ? .pinned : .drifted
  }

}

/// What a plan asks to learn whether the source of a pinned target has moved (contract, section 8).
///
/// It is what the target's rule would ask in an `update`, as far as that needs no download.
package enum MoveQuestion: Sendable, Equatable {
  /// Whether the rule names another digest than `locked`, which is that of the locked version.
  case digest(DigestAlgorithm, DigestSource, locked: HexDigest)
  /// Whether the source still has the version with these validators.
  case validators(Validators)
  /// Whether the source sends the digest of another version: there are no validators.
  case serverDigest
}

extension PinRules {
  /// The question for `target`; `nil` if only a download can tell.
  ///
  /// `byValidators`: whether the source is the one that sent them.
  package static func question(
    _ pin: Pin, _ record: TargetRecord?, of target: Target, byValidators: Bool = true
  ) -> MoveQuestion? {
    let known = record.flatMap { isOfLockedBytes($0, pin) ? $0 : nil }
    if let rule = target.digestRule, let locked = digest(rule, pin, known) {
      switch rule.expected {
      // Another sha256 in the manifest contradicts the lock, and says nothing of what the source has.
      case .literal(let digest) where rule.algorithm == .sha256 && digest != locked: return nil
      case .literal, .sidecar: return .digest(rule.algorithm, rule.expected, locked: locked)
      // The update would read the list of another target, which may have moved itself.
      case .entry: break
      }
    }
    if byValidators, let validators = validators(pin, record) { return .validators(validators) }
    guard target.serverDigest == .use, known?.hasServerDigest != false,
      case .web? = target.source.mirrors?.first
    else { return nil }
    return .serverDigest
  }

  /// How the source's answer to ``MoveQuestion/validators(_:)`` is judged: by the rule of an `update`.
  package static func rule(of target: Target) -> FreshnessRule {
    guard let rule = target.freshness?.askingNow, rule.traits.needsValidators else { return .etag }
    return rule
  }

  /// The validators for asking the source whether it has moved; `nil` if there are none.
  ///
  /// A record of the locked bytes is newer than the lock, but only that binds it to a URL.
  package static func validators(_ pin: Pin, _ record: TargetRecord?) -> Validators? {
    if let record, isOfLockedBytes(record, pin), var known = record.validators, !known.isEmpty {
      if known.fileStamp == nil, !known.isOfMirror { known.origin = .anyResource }
      return known
    }
    return pin.validators
  }

  /// The resource of which ``validators(_:_:)`` were recorded, if they are asked of any: a copy of it is the locked
  /// version, too.
  static func resource(_ pin: Pin, _ record: TargetRecord?) -> String? {
    guard let record, isOfLockedBytes(record, pin) else { return nil }
    return record.validators?.url
  }

  /// The locked download, with all digests that are known of it.
  static func download(_ pin: Pin, _ record: TargetRecord?) -> ContentIdentity? {
    if let recorded = record?.download, recorded.sha256 == pin.download?.sha256 { return recorded }
    return pin.download.map { ContentIdentity(size: $0.size, sha256: $0.sha256) }
  }

  private static func isOfLockedBytes(_ record: TargetRecord, _ pin: Pin) -> Bool {
    record.content.sha256 == pin.output.sha256 && record.download != nil
  }

  /// The digest of the locked version that `rule` compares; `record` is of the locked bytes.
  private static func digest(_ rule: DigestRule, _ pin: Pin, _ record: TargetRecord?) -> HexDigest? {
    switch rule.of {
    case .download: download(pin, record)?.digest(rule.algorithm)
    case .output:
      rule.algorithm == .sha256 && !pin.output.isTree
        ? pin.output.sha256 : record?.content.digest(rule.algorithm)
    }
  }
}

extension PinRules {
  /// Why a lock cannot record the target's source; `nil` if it can, or has it already.
  ///
  /// For a kept edit, the version that syncmake wrote last is locked. A target that is made of the edit is not made
  /// of that version.
  static func editPreventsLock(
    _ decision: Decision, _ question: FreshnessQuestion, _ dependencies: [DependencyFacts]
  ) -> FailureCause? {
    guard question.pin == nil else { return nil }
    switch (decision.verdict, question.target.source) {
    case (.refused, _): return nil
    case (.fresh(.keptModified), _):
      return isStillCurrent(decision.record, question, dependencies)
        ? nil : .editedForLock(name: question.target.name)
    case (_, .target(let id)):
      return dependencies.first { $0.id == id && $0.isKeptEdit }.map { .editedForLock(name: $0.name) }
    case (_, .urls), (_, .entry), (_, .unlisted), (_, .gone): return nil
    }
  }

  /// Whether the version that syncmake wrote last, before a kept edit, is the result of the present manifest and
  /// the locked inputs.
  private static func isStillCurrent(
    _ record: TargetRecord?, _ question: FreshnessQuestion, _ dependencies: [DependencyFacts]
  ) -> Bool {
    let target = question.target
    guard let record, record.output == target.path,
      Definition.changes(from: record.definition, to: question.definition).isEmpty,
      meetsDigestRule(record, target)
    else { return false }
    for dependency in dependencies where dependency.kind == .from || dependency.kind == .verify {
      let isSame = record.inputs.contains { dependency.isSame(as: $0) && $0.digest == dependency.locked }
      guard isSame else { return false }
    }
    return record.isMade(as: target)
  }

  /// Whether a digest in the manifest, which is not part of the definition, is that of the written file.
  private static func meetsDigestRule(_ record: TargetRecord, _ target: Target) -> Bool {
    guard let rule = target.digestRule, case .literal(let digest) = rule.expected else { return true }
    return record.digest(comparedBy: rule) == digest
  }

  /// The pin of a target whose output is new: the lock's, or one of what came.
  static func pin(
    ofUpdated question: FreshnessQuestion, _ download: ContentIdentity?, _ output: ContentIdentity,
    _ validators: Validators?, in manifest: Manifest
  ) -> Pin? {
    question.pin
      ?? LockRenewal.pin(
        question.target, in: manifest, download: download, output: output, validators: validators)
  }

  /// The pin of a fresh target; `nil` if too little is known.
  ///
  /// - Parameters:
  ///   - content: of the output; `nil` if unknown.
  ///   - lock: the present lock, if any.
  static func pin(
    ofFresh question: FreshnessQuestion, _ record: TargetRecord?, _ content: ContentIdentity?,
    _ reason: FreshReason?, after check: RecordRules.Check, in manifest: Manifest, lock: LockFile?
  ) -> Pin? {
    if let pin = question.pin { return pin }
    let target = question.target
    let record = record.flatMap { $0.output == target.path ? $0 : nil }
    // An edit that is kept is a version of its owner's: the version that syncmake wrote last is locked.
    guard let output = record?.content ?? content else { return nil }
    let known =
      record?.validators ?? check.confirmed ?? lockedValidators(of: target, content, in: manifest, lock)
    return LockRenewal.pin(
      target, in: manifest, download: record?.download, output: output,
      validators: known.map { RecordRules.validators($0, reason, check) })
  }

  /// The lock's validators of the present bytes, if no others are known: only a digest has proven the bytes.
  private static func lockedValidators(
    of target: Target, _ content: ContentIdentity?, in manifest: Manifest, _ lock: LockFile?
  ) -> Validators? {
    guard let pin = lock?.pins[target.name], pin.output.sha256 == content?.sha256,
      pin.source == LockRenewal.source(of: target, in: manifest)
    else { return nil }
    return pin.validators
  }
}
