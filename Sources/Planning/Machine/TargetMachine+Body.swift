import SyncModel

/// The body's path: taking, checking, comparing with the output, publishing, recording.
extension TargetMachine {
  // MARK: Taking

  mutating func takeBody(of size: Int64?, _ facts: PartialFacts?) {
    discardBody()
    result.bytesResumed = 0
    intake.partial = facts
    intake.hasBody = true
    emit(.takeBody(size: size, facts))
    seekDemands(anew: false)
  }

  mutating func copyOpened(_ size: Int64) {
    guard phase == .fetching else { return }
    if let taken = cache?.taken, isWrong(size, of: taken.file) { return leaveCache(isBad: true) }
    takeBody(of: size, nil)
  }

  mutating func discardBody() {
    (intake.whole, intake.partial) = (nil, nil)
    guard intake.hasBody else { return }
    intake.hasBody = false
    emit(.discardBody)
  }

  // MARK: What it must be

  /// Finds the body's demands; only the first call does the work, unless `anew` requests every sidecar again.
  mutating func seekDemands(anew: Bool) {
    guard anew || !intake.hasSought else {
      if let cause = demands.failure, phase == .fetching { fail(cause) }
      return
    }
    intake.hasSought = true
    intake.signatureFaults = nil
    demands.renew()
    if demands.isEmpty { return demandsFound(.success([])) }
    emit(.findDemands(anew: anew))
  }

  mutating func demandsFound(_ found: Result<[BodyDemands.Finding], FailureCause>) {
    demands.note(found)
    guard phase == .fetching else { return }
    if cache?.stage == .naming {
      lookInCache()
    } else if fetch.exchange == .refreshingSidecars {
      if let cause = demands.failure { return fail(cause) }
      if let action = fetch.machine?.sidecarsRefreshed() { follow(action) }
    } else if intake.whole != nil {
      compare()
    } else if intake.hasBody, let cause = demands.failure {
      // No more is taken of a body that cannot be checked.
      fail(cause)
    }
  }

  mutating func signaturesChecked(_ faults: [Int: FailureCause]) {
    guard phase == .fetching else { return }
    intake.signatureFaults = faults
    compare()
  }

  mutating func bodyFinished(_ content: BodyContent) {
    guard phase == .fetching, intake.hasBody else { return }
    intake.whole = content
    if !intake.hasSought { return seekDemands(anew: false) }
    if demands.areKnown { compare() }
  }

  /// Compares a body that passed its steps with everything that it must be.
  private mutating func compare() {
    guard let whole = intake.whole else { return }
    if fetch.machine?.fits(whole.download.size) == false {
      discardBody()
      return bodyIsWhole(provenByContent: false, size: whole.download.size)
    }
    let judgement =
      announced.isEmpty ? .unknown : announced.judge(whole.download, part: whole.partDigests)
    if case .differs(let told, let actual) = judgement { return bodyDiffers(from: told, actual) }
    if let cause = demands.failure { return fail(cause) }
    if demands.haveSignatures, intake.signatureFaults == nil { return emit(.checkSignatures) }
    if let mismatch = demands.mismatch(in: whole, signatureFaults: intake.signatureFaults ?? [:]) {
      // A list of the locked version says no more than the lock, whose message names the way out.
      let locked = mismatch.isOfList ? lockMismatch(whole) : nil
      return bodyFailed(locked ?? mismatch.cause, mayBeOutOfStep: mismatch.isOfSidecar)
    }
    if let cause = lockMismatch(whole) { return bodyFailed(cause, mayBeOutOfStep: false) }
    guard fetch.machine != nil else {
      return finishDownload(cache?.taken?.observed ?? intake.held?.confirmed)
    }
    bodyIsWhole(
      provenByContent: whole.lengthIsProvenByContent || !demands.isEmpty || judgement == .matches,
      size: whole.download.size)
  }

  private mutating func bodyIsWhole(provenByContent: Bool, size: Int64) {
    guard case .judging(let isProven) = fetch.exchange else { return }
    cache?.isProven = isProven || provenByContent
    guard
      let action = fetch.machine?.bodyIsWhole(
        provenByFraming: isProven, provenByContent: provenByContent, size: size)
    else { return }
    follow(action)
  }

