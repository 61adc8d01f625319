import SyncModel

/// The verdict of a target's own rule: lines 7 (no record) and 8 of the table in the contract, section 3.
struct RuleVerdict {
  private let question: FreshnessQuestion
  private let record: TargetRecord?
  private let signature: FileSignature

  /// `record` speaks of the very file that `signature` is of, or is `nil`.
  init(_ question: FreshnessQuestion, _ record: TargetRecord?, _ signature: FileSignature) {
    self.question = question
    self.record = record
    self.signature = signature
  }

  var verdict: Verdict {
    guard let rule = question.rule else {
      return record == nil ? .stale(.neverSynced) : .fresh(.inputsUnchanged)
    }
    return listed ?? verdict(by: rule)
  }

  /// What the list says of the entry; `nil` if that decides nothing (contract, section 11).
  private var listed: Verdict? {
    guard let record else { return Self.listedRule(of: question.target).map(digest) }
    guard let now = Definition.revision(in: question.definition) else { return nil }
    let recorded = Definition.revision(in: record.definition)
    switch RevisionRule.verdict(now, since: record) {
    case .unchanged(let evidence): return .fresh(.listUnchanged(evidence))
    case .changed(let evidence):
      return .stale(
        .listChanged(evidence, was: recorded?.text(of: evidence), now: now.text(of: evidence)))
    case .unknown: return nil
    }
  }

  /// The rule by which a listed digest judges a file of which nothing is recorded, as `freshness` with that digest does;
  /// `nil` if the list has none, or none that can be compared with the file.
  private static func listedRule(of target: Target) -> DigestRule? {
    guard case .entry(let entry) = target.source,
      let digest = entry.revision.digests.max(by: { $0.algorithm < $1.algorithm })
    else { return nil }
    let rule = DigestRule(algorithm: digest.algorithm, expected: .literal(digest.value))
    return local(rule, target, nil) == .unknown ? nil : rule
  }

  private func verdict(by rule: FreshnessRule) -> Verdict {
    switch rule {
    case .etag: etag
    case .mtime: mtime
    case .digest(let rule): digest(rule)
    case .interval(let period, let then): withinInterval(period) ?? verdict(by: then)
    case .once: .fresh(.present)
    case .always: .stale(.always)
    }
  }

  private var etag: Verdict {
    guard let record else { return .stale(.neverSynced) }
    // A file that was found no older than its source (`mtime`) has the source's validators, but never came from
    // there.
    guard let recorded = record.validators, record.download != nil,
      !recorded.isEmpty || mayAskForDigest(record)
    else {
      return .stale(.validatorChanged(recorded: nil, observed: nil))
    }
    return switch question.facts.sourceAnswer {
    case nil: .undecided(.source(recorded))
    case .confirmed:
      .fresh(.notModified(ConfirmationRule.evidence(recorded, in: question.facts.confirmation)))
    case .sameDigest(let digest): .fresh(.serverDigestMatches(digest))
    case .changed(let observed): .stale(.validatorChanged(recorded: recorded, observed: observed))
    }
  }

  /// If the publication time of the present file is unknown, its own time is used.
  private var mtime: Verdict {
    let recorded = record.flatMap { record in
      record.validators.flatMap { $0.isEmpty && !mayAskForDigest(record) ? nil : $0 }
    }
    // A download that came without a validator bears the time at which it was made: its source may get a date
    // before that for other bytes.
    if recorded == nil, record?.download != nil { return .stale(.newerRemote(recorded: nil, observed: nil)) }
    let asked = recorded ?? .ownTime(of: signature)
    return switch question.facts.sourceAnswer {
    case nil: .undecided(.source(asked))
    case .confirmed: .fresh(.notModified(ConfirmationRule.evidence(asked, in: question.facts.confirmation)))
    case .sameDigest(let digest): .fresh(.serverDigestMatches(digest))
    case .changed(let observed): .stale(.newerRemote(recorded: asked.date, observed: observed.date))
    }
  }

  /// Whether the source, though it sent no validator, sent a digest that it may send again.
  private func mayAskForDigest(_ record: TargetRecord) -> Bool {
    record.hasServerDigest && record.download != nil && question.target.serverDigest == .use
  }

  /// `nil` unless the last check is as young as the rule wants; one in the future counts as old.
  private func withinInterval(_ period: Duration) -> Verdict? {
    guard let checked = record?.checkedAt, checked <= question.now
    else { return nil }
    let age = question.now - checked
    return age >= .zero && age < period ? .fresh(.withinInterval(age: age, period: period)) : nil
  }

  private func digest(_ rule: DigestRule) -> Verdict {
    let subject = Self.local(rule, question.target, record)
    // Without a record and after a transforming step, no local digest is comparable.
    if record == nil, subject == .unknown { return .stale(.neverSynced) }
    guard let expected = question.facts.expected(by: rule) else {
      return .undecided(.expectedDigest(rule.algorithm, rule.expected))
    }
    let actual: HexDigest?
    switch subject {
    case .known(let digest): actual = digest
    case .unknown: actual = nil
    case .toBeRead:
      guard let digests = question.facts.outputDigests else {
        return .undecided(.outputDigests([.sha256, rule.algorithm]))
      }
      actual = digests[rule.algorithm]
    }
    return actual == expected
      ? .fresh(.digestMatches(rule.algorithm, expected))
      : .stale(.digestDiffers(rule.algorithm, expected: expected, actual: actual))
  }

  /// The digest of the local bytes that a rule compares.
  private enum LocalDigest: Equatable {
    case known(HexDigest)
    /// The output is those bytes: read it.
    case toBeRead
    /// The bytes went through a step and their digest was not recorded.
    case unknown
  }

  private static func local(_ rule: DigestRule, _ target: Target, _ record: TargetRecord?) -> LocalDigest {
    if rule.of == .download {
      if let digest = record?.download?.digests[rule.algorithm] { return .known(digest) }
      if target.steps.contains(where: \.transforms) { return .unknown }
    }
    return record?.content.digests[rule.algorithm].map { .known($0) } ?? .toBeRead
  }

  /// The digests of the output that the target's rule will want, whichever of `candidates` proves true.
  static func outputDigests(
    of target: Target, recordedIn candidates: [TargetRecord?]
  ) -> Set<DigestAlgorithm> {
    var algorithms: Set<DigestAlgorithm> = []
    if candidates.contains(nil), let rule = listedRule(of: target) { algorithms.insert(rule.algorithm) }
    guard case .digest(let rule)? = target.freshness?.innermost else { return algorithms }
    if candidates.contains(where: { local(rule, target, $0) == .toBeRead }) {
      algorithms.insert(rule.algorithm)
    }
    return algorithms
  }
}
