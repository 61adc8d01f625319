import SyncModel

/// How a target asks its source, and what follows from the reply.
extension TargetMachine {
  // MARK: Asking

  /// Asks the source; `conditions` are `nil` for a target that is stale in any case.
  mutating func fetchSource(conditions: Validators?) {
    phase = .fetching
    if usesWithheld(conditions: conditions) { return }
    // A request whose reply could not be stored is not made, unless it may confirm the local file.
    if conditions == nil, let fault = terms.options.writeFault { return fail(fault) }
    fetch.conditions = conditions
    if asksCache() { return }
    fetchFromSource()
  }

  /// Goes on with what an earlier run has fetched, if there is something.
  mutating func fetchFromSource() {
    if leftovers.mayHavePartial, terms.options.writeFault == nil {
      emit(.openPartial)
    } else {
      startFetch(conditions: fetch.conditions, offset: 0)
    }
  }

  mutating func partialOpened(_ facts: PartialFacts?) {
    guard phase == .fetching else { return }
    guard let facts else { return startFetch(conditions: fetch.conditions, offset: 0) }
    intake.partial = facts
    intake.hasBody = true
    if target.serverDigest == .use { announced = AnnouncedDigests(ofFile: facts.digests) }
    emit(.restoreBody)
  }

  mutating func bodyRestored(_ offset: Int64) {
    guard phase == .fetching else { return }
    if let salvaging = intake.salvaging { return salvaged(salvaging.cause, salvaging.received, offset) }
    result.bytesResumed = offset
    startFetch(conditions: fetch.conditions, offset: offset)
  }

  /// Whether the whole body is compared with a digest before it becomes the output; the lock's digest counts.
  private var isCheckedByDigest: Bool { !demands.isEmpty || question.pin?.download != nil }

  mutating func startFetch(conditions: Validators?, offset: Int64) {
    guard let mirrors = target.source.mirrors, var rule = question.rule?.innermost else {
      return fail(.internalError("a target without URLs was fetched"))
    }
    if intake.held?.withheld != nil, !rule.traits.setsTime { rule = .etag }
    var conditions = conditions
    // If the source sent no validator, only a digest of it may answer the question.
    var recorded = check.asking == nil ? nil : decision?.record?.download
    var size = decision?.record?.download?.size
    var resume: ResumePoint?
    if let withheld = intake.held?.withheld {
      recorded = withheld.download
      size = nil
    }
    switch ResumeRule.use(intake.partial, offset: offset, isCheckedByDigest: isCheckedByDigest) {
    case .none:
      guard offset == 0, let shared = cache?.record else { break }
      intake.held = BodyCourse.Held(otherwise: conditions, shared: shared)
      if !rule.traits.needsValidators { rule = .etag }
      (conditions, recorded, size) = (shared.validators, shared.content, shared.size)
    case .resume(let point): resume = point
    case .confirm(let question):
      intake.held = BodyCourse.Held(otherwise: conditions)
      (conditions, rule, recorded) = (question, .etag, nil)
      size = ResumeRule.sizeOfWhole(intake.partial, offset: offset, isCheckedByDigest: isCheckedByDigest)
    }
    var order = FetchOrder(
      mirrors: Array(mirrors), retries: target.retries, conditions: conditions, recordedSize: size,
      rule: rule,
      resume: resume, isCheckedByDigest: isCheckedByDigest, maxSize: target.maxSize,
      acceptsUnprovenLength: target.unprovenLength == .accept, secrets: secrets, seed: seed)
    order.isOfOtherURL = hasOtherURL(than: order.conditions)
    order.rewrites = terms.options.rewrites
    order.usesServerDigests = target.serverDigest == .use
    order.recorded = recorded
    order.announced = announced
    ask(order)
  }

  /// In bytes, with its quotation marks: counters are shorter, the digests and times of servers are longer.
  private static let tellingETag = 10