  /// Why the body may not be taken; `nil` if it is as locked, or not pinned.
  private func lockMismatch(_ whole: BodyContent) -> FailureCause? {
    let isFetched = target.source.mirrors != nil
    return question.pin.flatMap {
      PinRules.mismatch(
        $0, of: target.name, at: terms.manifest.place, download: isFetched ? whole.download : nil,
        output: whole.output)
    }
  }

  // MARK: Bodies that do not pass

  /// A body that differs from the server's digest was damaged on its way (contract, section 5).
  private mutating func bodyDiffers(from told: ServerDigest, _ actual: HexDigest) {
    let url = (fetch.machine == nil ? intake.partial?.url : fetch.lastURL) ?? ""
    bodyFailed(.serverDigestMismatch(url: url, told, actual: actual), mayBeOutOfStep: false)
  }

  /// The server's digest is judged before the step's refusal.
  mutating func bodyRefused(_ refused: RefusedBody) {
    guard phase == .fetching, intake.hasBody else { return }
    intake.received = refused.download.size
    let isCutShort =
      refused.cause.traits.contains(.cutShort) && fetch.exchange == .judging(isProvenByFraming: false)
    switch announced.judge(refused.download, part: refused.partDigests) {
    // What came may be right as far as it goes.
    case .differs where isCutShort: break
    case .differs(let told, let actual): return bodyDiffers(from: told, actual)
    case .matches: if case .judging = fetch.exchange { fetch.exchange = .judging(isProvenByFraming: true) }
    case .unknown: break
    }
    bodyFailedInSteps(refused.cause, refused.download.size)
  }

  mutating func bodyFailedInSteps(_ cause: FailureCause, _ accepted: Int64) {
    guard phase == .fetching, intake.hasBody else { return }
    intake.received = accepted
    bodyFailed(
      cause, mayBeOutOfStep: cause.traits.contains(.content) && demands.dependOnSidecar)
  }

  private mutating func bodyFailed(_ cause: FailureCause, mayBeOutOfStep: Bool) {
    if let taken = cache?.taken, !cause.traits.contains(.local) || isOfDoubtfulBytes(cause, taken.file) {
      if cause.traits.contains(.local) { cache?.refusal = cause }
      // Its digest is judged before everything else.
      let isBad = if case .serverDigestMismatch = cause { true } else { false }
      return leaveCache(isBad: isBad)
    }
    let received = intake.refuse()
    if cause.traits.contains(.cutShort), case .judging(isProvenByFraming: false) = fetch.exchange,
      fetch.machine?.maySalvage == true
    {
      intake.salvaging = (cause, received)
      return emit(.salvageBody)
    }
    giveUp(cause, mayBeOutOfStep: mayBeOutOfStep, received: received)
  }

  mutating func bodySalvaged(_ offset: Int64?) {
    guard phase == .fetching, let (cause, received) = intake.salvaging else { return }
    salvaged(cause, received, offset ?? 0)
  }

  /// The received part of a truncated body is available again, up to `offset`; 0 if nothing is.
  mutating func salvaged(_ cause: FailureCause, _ received: Int64, _ offset: Int64) {
    intake.salvaging = nil
    result.bytesResumed = min(result.bytesResumed, offset)
    guard offset > 0 else { return giveUp(cause, mayBeOutOfStep: false, received: received) }
    tellFetch(cause, mayBeOutOfStep: false, received: received, kept: offset)
  }

  private mutating func giveUp(_ cause: FailureCause, mayBeOutOfStep: Bool, received: Int64) {
    if !cause.traits.contains(.keepsPartial) { discardBody() }
    if fetch.machine != nil {
      tellFetch(cause, mayBeOutOfStep: mayBeOutOfStep, received: received, kept: 0)
    } else if let whole = intake.held, !intake.hasBody {
      // The partial download of an earlier run fails the checks: the target is fetched without it.
      intake.held = nil
      result.bytesResumed = 0
      if mayBeOutOfStep { seekDemands(anew: true) }
      startFetch(conditions: whole.otherwise, offset: 0)
    } else {
      fail(cause)
    }
  }

