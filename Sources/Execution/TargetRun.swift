import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// Brings one target up to date: verdict, fetch, steps, publication, record, in that order.
final class TargetRun: ActiveTarget {
  let target: Target
  let context: RunContext
  private(set) var result: TargetResult
  private let closing: () -> Void
  private let done: (TargetResult) -> Void
  private let began: Duration
  /// What a ``PlainFetch`` has asked and told before, until the first fetch goes on with it.
  private var heard: HeardExchange?
  let assessment: Assessment
  let expectations: Expectations
  private(set) var intake: BodyIntake?
  private(set) var fetch: FetchRun?
  private var pump: FilePump?
  private(set) var decision: Decision?
  private var pipelineResult: PipelineResult?
  /// What the source said when it confirmed what is here.
  private(set) var confirmed: Validators?
  /// Set once it has ended as fresh by a verdict that stands by itself.
  private(set) var standing: Standing?
  /// Set once it has ended as fresh by nothing but the word of its source.
  var revalidation: Revalidation?
  /// The decision for which the source was asked.
  private(set) var asking: Decision?
  private var hasWarned = false
  /// Of the body that comes, as far as the source told.
  private var bodyLength: Int64?
  private(set) var wholeBody: WholeBody?
  /// What servers have announced of the body that comes or has come.
  var announced = AnnouncedDigests()
  /// Of what the last reply brings, where a digest of that part was announced.
  var partDigester: Digester?
  private var phase = Phase.assessing

  /// `closing` is called when only the disk is to be waited for, `done` once at the end; both on the driver's thread.
  ///
  /// `question` is what there is to ask about the target, and `began` when that was looked up. With `heard` its source
  /// was asked already, plainly, since the output is missing.
  init(
    _ question: consuming FreshnessQuestion, began: Duration, heard: HeardExchange? = nil,
    in context: RunContext, closing: @escaping () -> Void, done: @escaping (TargetResult) -> Void
  ) {
    self.began = began
    self.heard = heard
    target = question.target
    self.context = context
    self.closing = closing
    self.done = done
    assessment = Assessment(question, in: context)
    expectations = Expectations(target, in: context)
    result = TargetResult(id: target.id, name: target.name, outcome: .failed, output: target.output)
    result.isOptional = target.isOptional
  }

  func begin() {
    assessment.start { [self] conclusion in
      guard phase == .assessing else { return }
      switch conclusion {
      case .decided(let decision): act(on: decision)
      case .mustAskSource(let validators, let decision):
        self.decision = decision
        asking = decision
        fetchSource(conditions: validators)
      case .failed(let cause): fail(cause)
      }
    }
  }

  /// Stops cleanly: what can be resumed is kept, what is being put in place is let finish.
  func interrupt() {
    guard phase == .assessing || phase == .fetching || phase == .settling else { return }
    phase = .closing
    fetch?.cancel()
    pump?.cancel()
    let stopped = { [self] in
      result.outcome = .skipped
      result.reason = nil
      result.skipped = .runStopped
      end()
    }
    if let intake { intake.keepPartial { _ in stopped() } } else { stopped() }
  }

  // MARK: Acting on a verdict

  private func act(on decision: Decision) {
    self.decision = decision
    if case .fresh(.keptModified) = decision.verdict { context.noteKeptEdit(target.id) }
    if let cause = editInTheWayOfLock(decision) { return fail(cause) }
    switch decision.verdict {
    case .fresh(let reason): endFresh(reason)
    case .stale(let reason):
      decide(.stale(reason))
      switch target.source {
      case .urls: fetchSource(conditions: nil)
      case .target(let id): copyOutput(of: id)
      }
    case .refused(let cause):
      if case .outputModified(let expected, let actual) = cause {
        result.reason = .stale(.outputModified(recorded: expected, actual: actual))
      }
      fail(cause)
    case .undecided, .dependsOn: fail(.internalError("a run met a verdict of planning"))
    }
  }

  private func decide(_ reason: Reason) {
    result.reason = reason
    if heard == nil { context.report(.decided(target.id, reason)) }
  }