  /// Whether `conditions` are those of the record, and the list has given another URL since.
  func hasOtherURL(than conditions: Validators?) -> Bool {
    guard let conditions, let record = decision?.record, record.validators == conditions else { return false }
    // A long strong ETag is most likely that of the bytes; a date or a counter may be that of any. A lock must not rest on
    // that.
    let isTelling =
      conditions.etag.map { $0.isStrong && $0.text.utf8.count >= Self.tellingETag } ?? false
    return Definition.hasOtherURL(
      question.definition, than: record.definition,
      ignoringQuery: isTelling && !question.mustKnowDownload)
  }

  /// Of the back-off's jitter; two targets of a run differ.
  var seed: UInt64 { UInt64(truncatingIfNeeded: now.nanoseconds) &+ UInt64(target.id.index) }

  mutating func ask(_ order: FetchOrder) {
    fetch.machine = FetchMachine(order)
    if let action = fetch.machine?.start() { follow(action) }
  }

  /// Does what the fetch wants next.
  mutating func follow(_ action: FetchAction) {
    switch action {
    case .ask(let question):
      fetch.exchange = .asking
      if let givenUp = question.gaveUp {
        let url = secrets.mask(givenUp.url.shown)
        emit(.report(.nextMirror(target.id, url: url, cause: givenUp.cause)))
      }
      emit(.ask(question))
    case .wait(let delay, let attempt, let cause):
      fetch.exchange = .pausing
      emit(.report(.retrying(target.id, attempt: attempt, after: delay, cause: cause)))
      emit(.wait(delay))
    case .refreshSidecars:
      fetch.exchange = .refreshingSidecars
      seekDemands(anew: true)
    case .finish(let ending):
      fetch.exchange = .idle
      terms.purpose == .plan ? planFetchEnded(ending) : fetchEnded(ending)
    }
  }

  // MARK: Replies

  mutating func replied(_ head: ResponseHead) {
    guard fetch.exchange == .asking, fetch.machine != nil else { return }
    let head = secrets.withoutSecrets(head)
    fetch.lastStatus = head.status
    // In place: a fetch is large.
    guard let judgement = fetch.machine?.judge(head, now: now) else { return }
    fetch.lastURL = fetch.machine?.reportedURL
    for note in fetch.machine?.heard.notes ?? [] { emit(.report(.note(target.id, note))) }
    if cache != nil { cache?.isForbidden = CacheRule.forbids(head) }
    guard judgement != .drop else { return }
    fetch.exchange = .taking
    let validators = Validators(
      etag: head.etag, lastModified: head.lastModified,
      origin: fetch.machine?.observed.origin ?? .anyResource)
    if confirmsRecorded(validators) { return }
    if judgement == .takeFromStart {
      intake.pageURL = PageRule.isPage(head, for: target) ? fetch.machine?.observedURL : nil
    }
    bodyBegins(validators, announced: fetch.machine?.announced ?? AnnouncedDigests())
    if cache != nil { keepForCache(head, fromStart: judgement == .takeFromStart) }
    guard judgement != .takeContinuation else {
      emit(.continueBody)
      return seekDemands(anew: false)
    }
    let facts = ResumeRule.facts(
      of: validators, strongValidator: head.strongValidator(now: now), length: head.contentLength,
      digests: announced.ofFile)
    takeBody(of: head.contentLength, facts)
  }

  mutating func sourceOpened(_ path: String, _ stamp: Validators, _ size: Int64, _ isOwnOutput: Bool) {
    guard fetch.exchange == .asking,
      let judgement = fetch.machine?.judge(file: stamp, size: size, now: now)
    else { return }
    fetch.lastURL = stamp.url
    guard judgement != .drop else { return exchangeEnded(.stopped, 0, 0) }
    // By whatever name: the manifest's reader has refused the names that it knows to be the same.
    if isOwnOutput {
      return exchangeEnded(
        .failed(.sourceUnreadable(path: path, .isOwnOutput)), 0, 0)
    }
    fetch.exchange = .taking
    if confirmsRecorded(stamp) { return }
    bodyBegins(stamp, announced: AnnouncedDigests())
    takeBody(of: size, nil)
  }

