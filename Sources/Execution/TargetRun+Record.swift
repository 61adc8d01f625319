import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// What a run finds of its target before, and what is remembered of it at the end.
extension TargetRun {
  /// A download that an earlier run brought here to its last byte, but could not put in place.
  struct WholeBody {
    /// What would be asked if it were not here.
    var otherwise: Validators?
    /// Set for one that an earlier update has withheld, steps and all.
    var withheld: TargetRecord?
    /// Set once the source has said that it still has just this.
    var confirmed: Validators?
  }

  enum Phase {
    case assessing, fetching
    /// Looks at what is here; nothing is lost by stopping.
    case settling
    /// In the committer's hands, or keeping what can be resumed: it ends by itself, and soon.
    case closing
    case over
  }

  /// Whether the source has again what is recorded, and not the later version that was brought here whole.
  func hasAgain(_ observed: Validators) -> Bool {
    guard let asked = wholeBody?.otherwise, let rule = target.freshness?.innermost else { return false }
    return SourceJudge.answer(rule: rule, asked: asked, observed: observed, now: SystemClock.now())
      == .confirmed
  }

  /// What the next run has to ask, where it may ask nothing else; `nil` where this one had more to do than that.
  var revalidated: Revalidation? {
    guard let asking, let confirmed, let fetch, fetch.lastStatus == 304, fetch.totals.requests == 1 else {
      return nil
    }
    return Revalidation(asking: asking, assessment.question, confirmed: confirmed)
  }

  /// Whether a file stood in the output's place when the target was judged.
  var isReplacing: Bool { if case .file = assessment.question.output { true } else { false } }

  /// Whether the file that was judged stands there by now. Its times may be others: they are those of all its names.
  var outputStillStands: Bool {
    guard case .file(let judged) = assessment.question.output else { return false }
    return switch context.root.observe(target.output) {
    case .file(let now): now.size == judged.size && now.inode == judged.inode
    // The system does not say; nothing tells that it has gone, and the next run looks again.
    case .unusable(.system): true
    case .missing, .unusable: false
    }
  }

  /// Whether what comes is held against a digest, the lock's among them, before it is put in place.
  var isCheckedByDigest: Bool { !expectations.all.isEmpty || assessment.question.pin?.download != nil }

  /// How many bytes there are of what the source is asked about, `offset` of which an earlier run left.
  ///
  /// Bytes that nobody has checked as a whole are not taken for another host's without a digest.
  func askedSize(_ offset: Int64) -> Int64? {
    guard wholeBody != nil else { return decision?.record?.download?.size }
    return isCheckedByDigest && intake?.partial?.facts.validator.etag != nil ? offset : nil
  }

  /// What a body can be gone on from by; `nil` where it cannot, or is not worth two files.
  func facts(of reply: FetchReply) -> PartialDownload.Facts? {
    guard let validator = reply.strongValidator, reply.length ?? .max > BodyIntake.smallestPartial
    else { return nil }
    return PartialDownload.Facts(
      url: reply.validators.url, validator: validator, total: reply.length,
      lastModified: reply.validators.lastModified, digests: reply.announced.ofFile)
  }

  /// Of an output that stays, since what was downloaded makes the same.
  func recordOfUnchanged(
    _ whole: PipelineResult, _ observed: Validators?, _ signature: FileSignature
  ) -> TargetRecord {
    var record = record(whole, observed, signature)
    record.updatedAt = decision?.record?.updatedAt ?? min(signature.modified, record.checkedAt)
    return record
  }

  /// Remembers a check that succeeded, a signature that is not the recorded one, or a file first seen.
  func renewRecord(_ reason: FreshReason, _ content: ContentIdentity) {
    guard case .file(var signature) = assessment.question.output else { return }
    if reason == .assumedFresh || reason == .keptModified { return }
    let hasChecked = confirmed != nil || assessment.hasAskedSource
    let recorded = decision?.record
    // A digest that had to be taken once need not be taken again.
    let learnt = (assessment.question.facts.outputDigests ?? [:]).filter {
      recorded?.content.digests[$0.key] == nil
    }
    var restsOnNote = false
    if case .withinInterval = reason, let recorded { restsOnNote = context.records.isOnlyNoted(recorded) }
    guard
      hasChecked || decision?.recordNeedsRenewal == true || recorded?.name != target.name || !learnt.isEmpty
        || restsOnNote
    else { return }
    let now = SystemClock.now()
    var record =
      decision?.record
      ?? TargetRecord(
        name: target.name, output: target.output, definition: assessment.question.definition,
        signature: signature, content: content, download: nil, validators: confirmed,
        inputs: inputs(copied: nil),
        checkedAt: TargetRecord.neverChecked, updatedAt: min(signature.modified, now))
    record.name = target.name
    record.signature = signature
    record.content.digests.merge(learnt) { _, new in new }
    if hasChecked { record.checkedAt = now }
    record.validators = record.validators.map(renewed)
    // Where the file never came from the source (`-t`, or found no older), that is the date of other bytes, and its
    // own holds. Where it did, the rule may be new, or somebody has touched it.
    if hasChecked, record.download != nil, let time = target.modifiedTime(record.validators),
      !Self.bears(time, signature), !defersTime(time, record)
    {
      signature = (try? context.root.setModified(target.output, time, ifStill: signature)) ?? signature
      record.signature = signature
      revalidation = nil
    }
    context.committer?.remember(.commit(record))
  }

