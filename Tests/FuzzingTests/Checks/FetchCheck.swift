import Planning
import SyncModel

/// The fetch machine with a server that may answer anything: the promises in section 5 of the contract are the
/// oracle.
enum FetchCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    var choices = Choices(input)
    var driver = FetchDriver(FetchWorld.order(&choices))
    while try driver.step(&choices) {}
  }
}

/// Performs a machine's actions as the program would, in a world made of ``Choices``, and watches it.
private struct FetchDriver {
  private let order: FetchOrder
  private var machine: FetchMachine
  private var action: FetchAction
  private var question: FetchQuestion?
  private var head: ResponseHead?
  /// The present bytes; `nil` if none can be resumed from.
  private var held: Held?
  private var isTaken = false
  private var isProven = false
  private var isWhole = false
  private var questions = 0
  private var sidecarRefreshes = 0
  private var mustAskPlainly = false
  /// Whether a 304 has confirmed nothing: what is asked for plainly then may still be the recorded version.
  private var doubtsNotModified = false
  private var owedWait: Int64?

  /// The bytes of one version, and its validators.
  private struct Held {
    var count: Int64
    var validator: StrongValidator?
    var total: Int64?
    var url: String
  }

  init(_ order: FetchOrder) {
    self.order = order
    machine = FetchMachine(order)
    held = order.resume.map { Held(count: $0.offset, validator: $0.validator, total: $0.total, url: $0.url) }
    action = machine.start()
  }

  /// Each mirror may be tried this number of times, one of them once more with new sidecars. In addition there may be one
  /// start over, one plain request, and after the first request to each mirror a GET or a range without `If-Range`.
  private var mostQuestions: Int {
    (order.mirrors.count + 1) * (order.retries + 1) + order.mirrors.count + 2
  }

  private func fault(_ what: String) -> Violation {
    Violation("\(what): \(action) after \(String(describing: head)) to \(String(describing: question))")
  }

  private func demand(_ condition: Bool, _ what: String) throws(Violation) {
    guard condition else { throw fault(what) }
  }

  /// Performs one action; `false` when it was the last.
  mutating func step(_ choices: inout Choices) throws(Violation) -> Bool {
    switch action {
    case .finish(let ending):
      try judge(ending)
      return false
    case .wait(let delay, let attempt, let cause):
      try demand(cause.traits.contains(.transient), "a wait for what will not pass")
      try demand((1...max(1, order.retries)).contains(attempt) && order.retries > 0, "attempt \(attempt)")
      try demand(delay >= .zero && delay <= .seconds(60), "a wait of \(delay)")
      try demand(delay >= .seconds(owedWait ?? 0), "a wait of \(delay) for \(owedWait ?? 0) s")
      action = machine.waited()
    case .refreshSidecars:
      sidecarRefreshes += 1
      try demand(sidecarRefreshes == 1, "sidecars are refreshed again")
      mustAskPlainly = true
      action = machine.sidecarsRefreshed()
    case .ask(let question):
      try ask(question, &choices)
    }
    return true
  }

  private mutating func ask(_ question: FetchQuestion, _ choices: inout Choices) throws(Violation) {
    self.question = question
    (head, isTaken, isProven, isWhole, owedWait) = (nil, false, false, false, nil)
    questions += 1
    try demand(questions <= mostQuestions, "question \(questions)")
    try demand(order.mirrors.contains(question.url), "a URL of its own")
    try demand(question.conditions == nil || question.conditions == order.conditions, "other conditions")
    try demand(!mustAskPlainly || question.conditions == nil, "conditions with new sidecars")
    try demand(order.purpose == .probe || question.method == .get, "a HEAD for a download")
    if let resume = question.resume { try judge(resume) }
    switch choices.below(8) {
    case 0: failed(choices.pick(FetchWorld.faults))
    case 1 where order.conditions?.fileStamp != nil: try lookAtFile(&choices)
    default: try reply(&choices)
    }
  }