  private func endFresh(_ reason: FreshReason) {
    phase = .settling
    decide(.fresh(reason))
    FreshContent.find(target, decision, assessment.question, in: context) { [self] found in
      guard phase == .settling else { return }
      result.outcome = .fresh
      switch found {
      case .success(let content):
        context.settle(target.id, content: content)
        result.content = content
        standing = decision.flatMap { Standing($0, assessment.question) }
        if standing == nil { revalidation = revalidated }
        if let content { renewRecord(reason, content) }
        result.pin = pin(ofFresh: content)
        end()
      case .failure(let cause): fail(cause)
      }
    }
  }

  // MARK: Fetching

  private func fetchSource(conditions: Validators?) {
    phase = .fetching
    if usesWithheld(conditions: conditions) { return }
    // A request whose answer could not be kept anyway is not made; one that may confirm what is here is.
    guard conditions != nil || context.stateFolder != nil else { return fail(context.stateFault) }
    do throws(FailureCause) {
      intake = try BodyIntake.resuming(
        target, spec: spec(resuming:), replacing: isReplacing, in: context
      ) { [weak self] news in
        self?.received(news, conditions: conditions)
      }
      if intake == nil { startFetch(conditions: conditions, offset: 0) }
    } catch {
      fail(error)
    }
  }

  /// Asks whether the source still has what an earlier update has withheld.
  func askForWithheld(_ earlier: TargetRecord, _ validators: Validators, otherwise: Validators?) {
    wholeBody = WholeBody(otherwise: otherwise, withheld: earlier)
    startFetch(conditions: validators, offset: 0)
  }

  private func startFetch(conditions: Validators?, offset: Int64) {
    guard case .urls(let mirrors) = target.source, var rule = target.freshness?.innermost else {
      return fail(.internalError("a target without URLs was fetched"))
    }
    if wholeBody?.withheld != nil, rule != .mtime { rule = .etag }
    // Where the source sent no validator, only a digest of it may tell.
    var conditions = conditions.flatMap { $0.isEmpty ? nil : $0 }
    var recorded = asking == nil ? nil : decision?.record?.download
    if let withheld = wholeBody?.withheld { recorded = withheld.download }
    var resume: ResumePoint?
    if let facts = intake?.partial?.facts, offset > 0 {
      if facts.total == offset {
        wholeBody = WholeBody(otherwise: conditions)
        conditions = facts.question
        rule = .etag
        recorded = nil
      } else {
        resume = ResumePoint(
          offset: offset, total: facts.total, validator: facts.validator, lastModified: facts.lastModified,
          url: facts.url, isCheckedByDigest: isCheckedByDigest)
      }
    }
    var order = FetchOrder(
      mirrors: mirrors, retries: target.retries, conditions: conditions, recordedSize: askedSize(offset),
      rule: rule,
      resume: resume, isCheckedByDigest: isCheckedByDigest, maxSize: target.maxSize,
      acceptsUnprovenLength: target.unprovenLength == .accept,
      secrets: context.manifest.secrets,
      seed: UInt64(truncatingIfNeeded: SystemClock.now().nanoseconds) &+ UInt64(target.id.index))
    order.usesServerDigests = target.serverDigest == .use
    order.recorded = recorded
    order.announced = announced
    fetch = FetchRun(order, for: target, in: context, receiver: self)
    fetch?.start(heard.take())
  }

  private func received(_ news: BodyIntake.News, conditions: Validators? = nil) {
    guard phase == .fetching else { return }
    switch news {
    case .hasRoom:
      fetch?.resume()
      pump?.resume()
    case .restored(let offset):
      result.bytesResumed = offset
      startFetch(conditions: conditions, offset: offset)
    case .finished(let result):
      pipelineResult = result
      if let times = result.times { context.report(.stepped(target.id, times)) }
      expectations.whenKnown { [weak self] in self?.compare(result) }
    case .failed(let cause):
      bodyFailed(cause, mayBeOutOfStep: cause.isOfContent && expectations.dependsOnSidecar)
    }
  }

