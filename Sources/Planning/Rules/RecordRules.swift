package import SyncModel

/// The rules for records: the only place that makes a ``TargetRecord``.
package struct RecordRules {
  private let question: FreshnessQuestion
  private let dependencies: [DependencyFacts]
  private let demands: BodyDemands
  private let now: Timestamp

  /// - Parameters:
  ///   - dependencies: of the target, in the graph's order.
  ///   - demands: their findings have the lines that `verify` read.
  ///   - now: the time of the check.
  package init(
    _ question: FreshnessQuestion, _ dependencies: [DependencyFacts], _ demands: BodyDemands, now: Timestamp
  ) {
    self.question = question
    self.dependencies = dependencies
    self.demands = demands
    self.now = now
  }

  private var target: Target { question.target }

  // MARK: A new body

  /// The record of a body that becomes the output.
  ///
  /// - Parameters:
  ///   - observed: the body's validators; `nil` for a copy of another target's output.
  ///   - signature: of the output; a caller that does not know it yet sets it later.
  package func fetched(
    _ body: BodyContent, _ observed: Validators?, hasServerDigest: Bool, _ signature: FileSignature,
    since record: TargetRecord?
  ) -> TargetRecord {
    TargetRecord(
      name: target.name, output: target.path, definition: question.definition, signature: signature,
      content: body.output, download: observed == nil ? nil : body.download,
      hasServerDigest: observed != nil && hasServerDigest, validators: observed,
      inputs: inputs(copied: body.download.sha256, since: record), checkedAt: now, updatedAt: now)
  }

  /// The record of a body that equals the present output, which stays.
  package func unchanged(
    _ body: BodyContent, _ observed: Validators?, hasServerDigest: Bool, _ signature: FileSignature,
    since record: TargetRecord?
  ) -> TargetRecord {
    var new = fetched(body, observed, hasServerDigest: hasServerDigest, signature, since: record)
    new.updatedAt = record?.updatedAt ?? min(signature.modified, now)
    return new
  }

  /// The record of a file that `--touch` takes for up to date. If syncmake wrote its bytes, that stays known.
  package func touched(_ signature: FileSignature, _ content: ContentIdentity) -> TargetRecord {
    var definition = foundDefinition
    let whose = Ownership.of(
      question.output, at: target.path, record: question.record, pending: question.pending,
      sha256: content.sha256)
    if case .ours(let record, _) = whose, !target.output.isFolder, !record.isOnlyFound(as: target) {
      definition.append(DefinitionField(name: DefinitionField.written, value: "yes"))
    }
    return TargetRecord(
      name: target.name, output: target.path, definition: definition, signature: signature,
      content: content, download: nil, validators: nil, inputs: inputs(copied: nil, since: nil),
      checkedAt: now, updatedAt: signature.modified)
  }

  /// The definition of an output that was there. For one that comes from elsewhere, the record says so by the lack of a
  /// download.
  private var foundDefinition: [DefinitionField] {
    guard case .target = target.source else { return question.definition }
    return question.definition + [DefinitionField(name: DefinitionField.found, value: "yes")]
  }

  /// The record of an earlier update's withheld output, used now.
  ///
  /// - Parameter observed: the source's present validators; `nil` if it was not asked.
  package func reused(_ withheld: TargetRecord, _ observed: Validators?) -> TargetRecord {
    var record = withheld
    record.name = target.name
    if observed != nil { record.checkedAt = now }
    record.updatedAt = now
    if let date = observed?.lastModified { record.validators?.lastModified = date }
    return record
  }

  /// The record to write before the next intention; `nil` if nothing is missing.
  ///
  /// An intention replaces an earlier one. If only the earlier one proves the file's owner, a second crash would
  /// make our own file look edited.
  package func adopted(_ decision: Decision?) -> TargetRecord? {
    guard decision?.recordNeedsRenewal == true, var adopted = decision?.record,
      adopted.output == target.path, case .file(let signature) = question.output
    else { return nil }
    adopted.signature = signature
    return adopted
  }

  // MARK: A fresh target

  /// What was asked for a fresh target's verdict: why its record is written.
  package struct Check: Sendable {
    /// Whether the source or a sidecar was asked.
    package var hasAsked = false
    /// The source's validators when it confirmed the output; `nil` if it was not asked.
    package var confirmed: Validators?
    /// The decision for which the source was asked.
    package var asking: Decision?
    /// Whether the record's time of the last check is stored only beside the state, where other checks may drop it.
    package var isOnlyNoted = false
  }

  /// The new record of a fresh target; `nil` if the old one is still right.
  ///
  /// It is written after a successful check, for another signature of the same bytes, for a digest that had to be
  /// computed, for what its list says now (see ``FreshnessQuestion/renewedDefinition(of:by:)``), and for a file without a
  /// record.
  package func renewed(
    _ decision: Decision?, _ reason: FreshReason, _ content: ContentIdentity, after check: Check
  ) -> TargetRecord? {
    // What seed brings up to date, it records.
    guard case .file(let signature) = question.output, question.seed == nil, reason != .assumedFresh,
      reason != .keptModified
    else { return nil }
    let recorded = decision?.record
    // A digest that had to be computed once need not be computed again.
    let learnt = question.facts.outputDigests?.filter { recorded?.content.digest($0.key) == nil } ?? [:]
    var restsOnNote = false
    if case .withinInterval = reason { restsOnNote = check.isOnlyNoted }
    let definition = question.renewedDefinition(of: recorded, by: reason)
    guard
      check.hasAsked || decision?.recordNeedsRenewal == true || recorded?.name != target.name
        || !learnt.isEmpty || restsOnNote || definition != nil
    else { return nil }
    var record =
      recorded
      ?? TargetRecord(
        name: target.name, output: target.path, definition: foundDefinition, signature: signature,
        content: content, download: nil, validators: check.confirmed,
        inputs: inputs(copied: nil, since: nil), checkedAt: nil,
        updatedAt: min(signature.modified, now))
    if recorded?.name != target.name { record.name = target.name }
    if let definition { record.definition = definition }
    record.signature = signature
    if !learnt.isEmpty { record.content.digests.merge(learnt) { _, new in new } }
    if check.hasAsked { record.checkedAt = now }
    if let validators = record.validators { record.validators = Self.validators(validators, reason, check) }
    return record
  }

  /// The recorded validators, as the source has confirmed them.
  ///
  /// A 304 may have another date for the same bytes, which the next request must repeat. If another host has the
  /// same file, the next request will probably be redirected there. If under `mtime` the date has confirmed a
  /// version with another ETag, the recorded ETag would make every later reply a whole body.
  static func validators(_ recorded: Validators, _ reason: FreshReason?, _ check: Check) -> Validators {
    guard let confirmed = check.confirmed else { return recorded }
    // If a digest has shown that the bytes are the same, other validators are theirs too.
    if case .serverDigestMatches? = reason { return confirmed }
    if case .undecided(.source(let asked))? = check.asking?.verdict, !asked.holdForAnyURL,
      confirmed.origin != recorded.origin
    {
      return confirmed
    }
    var validators = recorded
    // The date is another file's if it comes without an ETag although the question had one.
    if let date = confirmed.lastModified, recorded.etag == nil || confirmed.etag != nil {
      validators.lastModified = date
    }
    if let told = confirmed.etag, let kept = recorded.etag, !kept.weaklyEquals(told) { validators.etag = nil }
    return validators
  }

  /// The time that a fresh output should get; `nil` if it has its source's time, or keeps its own.
  ///
  /// A file that never came from the source (`-t`, or found no older) keeps its own time: the source's date belongs
  /// to other bytes. A file that came from there has another time if the rule is new, or the file was touched.
  package func missingTime(_ record: TargetRecord, after check: Check) -> Timestamp? {
    guard check.hasAsked, record.download != nil,
      let time = Self.time(of: target, record.validators, now: now),
      !Self.bears(time, record.signature)
    else { return nil }
    return time
  }

  /// Whether a file has been given `time`, as near to it as its file system keeps times: FAT keeps every second second.
  private static func bears(_ time: Timestamp, _ signature: FileSignature) -> Bool {
    signature.modified <= time && time - signature.modified < .seconds(2)
  }

  /// The time that an output gets from its source (contract, section 3); `nil` if the rule sets none.
  package static func time(of target: Target, _ observed: Validators?, now: Timestamp) -> Timestamp? {
    // A folder has the times of its files, and none of its own.
    guard let observed, target.freshness?.traits.setsTime == true, !target.output.isFolder else { return nil }
    if let text = observed.lastModified { return HTTPDate.parse(text, now: now) }
    return observed.sourceTime
  }

  // MARK: What the target is made with

  /// The dependencies' content that a later run compares.
  ///
  /// - Parameters:
  ///   - copied: the digest of the bytes that came through `from`.
  ///   - record: its inputs are used for facts that this run does not know.
  private func inputs(copied: HexDigest?, since record: TargetRecord?) -> [InputRecord] {
    dependencies.compactMap { dependency in
      func earlier() -> HexDigest? { record?.inputs.first { dependency.isSame(as: $0) }?.digest }
      let digest: HexDigest? =
        switch dependency.kind {
        case .after: nil
        case .needs: dependency.content ?? earlier()
        case .from: copied ?? dependency.content ?? earlier()
        case .verify: line(dependency) ?? earlier()
        }
      return digest.map {
        InputRecord(kind: dependency.kind, name: dependency.name, entry: dependency.entry, digest: $0)
      }
    }
  }

  /// The digest of the line that a `verify` dependency names, as the verdict or a demand read it.
  private func line(_ dependency: DependencyFacts) -> HexDigest? {
    for state in question.dependencies
    where state.kind == .verify && state.name == dependency.name
      && state.entry.hasSameBytes(as: dependency.entry)
    {
      if case .settled(let digest) = state.content { return digest }
    }
    return dependency.entry.flatMap { demands.digest(ofEntry: $0, in: dependency.id) }
  }

  // MARK: What a fresh output holds

  /// The content of a fresh output.
  package enum FreshContent: Sendable, Equatable {
    /// `nil` if there is no file (`-o` allows that), or if it is not needed.
    case known(ContentIdentity?)
    /// The output must be read.
    case unread
  }

  /// Finds a fresh target's content, which its dependents compare.
  ///
  /// A file without a record is read, so that it can be recorded or depended on; so is a file that `-o` leaves
  /// unchecked, since its dependents are made with its present content.
  package static func freshContent(
    _ question: FreshnessQuestion, _ decision: Decision?, isRecording: Bool, hasDependents: Bool
  ) -> FreshContent {
    guard case .file(let signature) = question.output else { return .known(nil) }
    if let digests = question.facts.outputDigests {
      return .known(ContentIdentity(size: signature.size, digests: digests))
    }
    let isAssumed = decision?.verdict == .fresh(.assumedFresh)
    if let record = decision?.record, record.output == question.target.path,
      !isAssumed || record.signature == signature
    {
      return .known(record.content)
    }
    return (isRecording && !isAssumed) || hasDependents ? .unread : .known(nil)
  }
}