  /// A range is requested only if every byte before it is present, from one version with a strong tag.
  private func judge(_ resume: ResumePoint) throws(Violation) {
    guard let held else { throw fault("a resume of nothing") }
    try demand(resume.offset == held.count && resume.offset > 0, "\(held.count) bytes are here")
    try demand(resume.validator == held.validator, "another version's validator")
    try demand(resume.validator.etag?.isStrong ?? true, "a range by a weak tag")
    try demand(resume.total == held.total && resume.url == held.url, "another version is here")
    try demand(order.purpose == .download, "a range for a probe")
  }

  private var accepted: Int64 { held?.count ?? 0 }

  private mutating func failed(_ cause: FailureCause) {
    action = machine.ended(.failed(cause), accepted: accepted)
  }

  private mutating func lookAtFile(_ choices: inout Choices) throws(Violation) {
    let url = order.secrets.mask(question?.url.text ?? "")
    let stamp = Validators(fileStamp: choices.pick(["9-100", "9-200"]), url: url)
    let judgement = machine.judge(file: stamp, size: 9, now: FetchWorld.now)
    guard judgement != .drop else {
      action = machine.ended(.stopped, accepted: accepted)
      return
    }
    try demand(judgement == .takeFromStart && order.purpose == .download, "\(judgement) of a file")
    held = Held(count: 0, validator: nil, total: 9, url: url)
    try body(&choices)
  }

  private mutating func reply(_ choices: inout Choices) throws(Violation) {
    guard let question else { return }
    let head = FetchWorld.head(to: question, &choices)
    self.head = head
    let hadRange = question.resume != nil
    switch machine.judge(head, now: FetchWorld.now) {
    case .drop:
      // A refused range, or an unrequested reply, invalidates the present bytes.
      if hadRange, head.status == 416 || head.status == 206, isForResume(head) { held = nil }
      if head.status == 304, !isConfirmation(head) { (held, doubtsNotModified) = (nil, true) }
      owe(head)
      action = machine.ended(
        choices.pick([.stopped, .complete(lengthIsProven: true), .complete(lengthIsProven: false)]),
        accepted: accepted)
      // The machine may doubt more 304s than it must.
      if head.status == 304, question.conditions != nil, case .ask(let next) = action, next.conditions == nil
      {
        (held, doubtsNotModified) = (nil, true)
      }
    case .takeFromStart:
      try demand(head.status == 200 || head.status == 203, "a body of a \(head.status)")
      try demand(order.purpose == .download, "a body for a probe")
      try demand(head.contentEncoding.map { $0.hasSuffix("gzip") } ?? true, "an encoded body")
      try demand(order.maxSize.map { head.contentLength ?? 0 <= $0 } ?? true, "a body too large")
      held = Held(
        count: 0, validator: head.strongValidator(now: FetchWorld.now), total: head.contentLength,
        url: order.secrets.mask(head.url))
      try body(&choices)
    case .takeContinuation:
      try judgeContinuation(head)
      try body(&choices)
    }
  }

  private func isForResume(_ head: ResponseHead) -> Bool {
    guard let question, let resume = question.resume else { return false }
    let url = order.secrets.mask(head.url)
    if resume.url == url { return true }
    // After a redirect to another host, bytes are joined only with a strong tag, and if a digest will be checked.
    return order.isCheckedByDigest && resume.validator.etag != nil
      && url != order.secrets.mask(question.url.shown)
      && ResourceURL.mayBeCopies(resume.url, url)
  }

  /// Records the wait that a transient status demands, by its seconds or its date.
  private mutating func owe(_ head: ResponseHead) {
    guard FailureCause.httpStatus(head.status, url: "").traits.contains(.transient) else { return }
    owedWait = head.retryAfter.flatMap { RetryAfter.seconds($0, now: FetchWorld.now, sentAt: head.date) }
  }