  private mutating func tellFetch(
    _ cause: FailureCause, mayBeOutOfStep: Bool, received: Int64, kept: Int64
  ) {
    let isProven = fetch.exchange == .judging(isProvenByFraming: true)
    if fetch.isConnected { emit(.hangUp) }
    let action = fetch.machine?.bodyFailed(
      cause, provenByFraming: isProven, endedEarly: cause.traits.contains(.cutShort),
      mayBeOutOfStep: mayBeOutOfStep, received: received, kept: kept)
    if let action { follow(action) }
  }

  // MARK: Putting it in place

  mutating func finishDownload(_ observed: Validators?) {
    guard let body = intake.whole else { return fail(.internalError("a body without a result")) }
    intake.observed = observed
    phase = .settling(.comparison)
    guard case .file(let signature) = question.output, signature.size == body.output.size else {
      return publish(body)
    }
    if let digest = question.facts.outputDigests?[.sha256] { return compareOutput(with: digest) }
    if let record = decision?.record, record.output == target.path {
      return compareOutput(with: record.content.sha256)
    }
    emit(.readOutput([.sha256]))
  }

  mutating func compareOutput(with digest: HexDigest?) {
    guard let body = intake.whole else { return fail(.internalError("a body without a result")) }
    // Files of a folder may get other modes, which its digest does not have.
    guard digest == body.output.sha256, body.tree?.changes.total ?? 0 == 0 else { return publish(body) }
    // Another file than the judged one may be there now: then the committer checks it.
    phase = .settling(.observation)
    emit(.observeOutput)
  }

  mutating func outputObserved(_ observation: OutputObservation) {
    guard phase == .settling(.observation), let body = intake.whole else { return }
    stillStands(observation) ? leaveUnchanged(body) : publish(body)
  }

  /// Whether the judged file is still there. Its times may differ: all its names share them.
  private func stillStands(_ observation: OutputObservation) -> Bool {
    guard case .file(let judged) = question.output else { return false }
    return switch observation {
    case .file(let now): now.size == judged.size && now.inode == judged.inode
    // The system gives no answer. Nothing shows that the file has gone, and the next run checks again.
    case .unusable(.system): true
    case .missing, .incomplete, .unusable: false
    }
  }

  private mutating func leaveUnchanged(_ body: BodyContent) {
    if intake.hasBody {
      intake.hasBody = false
      emit(.discardBody)
    }
    guard case .file(let signature) = question.output else {
      return fail(.internalError("an output vanished"))
    }
    let time = RecordRules.time(of: target, intake.observed, now: now)
    let isDeferred = defers(time, unchanged(body, signature))
    phase = .settling(.unchangedTime)
    emit(.setTime(isDeferred ? nil : time, ifStill: signature, holding: body.output.sha256))
  }

  private func unchanged(_ body: BodyContent, _ signature: FileSignature) -> TargetRecord {
    var record = records.unchanged(
      body, intake.observed, hasServerDigest: hasServerDigest, signature, since: decision?.record)
    noteCheck(&record)
    return record
  }

  /// A body from a cache may have come without a question to its source.
  private func noteCheck(_ record: inout TargetRecord) {
    switch cache?.taken?.check {
    case nil, .now: break
    case .at(let time): record.checkedAt = time
    case .never: record.checkedAt = nil
    }
  }

  /// Whether the source sent a digest, which it may send again; a cache's does not count.
  private var hasServerDigest: Bool { !announced.ofFile.isEmpty && cache?.taken == nil }

  mutating func unchangedTimeSet(_ set: Result<FileSignature, FailureCause>) {
    guard let body = intake.whole else { return }
    switch set {
    case .success(let signature):
      emit(.remember(unchanged(body, signature)))
      result.isUnchanged = true
      endUpdated(body)
    case .failure(let cause): fail(cause)
    }
  }

  private mutating func publish(_ body: BodyContent) {
    guard terms.options.writeFault == nil, intake.hasBody else {
      return fail(terms.options.writeFault ?? .internalError("a body without a file"))
    }
    phase = .closing(.publication)
    intake.hasBody = false
    if let adopted = records.adopted(decision) { emit(.remember(adopted)) }
    if let pageURL = intake.pageURL, cache?.taken == nil { warn(.webPage(target.id, url: pageURL)) }
    let publication = publication(of: body)
    intake.publication = publication
    emit(.publish(publication))
  }

