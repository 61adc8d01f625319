package import SyncModel

/// What a pin says of bytes, and of a target's standing (contract, section 8).
package enum PinRules {
  /// Why bytes that came for the target `name` may not be taken; `nil` where they are as locked.
  ///
  /// `download` is `nil` for a target made from another's output, whose input has a pin of its own.
  package static func mismatch(
    _ pin: Pin, of name: TargetName, download: ContentIdentity?, output: ContentIdentity
  ) -> FailureCause? {
    func compare(_ locked: Pin.Content?, _ actual: ContentIdentity?, ofDownload: Bool) -> FailureCause? {
      guard let locked, let sha256 = actual?.sha256, sha256 != locked.sha256 else { return nil }
      return .lockMismatch(name: name, locked: locked.sha256, actual: sha256, ofDownload: ofDownload)
    }
    return compare(pin.download, download, ofDownload: true) ?? compare(pin.output, output, ofDownload: false)
  }

  /// How a target stands to its pin.
  ///
  /// - Parameters:
  ///   - here: the output's sha256; `nil` where it is missing or cannot be read.
  ///   - hasMoved: whether the source said that it has something else; `false` where nobody asked it.
  package static func standing(_ pin: Pin, here: HexDigest?, hasMoved: Bool = false) -> LockStanding {
    if hasMoved { return .moved }
    return here == pin.output.sha256 ? .pinned : .drifted
  }

  /// What to ask the source with to learn whether it has moved; `nil` where nothing can tell.
  ///
  /// A record of the very bytes that are locked knows better than the lock, but no more than that binds it to a URL.
  package static func question(_ pin: Pin, _ record: TargetRecord?) -> Validators? {
    if let record, record.content.sha256 == pin.output.sha256, record.download != nil,
      var known = record.validators, !known.isEmpty
    {
      if known.fileStamp == nil { known.url = Validators.anyURL }
      return known
    }
    return pin.validators
  }
}

extension PinRules {
  /// Why a lock cannot state what the target's source gives; `nil` if it can, or states it already.
  ///
  /// Of an edit that is kept, the version that syncmake wrote last is locked. What is made of the edit is not made of
  /// that version.
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
    case (_, .urls): return nil
    }
  }

  /// Whether what syncmake wrote last, where an edit of it is kept, is what the manifest and the locked inputs give now.
  private static func isStillCurrent(
    _ record: TargetRecord?, _ question: FreshnessQuestion, _ dependencies: [DependencyFacts]
  ) -> Bool {
    let target = question.target
    guard let record, record.output == target.output,
      Definition.changes(from: record.definition, to: question.definition).isEmpty,
      meetsDigestRule(record, target)
    else { return false }
    for dependency in dependencies where dependency.kind == .from || dependency.kind == .verify {
      let isSame = record.inputs.contains { dependency.isSame(as: $0) && $0.digest == dependency.locked }
      guard isSame else { return false }
    }
    if case .target = target.source { return true }
    return record.download != nil
  }

  /// Whether a digest in the manifest, which is no part of the definition, is that of what was written.
  private static func meetsDigestRule(_ record: TargetRecord, _ target: Target) -> Bool {
    guard let rule = target.digestRule, case .literal(let digest) = rule.expected else { return true }
    return (rule.of == .output ? record.content : record.download)?.digests[rule.algorithm] == digest
  }

  /// The pin of a fresh target; `nil` if too little is known.
  ///
  /// - Parameters:
  ///   - content: of the output; `nil` where nobody knows it.
  ///   - lock: the present lock, if any.
  static func pin(
    ofFresh question: FreshnessQuestion, _ record: TargetRecord?, _ content: ContentIdentity?,
    _ reason: FreshReason?, after check: RecordRules.Check, in manifest: Manifest, lock: LockFile?
  ) -> Pin? {
    if let pin = question.pin { return pin }
    let target = question.target
    let record = record.flatMap { $0.output == target.output ? $0 : nil }
    // An edit that is kept is a version of its owner's: the version that syncmake wrote last is locked.
    guard let output = record?.content ?? content else { return nil }
    let known =
      record?.validators ?? check.confirmed ?? lockedValidators(of: target, content, in: manifest, lock)
    return LockRenewal.pin(
      target, in: manifest, download: record?.download, output: output,
      validators: known.map { RecordRules.validators($0, reason, check) })
  }

  /// The lock's validators of the bytes that are here, where nothing else knows any: a digest alone has proven them.
  private static func lockedValidators(
    of target: Target, _ content: ContentIdentity?, in manifest: Manifest, _ lock: LockFile?
  ) -> Validators? {
    guard let pin = lock?.pins[target.name], pin.output.sha256 == content?.sha256,
      pin.source == LockRenewal.source(of: target, in: manifest)
    else { return nil }
    return pin.validators
  }
}