  /// What was recorded, as the source has confirmed it.
  ///
  /// Another host that was found to have the same file is what the next request is led to, as far as anybody knows.
  /// A 304 may bring another date for the same bytes: it is what the next request must repeat. Where under `mtime` the
  /// date has confirmed what another ETag does not, the recorded one is gone for good, and would have every reply be a
  /// whole one.
  private func renewed(_ recorded: Validators) -> Validators {
    // If a digest has shown that the bytes are the same, other validators are theirs too.
    if case .fresh(.serverDigestMatches)? = result.reason, let confirmed { return confirmed }
    var validators = recorded
    if let confirmed, case .undecided(.source(let asked))? = asking?.verdict, !asked.holdForAnyURL,
      !confirmed.url.hasSameBytes(as: recorded.url)
    {
      return confirmed
    }
    // That of another file, where it stands beside no ETag and one was asked with.
    if let date = confirmed?.lastModified, recorded.etag == nil || confirmed?.etag != nil {
      validators.lastModified = date
    }
    if let told = confirmed?.etag, let kept = recorded.etag, !kept.weaklyEquals(told) {
      validators.etag = nil
    }
    return validators
  }

  /// Whether a file has been given `time`, as near to it as its file system keeps times: FAT every second second.
  private static func bears(_ time: Timestamp, _ signature: FileSignature) -> Bool {
    signature.modified <= time && time - signature.modified < .seconds(2)
  }

  /// What is to be recorded before the next intention; `nil` where all is recorded.
  ///
  /// An intention takes the place of an earlier one. If that one is all that says whose the file here is, a
  /// second crash would leave our own file for an edit.
  var adoptedRecord: TargetRecord? {
    guard decision?.recordNeedsRenewal == true, var adopted = decision?.record,
      adopted.output == target.output, case .file(let signature) = assessment.question.output
    else { return nil }
    adopted.signature = signature
    return adopted
  }

  /// Why what came may not be taken; `nil` where it is as locked, or not pinned.
  func lockMismatch(_ whole: PipelineResult) -> FailureCause? {
    let isFetched = if case .urls = target.source { true } else { false }
    return assessment.question.pin.flatMap {
      PinRule.mismatch(
        $0, of: target.name, download: isFetched ? whole.download : nil, output: whole.output)
    }
  }

  /// Why a lock cannot say what the target's source gives; `nil` where it can, where it says it already, and where
  /// nobody asked for a lock.
  ///
  /// Of an edit that is kept, what syncmake wrote last is locked; what is made of the edit is not made of that.
  func editInTheWayOfLock(_ decision: Decision) -> FailureCause? {
    guard context.settings.collectsPins, assessment.question.pin == nil else { return nil }
    switch (decision.verdict, target.source) {
    case (.refused, _): return nil
    case (.fresh(.keptModified), _):
      return holdsStill(decision.record) ? nil : .editedForLock(name: target.name)
    case (_, .target(let id)):
      return context.isKeptEdit(id) ? .editedForLock(name: context.manifest[id].name) : nil
    case (_, .urls): return nil
    }
  }

  /// Whether what syncmake wrote last, where an edit of it is kept, is what the manifest and the locked inputs give now.
  private func holdsStill(_ record: TargetRecord?) -> Bool {
    guard let record, record.output == target.output,
      Definition.changes(from: record.definition, to: assessment.question.definition).isEmpty,
      meetsRule(record)
    else { return false }
    for edge in context.workspace.graph.dependencies(of: target.id) {
      let now: HexDigest?
      switch edge.kind {
      case .from: now = lockedContent(of: context.manifest[edge.from])
      case .verify: now = line(of: edge)
      case .needs, .after: continue
      }
      let name = context.manifest[edge.from].name
      let isSame = record.inputs.contains {
        $0.kind == edge.kind && $0.name == name && $0.entry.hasSameBytes(as: edge.entry) && $0.digest == now
      }
      guard isSame else { return false }
    }
    if case .target = target.source { return true }
    return record.download != nil
  }

