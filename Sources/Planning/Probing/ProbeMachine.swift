package import SyncModel

/// One question of a probe.
package enum ProbeQuestion: Sendable, Equatable {
  /// HEAD without conditions.
  case head
  /// A plain GET on a new connection, whose body is dropped.
  case whole
  /// Only If-None-Match, on a new connection: a name may stand for several servers.
  case ifNoneMatch(EntityTag, url: String)
  /// Only If-Modified-Since, with the server's own text of the date.
  case ifModifiedSince(String, url: String)
  /// The last byte, with If-Range, and once more without it if the server seems not to support it.
  case range(ResumePoint)
  /// The same with a tag that no server has given.
  case rangeOfAnother(ResumePoint)
}

extension ProbeQuestion {
  /// The request to make; `url` is the source's own.
  package func request(_ url: String) -> ExchangeRequest {
    var request = ExchangeRequest(method: self == .head ? .head : .get, url: url)
    switch self {
    case .head: break
    case .whole: request.wantsNewConnection = true
    case .ifNoneMatch(let tag, let url):
      request.conditions = Validators(etag: tag, url: url)
      request.wantsNewConnection = true
    case .ifModifiedSince(let date, let url): request.conditions = Validators(lastModified: date, url: url)
    case .range(let point), .rangeOfAnother(let point): request.resume = point
    }
    return request
  }
}

/// The next action for the driver of a ``ProbeMachine``.
package enum ProbeAction: Sendable, Equatable {
  /// Perform this request and report its reply.
  case ask(ProbeQuestion)
  /// The probe is over; no action follows.
  case finish(ProbeFindings)
  /// The file cannot be had.
  case fail(FailureCause)
}

