package import SyncModel

/// The fetching of one body, from the first question to an ending: conditions, resuming, retries, mirrors.
///
/// A state machine without IO: the driver performs each ``FetchAction``, reports the result and gets the next
/// action. The rules are those of the contract, section 5.
package struct FetchMachine: Sendable {
  let order: FetchOrder
  private var backoff: Backoff

  private(set) var mirror = AskedMirror()
  /// Tries made at all mirrors.
  private var tries = 0
  private var method: ExchangeRequest.Method
  private var present: PresentBytes
  private var asksPlainly = false
  /// Whether it does so since a 304 named another version: what the reply is may still be the recorded one.
  private var doubtsNotModified = false
  private var hasRefreshedSidecars = false
  private(set) var nowAsking: FetchQuestion?
  private var verdict = ReplyVerdict.none
  private(set) var observed = Self.nothingObserved
  /// The URL of the last reply for messages, secrets masked.
  package var observedURL: String {
    guard let rewritten = nowAsking?.rewritten else { return observedResource }
    return order.secrets.mask(ResourceURL.text(of: rewritten.url))
  }
  /// The same for documents, which have the manifest's URL instead of a mirror's.
  package var reportedURL: String { nowAsking?.rewritten == nil ? observedResource : ownResource }
  /// Whether the manifest's first URL is asked, or what the user's configuration puts in its place.
  package var asksFirstURL: Bool { mirror.index == 0 }
  /// The resource of the last reply as it is recorded; before the first one, the resource that is asked.
  package var observedResource: String { observed.url ?? ownResource }
  /// The file's digests in the last reply.
  package private(set) var heard = ServerDigests()
  /// The server's digests of the body that is taken.
  package private(set) var announced: AnnouncedDigests

  /// Before the first reply; one for all, since each would take memory.
  private static let nothingObserved = Validators(origin: .anyResource)

  /// The verdict on the reply's header; used when the exchange has ended.
  private enum ReplyVerdict {
    case none
    /// `by` is the server's digest that showed it, if the validators did not.
    case confirmed(by: ServerDigest?)
    case differs(bytes: Int64?)
    case taking
    case failed(FailureCause, retryAfter: Int64?)
    /// Ask again without the range: it cannot be joined.
    case startOver
    /// Ask again with `Range` alone: the server does not know `If-Range` with ETags.
    case askUnguarded
    /// Ask again without any condition: a 304 that was not requested.
    case askPlainly
    /// Ask again with GET: HEAD was refused or lacks a field.
    case askWithGet
  }

  /// For one body; `start` gives the first action.
  package init(_ order: FetchOrder) {
    self.order = order
    backoff = Backoff(seed: order.seed)
    method = order.purpose == .download ? .get : .head
    present = PresentBytes(resume: order.resume)
    announced = order.announced
  }

  /// The first question.
  package mutating func start() -> FetchAction { ask() }

  /// Judges the header of a reply that is not a redirect.
  ///
  /// `now` is for the dates of Retry-After.
  package mutating func judge(_ head: ResponseHead, now: Timestamp) -> ReplyJudgement {
    observed = Validators(
      etag: head.etag, lastModified: head.lastModified, url: resource(order.secrets.mask(head.url)))
    // A 206 may omit fields of the first reply for the same version (RFC 9110, section 15.3.7).
    if head.status == 206, head.lastModified == nil {
      observed.lastModified = present.basis?.lastModified ?? askedResume()?.lastModified
    }
    heard =
      order.usesServerDigests ? ServerDigests(head, method: nowAsking?.method ?? method) : ServerDigests()
    verdict = verdict(on: head, now: now)
    // A redirector's confirmation concerns the resource to which it redirects.
    if case .confirmed = verdict, head.status == 304, let asked = nowAsking?.conditions, !asked.holdForAnyURL
    {
      observed.origin = asked.origin
    }
    // A refusal of HEAD leads to GET, after the time that the server asks for; a fault of a GET's reply is a failure.
    if case .failed(let cause, let wait) = verdict, probesWithHead, head.status != 429, wait == nil,
      !cause.asksToWait
    {
      verdict = .askWithGet
    }
    if case .failed(let cause, _) = verdict, mayStartOver(after: cause) {
      mirror.refusesRanges = !RangeCheck.isOfVersion(cause)
      verdict = .startOver
    }
    guard case .taking = verdict else { return .drop }
    if head.status == 206 {
      if let asked = askedResume() {
        present.basis = (asked.validator, asked.total, observed.lastModified, asked.url)
        if !observed.areOf(asked.url) { present.hasJoinedCopies = true }
      }
      present.joinedSize = head.contentRange.flatMap { ContentRange($0)?.total }
      announced.goOn(heard)
      return .takeContinuation
    }
    announced.begin(heard)
    present.joinedSize = nil
    present.hasJoinedCopies = false
    present.basis = head.strongValidator(now: now).map {
      ($0, head.contentLength, head.lastModified, observedResource)
    }
    present.resume = nil
    return .takeFromStart
  }

  /// Judges a `file` source, known by its stamp, as if it had replied.
  package mutating func judge(file stamp: Validators, size: Int64, now: Timestamp) -> ReplyJudgement {
    observed = stamp
    heard = ServerDigests()
    announced = AnnouncedDigests()
    present.basis = nil
    present.joinedSize = nil
    verdict = within(order.maxSize, size, verdictOnContent(observed: stamp, bytes: size, now: now))
    guard case .taking = verdict else { return .drop }
    present.resume = nil
    return .takeFromStart
  }

  /// The exchange has ended without a body to wait for, or failed; `accepted` counts the bytes that are present.
  ///
  /// Not for a body that was taken to its end: that is ``bodyIsWhole(provenByFraming:provenByContent:size:)`` or
  /// ``bodyFailed(_:provenByFraming:endedEarly:mayBeOutOfStep:received:kept:)``.
  package mutating func ended(_ end: ExchangeEnd, accepted: Int64) -> FetchAction {
    if case .failed(let cause) = end {
      if probesWithHead, cause.traits.contains(.reply) {
        method = .get
        return ask()
      }
      if mayStartOver(after: cause) {
        mirror.refusesRanges = true
        return startOver()
      }
      return failed(cause, retryAfter: nil, accepted: accepted)
    }
    switch verdict {
    case .confirmed(let digest): return .finish(.confirmed(observed: observed, by: digest))
    case .differs(let bytes): return .finish(.differs(observed: observed, bytes: bytes))
    case .failed(let cause, let retryAfter):
      // Whoever limits the rate may mean every request.
      if probesWithHead, !cause.limitsRate { method = .get }
      return failed(cause, retryAfter: retryAfter, accepted: accepted)
    case .startOver: return startOver()
    case .askUnguarded:
      mirror.ignoresIfRange = true
      return ask()
    case .askPlainly:
      (asksPlainly, doubtsNotModified) = (true, true)
      present.forget()
      return ask()
    case .askWithGet:
      method = .get
      return ask()
    case .taking, .none:
      return failed(.internalError("an exchange ended out of turn"), retryAfter: nil, accepted: accepted)
    }
  }

  /// Whether the bytes of a truncated body are worth keeping.
  ///
  /// Not without a strong validator; nor after a range was refused, since a body that seems too short may be
  /// complete.
  package var maySalvage: Bool { present.basis != nil && !present.hasStartedOver }

  /// Whether a body of `size` bytes, including a joined part, has the size of the part's file.
  ///
  /// Its framing does not show this: a proxy may end a part early in valid form.
  package func fits(_ size: Int64) -> Bool { present.joinedSize.map { $0 == size } ?? true }

  /// The body was taken to its end and went through every step.
  package mutating func bodyIsWhole(provenByFraming: Bool, provenByContent: Bool, size: Int64) -> FetchAction
  {
    if let joinedSize = present.joinedSize, !fits(size) {
      if !present.hasStartedOver { return startOver() }
      present.forget()
      let fault = ProtocolFault.wrongRange("what came makes it \(size) bytes of \(joinedSize)")
      return failed(.protocolError(url: observedURL, fault), retryAfter: nil, accepted: 0)
    }
    // The size of the whole is known if the body was joined.
    if provenByFraming || provenByContent || present.joinedSize != nil || order.acceptsUnprovenLength {
      return .finish(.downloaded(observed: observed))
    }
    // It went through every step and cannot be resumed, whatever another mirror says.
    present.forget()
    return failed(.lengthUnproven(url: observedURL, received: size), retryAfter: nil, accepted: 0)
  }

  /// The body came, in part or completely, but a step refused it.
  ///
  /// A body that is not proven complete and that `endedEarly`, as its steps know, was truncated. `mayBeOutOfStep`
  /// tells whether a sidecar was involved: publishers do not replace a file and its sidecar at the same moment, so
  /// both are fetched again, once. `kept` counts the bytes of a truncated body that are kept for resuming, which
  /// ``maySalvage`` allows; 0 for none.
  package mutating func bodyFailed(
    _ cause: FailureCause, provenByFraming: Bool, endedEarly: Bool, mayBeOutOfStep: Bool, received: Int64,
    kept: Int64 = 0
  ) -> FetchAction {
    if kept == 0 { present.forget() }
    if endedEarly, !provenByFraming {
      return failed(
        .truncated(url: observedURL, received: received, expected: nil), retryAfter: nil, accepted: kept)
    }
    present.forget()
    if present.hasJoinedCopies, !present.hasStartedOver {
      // They were no copies, for all that was the same.
      return startOver()
    }
    if mayBeOutOfStep, !hasRefreshedSidecars {
      hasRefreshedSidecars = true
      return .refreshSidecars
    }
    return failed(cause, retryAfter: nil, accepted: 0)
  }

  /// The sidecars were fetched again; the body follows, requested unconditionally, with its own retries.
  package mutating func sidecarsRefreshed() -> FetchAction {
    (asksPlainly, doubtsNotModified) = (true, false)
    mirror.tries = 0
    return ask()
  }

  /// The pause is over.
  package mutating func waited() -> FetchAction { ask() }

  /// Whether a request without the range may succeed where the present one failed. What an earlier run has downloaded
  /// stays until another body comes.
  private func mayStartOver(
    after cause: FailureCause, isLast: Bool = false, isFruitless: Bool = false
  ) -> Bool {
    order.purpose == .download && !present.hasStartedOver && hasSentRange
      && RangeCheck.mayBeAtFault(cause, isLast: isLast, isFruitless: isFruitless)
  }

  /// Whether the present question bore a range; before a header came, whether its first request did.
  private var hasSentRange: Bool {
    switch verdict {
    case .none: nowAsking?.resume?.isSent(to: firstResource, first: firstResource) ?? false
    // A body from its start.
    case .taking where present.joinedSize == nil: false
    default: askedResume() != nil
    }
  }

  private mutating func startOver() -> FetchAction {
    present.hasStartedOver = true
    present.forget()
    return ask()
  }

  // MARK: Asking

  private mutating func ask(gaveUp: FetchQuestion.GivenUp? = nil) -> FetchAction {
    verdict = .none
    if mirror.tries == 0 {
      mirror.tries = 1
      tries += 1
    }
    var question = FetchQuestion(
      method: method, url: order.mirrors[mirror.index], conditions: asksPlainly ? nil : order.conditions,
      resume: mirror.refusesRanges ? nil : present.resume, gaveUp: gaveUp)
    if !mirror.isPastRewriting, case .web(let url) = question.url {
      question.rewritten = order.rewrites.applied(to: url)
    }
    // Only the recorded resource tells that it came by the mirror.
    question.asksRedirector = question.rewritten == nil && mayHaveLed(to: question.conditions)
    if mirror.ignoresIfRange { question.resume?.isGuarded = false }
    question.passesCaches = order.passesCaches || hasRefreshedSidecars
    nowAsking = question
    return .ask(question)
  }

  private mutating func failed(_ cause: FailureCause, retryAfter: Int64?, accepted: Int64) -> FetchAction {
    if cause.traits.contains(.local) { return .finish(.failed(cause, tries: tries)) }
    if cause == .offline { return askFile() }
    present.goOn(from: accepted, isCheckedByDigest: order.isCheckedByDigest)
    mirror.earlyEnds = hasSentRange && RangeCheck.endsBeforeBody(cause) ? mirror.earlyEnds + 1 : 0
    let isFruitless = mirror.isFruitless && accepted == order.resume?.offset
    if mirror.tries > order.retries, mayStartOver(after: cause, isLast: true, isFruitless: isFruitless) {
      mirror.refusesRanges = true
      return startOver()
    }
    if let rewritten = nowAsking?.rewritten, rewritten.asksOrigin(after: cause) {
      // The origin is the second try.
      let givenUp = FetchQuestion.GivenUp(url: .web(rewritten.url), cause: cause)
      return ask(AskedMirror(index: mirror.index, isPastRewriting: true), gaveUp: givenUp)
    }
    if cause.traits.contains(.transient), mirror.tries <= order.retries {
      let attempt = mirror.tries
      mirror.tries += 1
      tries += 1
      return .wait(backoff.delay(attempt: attempt, floor: retryAfter), attempt: attempt, cause: cause)
    }
    guard mirror.index + 1 < order.mirrors.count else { return .finish(.failed(cause, tries: tries)) }
    let givenUp = FetchQuestion.GivenUp(url: order.mirrors[mirror.index], cause: cause)
    return ask(AskedMirror(index: mirror.index + 1), gaveUp: givenUp)
  }

  /// Without network only a mirror that is a file is of use.
  private mutating func askFile() -> FetchAction {
    let isFile = { (url: SourceURL) in if case .file = url { true } else { false } }
    let next = order.mirrors.indices.first { $0 > mirror.index && isFile(order.mirrors[$0]) }
    guard let next else { return .finish(.failed(.offline, tries: 1)) }
    return ask(AskedMirror(index: next), gaveUp: nil)
  }

  /// Leaves the present mirror, or the user's mirror of it.
  private mutating func ask(_ next: AskedMirror, gaveUp: FetchQuestion.GivenUp?) -> FetchAction {
    mirror = next
    method = order.purpose == .download ? .get : .head
    return ask(gaveUp: gaveUp)
  }

  // MARK: Judging

  private func verdict(on head: ResponseHead, now: Timestamp) -> ReplyVerdict {
    let url = head.url
    switch head.status {
    case 200, 203:
      let verdict = verdictOnBody(head, now: now)
      guard case .taking = verdict else { return verdict }
      if askedResume() != nil, let fault = RangeCheck.faultOfWhole(head) {
        return .failed(.protocolError(url: url, .wrongRange(fault)), retryAfter: nil)
      }
      return refusesIfRange(head) ? .askUnguarded : verdict
    case 206:
      guard order.purpose == .download, let resume = askedResume() else { return unexpected(head) }
      if let fault = RangeCheck.fault(of: head, asked: resume) {
        return .failed(.protocolError(url: url, .wrongRange(fault)), retryAfter: nil)
      }
      if let encoding = head.contentEncoding, !mayKeep(encoding, of: url) {
        return .failed(.protocolError(url: url, .contentEncoding(encoding)), retryAfter: nil)
      }
      return verdictOnRest(now: now)
    case 304:
      if confirms(head, now: now) { return .confirmed(by: nil) }
      return asksPlainly ? unexpected(head) : .askPlainly
    case 204, 205: return unexpected(head)
    default: return verdictOnStatus(head, now: now)
    }
  }

  private func unexpected(_ head: ResponseHead) -> ReplyVerdict {
    .failed(.protocolError(url: head.url, .unexpectedStatus(head.status)), retryAfter: nil)
  }

  private func verdictOnStatus(_ head: ResponseHead, now: Timestamp) -> ReplyVerdict {
    let cause = FailureCause.httpStatus(head.status, url: head.url)
    guard cause.traits.contains(.transient), let text = head.retryAfter,
      let seconds = RetryAfter.seconds(text, now: now, sentAt: head.date)
    else {
      return .failed(cause, retryAfter: nil)
    }
    if seconds > Backoff.longestRetryAfterSeconds {
      return .failed(.retryAfter(seconds: seconds, status: head.status, url: head.url), retryAfter: nil)
    }
    return .failed(cause, retryAfter: seconds)
  }

  private func verdictOnBody(_ head: ResponseHead, now: Timestamp) -> ReplyVerdict {
    if let encoding = head.contentEncoding, !mayKeep(encoding, of: head.url) {
      return .failed(.protocolError(url: head.url, .contentEncoding(encoding)), retryAfter: nil)
    }
    var verdict = verdictOnContent(observed: observed, bytes: head.contentLength, now: now)
    // The bytes of a document are on their way, and only a strong ETag proves that they are those of before.
    if order.isDocument, case .confirmed = verdict, observed.etag?.isStrong != true { verdict = .taking }
    return within(order.maxSize, head.contentLength, verdict)
  }

  /// `verdict`, unless the body would exceed the limit; a confirmation brings no body.
  private func within(_ limit: Int64?, _ size: Int64?, _ verdict: ReplyVerdict) -> ReplyVerdict {
    guard let limit, let size, size > limit else { return verdict }
    if case .confirmed = verdict { return verdict }
    return .failed(.tooLarge(limit: limit, size: size), retryAfter: nil)
  }

  private func verdictOnContent(observed: Validators, bytes: Int64?, now: Timestamp) -> ReplyVerdict {
    let saysLess = probesWithHead && saysLess(observed)
    // Only a redirect may lead to a copy.
    let size = isRedirected ? bytes : nil
    if !saysLess, isConfirmed(by: observed, size: size, now: now) { return .confirmed(by: nil) }
    // Once a sidecar has found the file at fault, its bytes are wanted.
    if let recorded = order.recorded, !hasRefreshedSidecars {
      if let digest = heard.confirming(recorded) { return .confirmed(by: digest) }
      if probesWithHead, heard.bodyTellsMore { return .askWithGet }
    }
    if saysLess || isHollow(observed, bytes) { return .askWithGet }
    return order.purpose == .download ? .taking : .differs(bytes: bytes)
  }

  private func isConfirmed(by observed: Validators, size: Int64?, now: Timestamp) -> Bool {
    guard let asked = nowAsking?.conditions ?? (doubtsNotModified ? order.conditions : nil) else {
      return false
    }
    func answers(_ asked: Validators) -> Bool {
      ConfirmationRule.answer(
        rule: order.rule, asked: asked, observed: observed, sizes: (order.recordedSize, size), now: now)
        == .confirmed
    }
    if answers(asked) { return true }
    guard asked.holdForAnyURL, let url = order.recordedURL else { return false }
    var recorded = asked
    recorded.origin = .resource(url)
    return answers(recorded)
  }

  /// The rest of a version answers the conditions as the whole of it would.
  ///
  /// A 206 may omit its date (RFC 9110, section 15.3.7). If the question compares dates and no reply so far has
  /// one, only a whole reply can answer it.
  private func verdictOnRest(now: Timestamp) -> ReplyVerdict {
    let asked = nowAsking?.conditions
    if asked?.isOwnTime == true, observed.lastModified == nil, present.basis == nil, !present.hasStartedOver {
      return .startOver
    }
    return verdictOnContent(observed: observed, bytes: nil, now: now)
  }

  private var probesWithHead: Bool { nowAsking?.method == .head && order.purpose == .probe }

  /// Whether a HEAD's reply lacks what its rule compares; a GET may have it.
  private func saysLess(_ observed: Validators) -> Bool {
    if observed.isEmpty { return !order.settlesForHead }
    if order.rule == .mtime { return observed.lastModified == nil }
    return observed.etag == nil && order.conditions?.etag != nil
  }

  /// Whether a 304 answers the conditions that its request carried.
  private func confirms(_ head: ResponseHead, now: Timestamp) -> Bool {
    guard let asked = askedConditions() else { return false }
    let told = Validators(etag: head.etag, lastModified: head.lastModified, origin: observed.origin)
    return ConfirmationRule.isConfirmed(byNotModified: told, asked: asked, rule: order.rule, now: now)
  }
}