  private func bodyFailed(_ cause: FailureCause, mayBeOutOfStep: Bool) {
    let received = intake?.acceptedBytes ?? 0
    if cause.mayBeCutShort, let fetch, fetch.maySalvage, salvage(cause, received: received) { return }
    if !cause.leavesPartialGood {
      intake?.discard()
      intake = nil
    }
    if let fetch {
      fetch.bodyFailed(
        cause, endedEarly: cause.mayBeCutShort, mayBeOutOfStep: mayBeOutOfStep, received: received)
    } else if let whole = wholeBody, intake == nil {
      // What an earlier run left does not pass: as if it had not been there.
      wholeBody = nil
      result.bytesResumed = 0
      if mayBeOutOfStep { expectations.look(anew: true) }
      startFetch(conditions: whole.otherwise, offset: 0)
    } else {
      fail(cause)
    }
  }

  /// Reads back what has come of a body that nothing proves whole and that a step found cut short, so that the
  /// next try goes on from there. Returns whether there is anything to read.
  private func salvage(_ cause: FailureCause, received: Int64) -> Bool {
    do throws(FailureCause) {
      intake = try intake?.salvaged(
        target, spec: expectations.spec(for: announced), replacing: isReplacing, in: context
      ) { [weak self] news in
        guard let self, phase == .fetching, case .restored(let offset) = news else {
          self?.received(news)
          return
        }
        result.bytesResumed = min(result.bytesResumed, offset)
        fetch?.bodyFailed(cause, endedEarly: true, mayBeOutOfStep: false, received: received, kept: offset)
      }
      return intake != nil
    } catch {
      intake = nil
      fail(error)
      return true
    }
  }

  private func compare(_ whole: PipelineResult) {
    guard phase == .fetching else { return }
    if let fetch, !fetch.fits(whole.download.size) {
      intake?.discard()
      intake = nil
      return fetch.bodyIsWhole(provenByContent: false, size: whole.download.size)
    }
    let judgement = judge(whole)
    if case .differs(let told, let actual) = judgement {
      let url = fetch?.lastURL ?? intake?.partial?.facts.url ?? ""
      return bodyFailed(.serverDigestMismatch(url: url, told, actual: actual), mayBeOutOfStep: false)
    }
    if let cause = expectations.failure { return fail(cause) }
    if let mismatch = expectations.mismatch(in: whole) {
      return bodyFailed(mismatch.cause, mayBeOutOfStep: mismatch.isOfSidecar)
    }
    if let cause = lockMismatch(whole) { return bodyFailed(cause, mayBeOutOfStep: false) }
    guard let fetch else { return finishDownload(observed: wholeBody?.confirmed) }
    fetch.bodyIsWhole(
      provenByContent: whole.lengthIsProvenByContent || !expectations.all.isEmpty || judgement == .matches,
      size: whole.download.size)
  }

  /// The source still has what is here whole: it goes through the steps' last checks, and into place.
  private func takeWholeBody(_ observed: Validators) {
    var observed = observed
    if let withheld = wholeBody?.withheld {
      wholeBody = nil
      decideStale(withheld.validators ?? observed)
      return takeWithheld(withheld, observed: observed)
    }
    observed.etag = observed.etag ?? intake?.partial?.facts.validator.etag
    observed.lastModified = observed.lastModified ?? intake?.partial?.facts.lastModified
    wholeBody?.confirmed = observed
    account(for: fetch)
    fetch = nil
    decideStale(observed)
    expectations.look()
    intake?.finish()
  }

  /// The source still has what is recorded.
  private func confirm(_ observed: Validators, by digest: ServerDigest? = nil) {
    intake?.discard()
    (intake, wholeBody) = (nil, nil)
    result.bytesResumed = 0
    confirmed = observed
    phase = .assessing
    assessment.answer(digest.map { .sameDigest($0) } ?? .confirmed)
  }

  /// The source has something else than was recorded.
  private func decideStale(_ observed: Validators) {
    guard result.reason == nil else { return }
    // The phase keeps the assessment's own conclusion from starting a second fetch.
    assessment.answer(.changed(observed))
    if case .stale(let reason)? = assessment.lastDecision?.verdict { decide(.stale(reason)) }
  }

  // MARK: Another target's output as the source