  /// Whether a digest in the manifest, which is no part of the definition, is that of what was written.
  private func meetsRule(_ record: TargetRecord) -> Bool {
    guard case .digest(let rule)? = target.freshness?.innermost, case .literal(let digest) = rule.expected
    else { return true }
    return (rule.of == .output ? record.content : record.download)?.digests[rule.algorithm] == digest
  }

  /// What the lock says, or will, of another target's output. Of an edit that is kept, that is what was written last.
  private func lockedContent(of input: Target) -> HexDigest? {
    if let pin = context.workspace.pin(of: input) { return pin.output.sha256 }
    return context.isKeptEdit(input.id)
      ? context.records.record(for: input)?.content.sha256 : context.content(of: input.id)?.sha256
  }

  func line(of edge: TargetGraph.Edge) -> HexDigest? {
    guard let entry = edge.entry, let algorithm = edge.algorithm else { return nil }
    let list = context.manifest[edge.from]
    return try? ExpectedDigest.entry(
      entry, algorithm, in: context.opener(of: list.output)(), list: list.name.text)
  }

  /// What a lock says of a fresh target; `nil` where nobody asked for it, or too little is known.
  func pin(ofFresh content: ContentIdentity?) -> Pin? {
    guard context.settings.collectsPins else { return nil }
    if let pin = assessment.question.pin { return pin }
    let record = decision?.record.flatMap { $0.output == target.output ? $0 : nil }
    let validators = (record?.validators ?? confirmed ?? lockedValidators(of: content)).map(renewed)
    // An edit that is kept is nobody's version but its owner's: what syncmake wrote last is.
    guard let output = record?.content ?? content else { return nil }
    return LockRenewal.pin(
      target, in: context.manifest, download: record?.download, output: output, validators: validators)
  }

  /// What the lock knew the bytes by that are here, where nothing else does: a digest alone has proven them.
  private func lockedValidators(of content: ContentIdentity?) -> Validators? {
    guard let pin = context.workspace.lock?.pins[target.name], pin.output.sha256 == content?.sha256,
      pin.source == LockRenewal.source(of: target, in: context.manifest)
    else { return nil }
    return pin.validators
  }

  /// What a lock says of an updated target; `nil` where nobody asked for it.
  func pin(ofUpdated whole: PipelineResult, _ observed: Validators?) -> Pin? {
    guard context.settings.collectsPins else { return nil }
    return assessment.question.pin
      ?? LockRenewal.pin(
        target, in: context.manifest, download: whole.download, output: whole.output, validators: observed)
  }

  func record(_ whole: PipelineResult, _ observed: Validators?, _ signature: FileSignature)
    -> TargetRecord
  {
    let now = SystemClock.now()
    return TargetRecord(
      name: target.name, output: target.output, definition: assessment.question.definition,
      signature: signature, content: whole.output, download: observed == nil ? nil : whole.download,
      hasServerDigest: observed != nil && !announced.ofFile.isEmpty, validators: observed,
      inputs: inputs(copied: whole.download.sha256), checkedAt: now, updatedAt: now)
  }

  /// What the target is made with, to be compared with what its dependencies hold in the next run.
  ///
  /// `copied` is the digest of the bytes that came through `from`.
  private func inputs(copied: HexDigest?) -> [InputRecord] {
    context.workspace.graph.dependencies(of: target.id).compactMap { edge in
      let name = context.manifest[edge.from].name
      func earlier() -> HexDigest? {
        decision?.record?.inputs.first {
          $0.kind == edge.kind && $0.name == name && $0.entry.hasSameBytes(as: edge.entry)
        }?
        .digest
      }
      let digest: HexDigest? =
        switch edge.kind {
        case .after: nil
        case .needs: context.content(of: edge.from)?.sha256 ?? earlier()
        case .from: copied ?? context.content(of: edge.from)?.sha256 ?? earlier()
        case .verify: entryDigest(edge) ?? earlier()
        }
      return digest.map { InputRecord(kind: edge.kind, name: name, entry: edge.entry, digest: $0) }
    }
  }

  /// What the line that `edge` names gave: to the verdict, else to the verification.
  private func entryDigest(_ edge: TargetGraph.Edge) -> HexDigest? {
    let name = context.manifest[edge.from].name
    for dependency in assessment.question.dependencies
    where dependency.kind == .verify && dependency.name == name
      && dependency.entry.hasSameBytes(as: edge.entry)
    {
      if case .settled(let digest) = dependency.content { return digest }
    }
    return edge.entry.flatMap { expectations.digest(ofEntry: $0, in: edge.from) }
  }
}

extension PartialDownload.Facts {
  /// What asks whether the source still has this version.
  var question: Validators {
    switch validator {
    case .etag(let tag): Validators(etag: tag, url: url)
    case .date(let date): Validators(lastModified: date, url: url)
    }
  }
}