  /// Whether the source has the recorded version again, instead of the later one that an earlier run has
  /// downloaded.
  private mutating func confirmsRecorded(_ observed: Validators) -> Bool {
    guard let asked = intake.held?.otherwise, let rule = question.rule?.innermost,
      ConfirmationRule.answer(rule: rule, asked: asked, observed: observed, now: now) == .confirmed
    else { return false }
    hangUp()
    confirm(observed)
    return true
  }

  /// A body arrives with the validators `observed`.
  private mutating func bodyBegins(_ observed: Validators, announced: AnnouncedDigests) {
    intake.held = nil
    self.announced = announced
    decideStale(observed)
    if observed.isEmpty, announced.ofFile.isEmpty, question.rule?.traits.needsValidators == true,
      intake.pageURL == nil, !isDecidedByList,
      let url = fetch.machine?.observedURL ?? observed.url
    {
      warn(.noValidator(target.id, url: url))
    }
  }

  /// Whether the list says enough of the entry to decide the next run without the source.
  private var isDecidedByList: Bool {
    guard case .entry(let entry) = target.source else { return false }
    return RevisionRule.verdict(entry.revision, recorded: entry.revision) != .unknown
  }

  /// Only the first time: the tries of a fetch would repeat it.
  mutating func warn(_ warning: RunWarning) {
    guard !fetch.hasWarned else { return }
    fetch.hasWarned = true
    emit(.report(.warning(warning)))
  }

  mutating func exchangeEnded(_ end: ExchangeEnd, _ accepted: Int64, _ requests: Int) {
    fetch.requests += requests
    switch (fetch.exchange, end) {
    case (.taking, .complete(let isProven)):
      fetch.exchange = .judging(isProvenByFraming: isProven)
      emit(.finishBody)
    // The body's own steps stopped it and have reported why.
    case (.taking, .stopped): break
    case (.asking, _), (.taking, .failed):
      if let action = fetch.machine?.ended(end, accepted: accepted) { follow(action) }
    default: break
    }
  }

  mutating func waited() {
    guard fetch.exchange == .pausing, let action = fetch.machine?.waited() else { return }
    follow(action)
  }

  // MARK: The fetch's end

  private mutating func fetchEnded(_ ending: FetchEnding) {
    guard phase == .fetching else { return }
    switch ending {
    case .confirmed(let observed, _) where intake.held != nil: takeHeld(observed)
    case .confirmed(let observed, let digest):
      if cache != nil { renewInCache(observed, of: decision?.record?.download) }
      confirm(observed, by: digest)
    case .downloaded(let observed): finishDownload(observed)
    case .failed(let cause, let tries): fail(cause, tries: tries)
    case .differs: fail(.internalError("a run only probed"))
    }
  }

  /// The source still has the recorded version.
  mutating func confirm(_ observed: Validators, by digest: ServerDigest? = nil) {
    discardBody()
    intake.held = nil
    result.bytesResumed = 0
    check.confirmed = observed
    check.hasAsked = true
    question.facts.sourceAnswer = digest.map { .sameDigest($0) } ?? .confirmed
    noteConfirmation(observed)
    phase = .judging
    judge()
  }

  /// Keeps the validators of a reply that confirms, unless they have the recorded ETag: then there is nothing to tell apart.
  mutating func noteConfirmation(_ observed: Validators) {
    if observed.etag != decision?.record?.validators?.etag { question.facts.confirmation = observed }
  }

  /// The source still has the version of the complete partial download: it goes through the last checks of the
  /// steps, and is published.
  private mutating func takeHeld(_ observed: Validators) {
    if let shared = intake.held?.shared {
      intake.held = nil
      decideStale(observed)
      return takeCached(shared, observed)
    }
    if let withheld = intake.held?.withheld {
      intake.held = nil
      decideStale(withheld.validators ?? observed)
      return takeWithheld(withheld, observed: observed)
    }
    let validators = intake.completed(observed)
    intake.held?.confirmed = validators
    fetch.machine = nil
    decideStale(validators)
    seekDemands(anew: false)
    if phase == .fetching { emit(.finishBody) }
  }
}