  private func copyOutput(of id: TargetID) {
    phase = .fetching
    if usesWithheld(conditions: nil) { return }
    do throws(FailureCause) {
      let file = try context.opener(of: context.manifest[id].output)()
      try takeNewBody(of: file.signature.size, partialFacts: nil)
      guard phase == .fetching else { return }
      let pump = unsafe FilePump(file) { [weak self] bytes in
        unsafe self?.intake?.push(bytes) ?? .stop
      } ended: { [weak self] ending in
        switch ending {
        case .whole: self?.intake?.finish()
        case .stopped: break
        case .failed(let cause): self?.fail(cause)
        }
      }
      self.pump = pump
      context.driver.add(pump)
    } catch {
      fail(error)
    }
  }

  private func takeNewBody(of size: Int64?, partialFacts: PartialDownload.Facts?) throws(FailureCause) {
    intake?.discard()
    intake = nil
    result.bytesResumed = 0
    intake = try BodyIntake(
      target, spec: expectations.spec(for: announced), size: size, partialFacts: partialFacts,
      replacing: isReplacing, in: context
    ) { [weak self] news in self?.received(news) }
    lookForDigests()
  }

  /// Looks up what the body must match; where that cannot be had, no more of the body is taken.
  private func lookForDigests() {
    expectations.whenKnown { [weak self] in
      if let self, phase == .fetching, let cause = expectations.failure { fail(cause) }
    }
  }

  // MARK: Putting it in place

  private func finishDownload(observed: Validators?) {
    guard let whole = pipelineResult else { return fail(.internalError("a body without a result")) }
    phase = .settling
    currentDigest(ifSize: whole.output.size) { [self] current in
      guard phase == .settling else { return }
      // What stands there by now may be another than was judged: then the committer looks at it.
      if current == whole.output.sha256, outputStillStands {
        leaveUnchanged(whole, observed)
      } else {
        publish(whole, observed)
      }
    }
  }

  /// The digest of the output that stands there; `nil` where none does, or where its size tells it apart.
  private func currentDigest(ifSize size: Int64, _ done: @escaping (HexDigest?) -> Void) {
    guard case .file(let signature) = assessment.question.output, signature.size == size else {
      return done(nil)
    }
    if let digest = assessment.question.facts.outputDigests?[.sha256] { return done(digest) }
    if let record = decision?.record, record.output == target.output { return done(record.content.sha256) }
    OutputHasher.hash(target.output, [.sha256], in: context) { done((try? $0.get())?.sha256) }
  }

  private func leaveUnchanged(_ whole: PipelineResult, _ observed: Validators?) {
    intake?.discard()
    intake = nil
    guard case .file(let signature) = assessment.question.output else {
      return fail(.internalError("an output vanished"))
    }
    let time = target.modifiedTime(observed)
    let isDeferred = defersTime(time, recordOfUnchanged(whole, observed, signature))
    OutputTime.set(
      isDeferred ? nil : time, of: target.output, ifStill: signature, holding: whole.output.sha256,
      in: context
    ) { [self] outcome in
      guard phase == .settling else { return }
      do throws(FailureCause) {
        try context.committer?.remember(.commit(recordOfUnchanged(whole, observed, outcome.get())))
        result.isUnchanged = true
        endUpdated(whole, observed)
      } catch {
        fail(error)
      }
    }
  }

  private func publish(_ whole: PipelineResult, _ observed: Validators?) {
    guard let intake, let committer = context.committer else {
      return fail(context.stateFault)
    }
    phase = .closing
    self.intake = nil
    // The committer fills in what only the file itself can tell.
    let unsigned = FileSignature(
      size: whole.output.size, modified: SystemClock.now(), changed: SystemClock.now(), inode: 0)
    let over = assessment.question.output
    let job = PublishJob(
      body: intake.handOver(), record: record(whole, observed, unsigned), over: over,
      // Where nothing was, whatever is there now is no edit of what is recorded.
      overDigest: knownDigest,
      mode: target.mode, modified: target.modifiedTime(observed))
    var ticket = Ticket(number: -1)
    ticket = context.driver.expect { [self] letter in
      context.driver.forget(ticket)
      guard case .published(let published) = letter else { return }
      if context.settings.reportsTimes { context.report(.published(target.id)) }
      switch published {
      case .success(let signature):
        if let withheld = context.withheld {
          var record = job.record
          record.signature = signature
          withheld.add(
            WithheldOutput(record: record, keepsTime: job.modified != nil), over: over,
            overDigest: job.overDigest)
        }
        endUpdated(whole, observed)
      case .failure(let failure): fail(failure.cause, keptPartial: failure.keptPartial)
      }
    }
    if let adopted = adoptedRecord { committer.remember(.commit(adopted)) }
    if context.settings.reportsTimes { context.report(.publishing(target.id)) }
    committer.publish(job, ticket)
    closing()
  }