  /// Contract, section 5: it starts at the requested byte, with the recorded total and the same validator.
  private func judgeContinuation(_ head: ResponseHead) throws(Violation) {
    guard let held, let resume = question?.resume else { throw fault("a continuation of nothing") }
    try demand(head.status == 206 && isForResume(head), "a continuation of another URL")
    guard let range = head.contentRange.flatMap({ ContentRange($0) }), let total = range.total else {
      throw fault("a continuation without a range")
    }
    try demand(range.first == held.count && range.first == resume.offset, "\(held.count) bytes are here")
    try demand(range.last == total - 1, "a continuation that ends before the end")
    try demand(held.total == nil || held.total == total, "another total")
    try demand(head.contentLength.map { $0 == total - held.count } ?? true, "another length")
    switch held.validator {
    case .etag(let tag): try demand(head.etag == tag, "another tag")
    case .date(let date): try demand(head.lastModified.hasSameBytes(as: date), "another date")
    case nil: throw fault("a continuation by no validator")
    }
    try demand(head.contentType?.hasPrefix("multipart/") != true, "several ranges")
  }

  /// The body arrives, in part or completely.
  private mutating func body(_ choices: inout Choices) throws(Violation) {
    isTaken = true
    held?.count += Int64(choices.below(200))
    let (provenByFraming, provenByContent) = (choices.flag(), choices.flag())
    switch choices.below(5) {
    case 0, 1:
      failed(.truncated(url: "", received: accepted, expected: nil))
    case 2:
      // The part of a 206 tells the size of the whole.
      let range = head?.status == 206 ? head?.contentRange.flatMap { ContentRange($0) } : nil
      isProven = provenByFraming || provenByContent || range.map { $0.total == accepted } ?? false
      isWhole = true
      let size = accepted
      // The steps are done with it: whatever the result is, it is not resumed.
      held = nil
      action = machine.bodyIsWhole(
        provenByFraming: provenByFraming, provenByContent: provenByContent, size: size)
    default:
      let cause = choices.pick(FetchWorld.contentFaults)
      let received = accepted
      let (endedEarly, mayBeOutOfStep) = (choices.flag(), choices.flag())
      let isSalvaged = endedEarly && !provenByFraming && machine.maySalvage && choices.flag()
      let kept = isSalvaged ? Int64(choices.below(Int(received) + 1)) : 0
      if kept > 0 { held?.count = kept } else { held = nil }
      action = machine.bodyFailed(
        cause, provenByFraming: provenByFraming, endedEarly: endedEarly, mayBeOutOfStep: mayBeOutOfStep,
        received: received, kept: kept)
    }
  }

  // MARK: Endings

  private func judge(_ ending: FetchEnding) throws(Violation) {
    switch ending {
    case .downloaded(let observed):
      try demand(order.purpose == .download && isTaken && isWhole, "a download without a body")
      try demand(isProven || order.acceptsUnprovenLength, "a body that nothing proves whole")
      try judge(observed: observed)
    case .confirmed(let observed, let digest?):
      try judge(observed: observed)
      try demand(order.recorded?.digest(digest.algorithm) == digest.digest, "a digest of something else")
      try demand(head.map { [200, 203, 206].contains($0.status) } ?? false, "a digest of no file")
    case .confirmed(let observed, nil):
      try judge(observed: observed)
      if let head { try demand(isConfirmation(head), "a confirmation of something else") }
      try demand(asked != nil, "a confirmation of nothing")
    case .differs(let observed, _):
      try demand(order.purpose == .probe, "a download that differs")
      try judge(observed: observed)
    case .failed(_, let tries):
      try demand((1...questions).contains(tries), "\(tries) tries of \(questions) questions")
      // Both files of an inconsistent pair are fetched again once, with their own retries.
      try demand(tries <= (order.mirrors.count + 1) * (order.retries + 1), "\(tries) tries")
    }
  }