/// Chooses at most seven requests to a server, and judges the replies.
///
/// A state machine without IO; every body must be dropped.
package struct ProbeMachine: Sendable {
  private let secrets: SecretMask
  private let now: Timestamp
  private var asking = ProbeQuestion.head
  private var headReply: Result<ResponseHead, FailureCause>?
  private var findings: ProbeFindings?
  /// Every version that a reply spoke of, with the resource it came from, that of the plain GET first.
  private var seen: [Validators] = []
  /// Whether the last range was answered by the whole of the very version that it named.
  private var hasRefusedIfRange = false

  /// Before its first question; a validator with one of `secrets` is ignored. `now` decides the century of
  /// two-digit years.
  package init(secrets: SecretMask = SecretMask(), now: Timestamp) {
    self.secrets = secrets
    self.now = now
  }

  /// The first question; to be called once.
  package func start() -> ProbeAction { .ask(.head) }

  /// Takes the answer to the last question: a reply that is not a redirect, or a failure.
  package mutating func answered(_ answer: Result<ResponseHead, FailureCause>) -> ProbeAction {
    let answer = answer.map(secrets.withoutSecrets)
    switch asking {
    case .head:
      // A GET would fail in the same way, and as slowly.
      if case .failure(let cause) = answer, cause.concernsEveryRequest { return .fail(cause) }
      headReply = answer
      return ask(.whole)
    case .whole: return begin(answer)
    case .ifNoneMatch(let tag, let url):
      let judged = conditionAnswer(answer, url) { Self.isSame($0.etag, tag) }
      findings?.etag?.answer = judged
    case .ifModifiedSince(let date, let url):
      let judged = conditionAnswer(answer, url) { $0.lastModified == date }
      findings?.lastModified?.answer = judged
    case .range(let point):
      let judged = rangeFinding(answer, asked: point)
      findings?.ranges = judged
      hasRefusedIfRange = judged == .ignored && point.isGuarded && point.validator.etag == Self.etag(answer)
    case .rangeOfAnother:
      if case .success(let head) = answer { findings?.ranges = .honoured(guarded: head.status == 200) }
    }
    note(answer)
    return next()
  }

  // MARK: Asking

  private mutating func ask(_ question: ProbeQuestion) -> ProbeAction {
    asking = question
    return .ask(question)
  }

  private mutating func begin(_ answer: Result<ResponseHead, FailureCause>) -> ProbeAction {
    let head: ResponseHead
    switch answer {
    case .failure(let cause): return .fail(cause)
    case .success(let reply): head = reply
    }
    guard head.status == 200 || head.status == 203 else { return .fail(.unusable(head)) }
    findings = ProbeFindings(
      whole: head, head: headFinding(head), etag: head.etag.map { .init($0, answer: .changed) },
      lastModified: head.lastModified.map { .init($0, answer: .changed) },
      redirect: head.isSigned ? .signed : .steady, serverDigests: ServerDigests(head, method: .get))
    note(answer)
    if case .success(let head)? = headReply, head.status == 200 { note(.success(head)) }
    return next()
  }

  /// The question after the one that was just answered.
  private mutating func next() -> ProbeAction {
    guard let found = findings else { return .fail(.internalError("a probe went on without a reply")) }
    let url = secrets.mask(found.whole.url)
    switch asking {
    case .head, .whole:
      if let tag = found.etag?.value { return ask(.ifNoneMatch(tag, url: url)) }
      fallthrough
    case .ifNoneMatch:
      if let date = found.lastModified?.value { return ask(.ifModifiedSince(date, url: url)) }
      fallthrough
    case .ifModifiedSince:
      if let point = resumePoint(found, url) { return ask(.range(point)) }
    case .range(var point):
      if hasRefusedIfRange, point.validator.etag != nil {
        point.isGuarded = false
        return ask(.range(point))
      }
      guard case .honoured = found.ranges else { break }
      point.validator = Self.another(than: point.validator)
      return ask(.rangeOfAnother(point))
    case .rangeOfAnother: break
    }
    return .finish(finished(found))
  }

  private func resumePoint(_ found: ProbeFindings, _ url: String) -> ResumePoint? {
    guard let validator = found.whole.strongValidator(now: now) else { return nil }
    let length = found.whole.contentLength
    if let length, length < 2 { return nil }
    return ResumePoint(
      offset: length.map { $0 - 1 } ?? 1, total: length, validator: validator,
      lastModified: found.whole.lastModified, url: url)
  }

  /// One that no version has.
  private static func another(than validator: StrongValidator) -> StrongValidator {
    switch validator {
    case .etag: .etag(EntityTag("\"syncmake-asks-for-no-version\""))
    case .date: .date("Thu, 01 Jan 1970 00:00:01 GMT")
    }
  }

  private static func etag(_ answer: Result<ResponseHead, FailureCause>) -> EntityTag? {
    if case .success(let head) = answer { head.etag } else { nil }
  }

  // MARK: Judging

  private mutating func note(_ answer: Result<ResponseHead, FailureCause>) {
    guard case .success(let head) = answer, [200, 203, 206, 304].contains(head.status) else { return }
    var observed = Validators(etag: head.etag, lastModified: head.lastModified, url: secrets.mask(head.url))
    // A redirector's confirmation concerns the resource to which it redirects.
    if head.status == 304, let first = seen.first { observed.origin = first.origin }
    if let first = seen.first, first.origin != observed.origin { noteElsewhere(head, observed, first) }
    seen.append(observed)
  }

  /// Whether a run takes what another URL has for the same file.
  private mutating func noteElsewhere(_ head: ResponseHead, _ observed: Validators, _ first: Validators) {
    let size = head.status == 206 ? head.contentRange.flatMap { ContentRange($0)?.total } : head.contentLength
    let answer = ConfirmationRule.answer(
      rule: .etag, asked: first, observed: observed, sizes: (findings?.whole.contentLength, size), now: now)
    if answer != .confirmed {
      findings?.redirect = .unstable
    } else if findings?.redirect != .unstable {
      findings?.redirect = .mirrors
    }
  }

  private func finished(_ found: ProbeFindings) -> ProbeFindings {
    var found = found
    if let tag = found.etag?.value {
      found.etag?.others = seen.compactMap(\.etag).reduce(into: []) { others, other in
        if !other.weaklyEquals(tag), !others.contains(other) { others.append(other) }
      }
    }
    if let date = found.lastModified?.value {
      found.lastModified?.others = seen.compactMap(\.lastModified).reduce(into: []) { others, other in
        if other != date, !others.contains(other) { others.append(other) }
      }
    }
    return found
  }

  private func headFinding(_ whole: ResponseHead) -> HeadFinding {
    switch headReply {
    case .failure(let cause)?: return .failed(cause)
    case .success(let head)? where head.status != 200: return .refused(head.status)
    case .success(let head)?:
      return Self.isSame(head.etag, whole.etag) && head.lastModified == whole.lastModified
        ? .agrees : .differs
    case nil: return .failed(.internalError("HEAD was not asked"))
    }
  }

  /// A reply from elsewhere than `url` is to a request that bore no condition. A run compares it only if it may be a
  /// copy of the same length.
  private func conditionAnswer(
    _ answer: Result<ResponseHead, FailureCause>, _ url: String, isSame: (ResponseHead) -> Bool
  ) -> ConditionAnswer {
    switch answer {
    case .failure(let cause): .failed(cause)
    case .success(let head) where head.status == 304: .notModified
    case .success(let head) where head.status == 200 || head.status == 203:
      isSame(head) && mayCompare(head, url) ? .ignored : .changed
    case .success(let head): .refused(head.status)
    }
  }

  private func mayCompare(_ head: ResponseHead, _ url: String) -> Bool {
    let found = secrets.mask(head.url)
    if found.hasSameBytes(as: url) { return true }
    guard let length = head.contentLength, length == findings?.whole.contentLength else { return false }
    return ResourceURL.mayBeCopies(found, url)
  }

  private func rangeFinding(
    _ answer: Result<ResponseHead, FailureCause>, asked point: ResumePoint
  ) -> RangeFinding {
    switch answer {
    case .failure(let cause): return .failed(cause)
    case .success(let head) where head.status == 200 || head.status == 203:
      return secrets.mask(head.url).hasSameBytes(as: point.url) ? .ignored : .notAsked
    case .success(let head) where head.status == 206:
      if let fault = RangeCheck.fault(of: head, asked: point) { return .wrong(fault) }
      return point.isGuarded ? .honoured(guarded: true) : .honouredAlone
    case .success(let head): return .refused(head.status)
    }
  }

  private static func isSame(_ a: EntityTag?, _ b: EntityTag?) -> Bool {
    guard let a, let b else { return a == b }
    return a.weaklyEquals(b)
  }
}

extension FailureCause {
  /// A reply to a plain GET that is not a file.
  fileprivate static func unusable(_ head: ResponseHead) -> FailureCause {
    (200..<400).contains(head.status)
      ? .protocolError(url: head.url, .unexpectedStatus(head.status))
      : .httpStatus(head.status, url: head.url)
  }
}