  private func endUpdated(_ whole: PipelineResult, _ observed: Validators?) {
    result.outcome = .updated
    result.pin = pin(ofUpdated: whole, observed)
    result.content = whole.output
    context.settle(target.id, content: whole.output)
    end()
  }

  /// Ends with what an earlier update has withheld.
  func endWithheld(_ content: ContentIdentity, pin: Pin?) {
    result.outcome = .updated
    if context.settings.collectsPins { result.pin = pin }
    result.content = content
    context.settle(target.id, content: content)
    end()
  }

  // MARK: Ending

  private func fail(_ cause: FailureCause, tries: Int = 0, keptPartial: Int64 = 0) {
    guard phase != .over else { return }
    phase = .closing
    fetch?.cancel()
    pump?.cancel()
    let close = { [self] (kept: Int64) in
      result.outcome = .failed
      result.failure = TargetFailure(cause, tries: tries, keptOutput: isReplacing, keptPartial: kept)
      end()
    }
    if let intake { intake.keepPartial(close) } else { close(keptPartial) }
  }

  private func end() {
    guard phase != .over else { return }
    phase = .over
    assessment.release()
    result.totals += assessment.totals
    result.totals += expectations.totals
    account(for: fetch)
    result.duration = SystemClock.monotonic() - began
    done(result)
  }

  private func account(for fetch: FetchRun?) {
    guard let fetch else { return }
    result.totals += fetch.totals
    result.httpStatus = fetch.lastStatus ?? result.httpStatus
    result.url = fetch.lastURL ?? result.url
  }
}

extension TargetRun: FetchReceiver {
  var fetchAcceptedBytes: Int64 { intake?.acceptedBytes ?? 0 }

  func fetchTakes(_ reply: FetchReply, continuing: Bool) {
    if hasAgain(reply.validators) {
      fetch?.cancel()
      return confirm(reply.validators)
    }
    wholeBody = nil
    hear(reply.announced)
    bodyLength = reply.length.map { $0 + (continuing ? intake?.acceptedBytes ?? 0 : 0) }
    decideStale(reply.validators)
    if reply.validators.isEmpty, announced.ofFile.isEmpty, target.livesByValidators, !hasWarned {
      hasWarned = true
      context.report(.warning(.noValidator(target.id, url: context.manifest.secrets.mask(reply.url))))
    }
    if continuing { return lookForDigests() }
    let facts = facts(of: reply)
    do throws(FailureCause) { try takeNewBody(of: reply.length, partialFacts: facts) } catch { fail(error) }
  }

  func fetchReceived(_ bytes: UnsafeRawBufferPointer) -> BodyReception {
    guard let intake else { return .stop }
    let reception = unsafe intake.push(bytes)
    if reception == .taken { unsafe partDigester?.update(bytes) }
    if context.settings.reportsProgress {
      let progress = BodyProgress(here: intake.acceptedBytes, more: Int64(bytes.count), total: bodyLength)
      context.report(.received(target.id, progress))
    }
    return reception
  }

  func fetchBodyEnded() { intake?.finish() }

  func fetchWantsSidecarsAnew() {
    expectations.look(anew: true)
    expectations.whenKnown { [weak self] in
      guard let self, phase == .fetching else { return }
      if let cause = expectations.failure { fail(cause) } else { fetch?.sidecarsRefreshed() }
    }
  }

  func fetchEnded(_ ending: FetchEnding) {
    guard phase == .fetching else { return }
    switch ending {
    case .confirmed(let observed, _) where wholeBody != nil: takeWholeBody(observed)
    case .confirmed(let observed, let digest): confirm(observed, by: digest)
    case .downloaded(let observed): finishDownload(observed: observed)
    case .failed(let cause, let tries): fail(cause, tries: tries)
    case .differs: fail(.internalError("a run only probed"))
    }
  }
}