  private func judge(observed: Validators) throws(Violation) {
    try demand(observed.url?.contains(FetchWorld.secret) != true, "a secret is shown")
    guard let head else { return }
    let tag = head.etag?.text ?? ""
    try demand((observed.etag?.text ?? "").utf8.elementsEqual(tag.utf8), "another reply's tag")
    let isOfRecorded = head.status == 304 && observed.url == question?.conditions?.url
    try demand(observed.url == order.secrets.mask(head.url) || isOfRecorded, "another reply's URL")
  }

  /// Whether it concerns the recorded resource: it comes from there, or from the redirector that may have led there.
  private func isOfAsked(_ head: ResponseHead, _ asked: Validators) -> Bool {
    let url = order.secrets.mask(head.url)
    guard let question, asked.url != url else { return true }
    return head.status == 304 && question.asksRedirector && url == order.secrets.mask(question.url.shown)
  }

  /// Whether another host, to which a redirect led, has the same file (contract, section 3).
  private func isCopy(_ head: ResponseHead, _ asked: Validators) -> Bool {
    let url = order.secrets.mask(head.url)
    guard [200, 203].contains(head.status), let size = order.recordedSize, size == head.contentLength,
      url != order.secrets.mask(question?.url.shown ?? ""), let own = asked.url,
      ResourceURL.mayBeCopies(own, url)
    else { return false }
    let hasSameDate = asked.lastModified != nil && same(asked.lastModified, head.lastModified)
    if order.rule.innermost == .mtime, asked.lastModified != nil || head.lastModified != nil {
      return hasSameDate
    }
    return hasSameDate || asked.etag.map { $0.isStrong && $0 == head.etag } ?? false
  }

  /// The version that a reply may confirm.
  private var asked: Validators? {
    question?.conditions ?? (doubtsNotModified && !mustAskPlainly ? order.conditions : nil)
  }

  /// Whether `head` confirms the asked version, for the resource that was asked.
  private func isConfirmation(_ head: ResponseHead) -> Bool {
    guard let asked, [200, 203, 206, 304].contains(head.status) else { return false }
    if head.status == 304, question?.conditions == nil { return false }
    // The rest of a version answers like the whole of it, if it was requested and matches.
    if head.status == 206, !isForResume(head) { return false }
    var head = head
    // It may omit the date that the first reply of this version had (RFC 9110, section 15.3.7).
    if head.status == 206, head.lastModified == nil { head.lastModified = question?.resume?.lastModified }
    if asked.isOwnTime { return head.status == 304 || isNotLater(head, asked) }
    guard isOfAsked(head, asked) else { return isCopy(head, asked) }
    let isSameDate = same(asked.lastModified, head.lastModified)
    if head.status != 304, order.rule.innermost == .mtime, asked.lastModified != nil { return isSameDate }
    let isSameTime =
      isSameDate || seconds(asked.lastModified).map { $0 == seconds(head.lastModified) } ?? false
    guard let sent = asked.etag?.text, let got = head.etag?.text else {
      guard head.status == 304, asked.etag != nil else { return head.status == 304 || isSameDate }
      return asked.lastModified == nil || head.lastModified == nil || isSameTime
    }
    // Under `mtime` a 304 with the same time, in any of HTTP's notations, is a confirmation, whatever its ETag is.
    let isByDate = head.status == 304 && order.rule.innermost == .mtime && head.lastModified != nil
    return same(opaque(sent), opaque(got)) || isByDate && isSameTime
  }

  private func seconds(_ date: String?) -> Int64? {
    date.flatMap { HTTPDate.parse($0, now: FetchWorld.now)?.seconds }
  }

  /// The request had a file's own time, and the reply's date is not later.
  private func isNotLater(_ head: ResponseHead, _ asked: Validators) -> Bool {
    guard let own = seconds(asked.lastModified), let its = seconds(head.lastModified) else { return false }
    return its <= own
  }

  private func opaque(_ tag: String) -> String {
    tag.utf8.starts(with: "W/".utf8) ? String(Substring(tag.utf8.dropFirst(2))) : tag
  }

  /// Byte for byte, as servers compare.
  private func same(_ a: String?, _ b: String?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return a.utf8.elementsEqual(b.utf8)
  }
}