  private func publication(of body: BodyContent) -> TargetAction.Publication {
    let unsigned = FileSignature(size: body.output.size, modified: now, changed: now, inode: 0)
    var record = records.fetched(
      body, intake.observed, hasServerDigest: hasServerDigest, unsigned, since: decision?.record)
    noteCheck(&record)
    return TargetAction.Publication(
      record: record,
      // If nothing was there before, the present file is not an edit of the recorded one.
      over: question.output, overDigest: knownDigest,
      contradictsRecord: question.record.map { $0.content.sha256 != record.content.sha256 } ?? false,
      modified: RecordRules.time(of: target, intake.observed, now: now))
  }

  /// The present output's digest, if it was needed.
  private var knownDigest: HexDigest? {
    guard !question.output.isMissing else { return nil }
    return question.facts.outputDigests?[.sha256] ?? decision?.record?.content.sha256
  }

  mutating func published(
    _ published: Result<FileSignature, FailureCause>, _ keptPartial: Int64, _ isBegun: Bool
  ) {
    guard phase == .closing(.publication), let body = intake.whole, let publication = intake.publication
    else { return }
    switch published {
    case .success(let signature):
      if withholds {
        var record = publication.record
        record.signature = signature
        emit(
          .withhold(
            TargetAction.Withholding(
              record: record, keepsTime: publication.modified != nil, over: publication.over,
              overDigest: publication.overDigest)))
      }
      endUpdated(body)
    case .failure(let cause):
      if isBegun { question.output = .incomplete(.interruptedChange) }
      fail(cause, keptPartial: keptPartial)
    }
  }

  private mutating func endUpdated(_ body: BodyContent) {
    result.outcome = .updated
    if terms.options.cache != .none { noteOrigin(body) }
    if terms.options.collectsPins {
      result.pin = PinRules.pin(
        ofUpdated: question, body.download, body.output, intake.observed, in: terms.manifest)
    }
    result.content = body.output
    result.tree = body.tree
    // A lost record is no change of the folder; its empty folders are in the digest only.
    if let changes = body.tree?.changes, changes.total == 0, changes.kept > 0, !changes.dropsOthers {
      result.isUnchanged = question.record.map { $0.content == body.output } ?? true
    }
    emit(.settle(body.output))
    end()
  }

  // MARK: What an earlier run withheld (contract, sections 8 and 10)

  private var withholds: Bool { terms.withholds(target.id) }

  /// Uses the withheld output of the target, if possible; whether that was done, or begun with a question to the
  /// source.
  ///
  /// `conditions` are those of the question otherwise.
  mutating func usesWithheld(conditions: Validators?) -> Bool {
    guard let earlier = leftovers.withheld,
      // A published output need not be published again.
      decision?.record?.content.sha256 != earlier.content.sha256
    else { return false }
    var question = question
    question.dependencies = dependencies.compactMap(\.state)
    switch WithheldRule.use(earlier, for: question) {
    case .drop: return false
    case .take:
      takeWithheld(earlier, observed: nil)
      return true
    case .ask(let validators):
      intake.held = BodyCourse.Held(otherwise: conditions, withheld: earlier)
      startFetch(conditions: validators, offset: 0)
      return true
    }
  }

  /// The withheld file becomes the output with those that it waits for; `observed` has the source's validators.
  mutating func takeWithheld(_ earlier: TargetRecord, observed: Validators?) {
    let record = records.reused(earlier, observed)
    emit(
      .withhold(
        TargetAction.Withholding(
          record: record, keepsTime: nil, over: question.output, overDigest: knownDigest)))
    result.outcome = .updated
    if terms.options.collectsPins {
      result.pin = PinRules.pin(
        ofUpdated: question, record.download, record.content, record.validators, in: terms.manifest)
    }
    result.content = record.content
    emit(.settle(record.content))
    end()
  }

  /// Notes that an output that stays is to get another time; whether that waits, as new outputs do.
  mutating func defers(_ time: Timestamp?, _ record: TargetRecord) -> Bool {
    guard withholds else { return false }
    if let time, time != record.signature.modified { emit(.retime(record, time)) }
    return true
  }
}
