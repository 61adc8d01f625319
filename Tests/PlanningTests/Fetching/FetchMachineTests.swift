import SyncModel
import Testing

@testable import Planning

@Suite struct FetchMachineTests {
  let url = "https://a.example/f.bin"
  let now = Timestamp(seconds: 1_700_000_000)

  func order(
    _ purpose: FetchOrder.Purpose = .download, mirrors: [String]? = nil, retries: Int = 1,
    conditions: Validators? = nil, rule: FreshnessRule = .etag, resume: ResumePoint? = nil,
    maxSize: Int64? = nil, acceptsUnproven: Bool = false
  ) -> FetchOrder {
    FetchOrder(
      purpose: purpose, mirrors: (mirrors ?? [url]).map(SourceURL.web), retries: retries,
      conditions: conditions, rule: rule, resume: resume, maxSize: maxSize,
      acceptsUnprovenLength: acceptsUnproven, seed: 7)
  }

  func head(
    _ status: Int, at url: String? = nil, etag: String? = nil, modified: String? = nil, length: Int64? = nil,
    range: String? = nil, encoding: String? = nil, type: String? = nil, retryAfter: String? = nil
  ) -> ResponseHead {
    ResponseHead(
      status: status, url: url ?? self.url, etag: etag.map(EntityTag.init), lastModified: modified,
      contentLength: length, contentRange: range, contentEncoding: encoding, contentType: type,
      retryAfter: retryAfter)
  }

  func question(_ action: FetchAction) throws -> FetchQuestion {
    guard case .ask(let question) = action else {
      Issue.record("expected a question, got \(action)")
      throw Unexpected()
    }
    return question
  }

  struct Unexpected: Error {}

  /// A machine that has asked and got `head`, and whose exchange has ended without a body.
  func after(_ head: ResponseHead, _ order: FetchOrder) -> (FetchMachine, ReplyJudgement, FetchAction) {
    var machine = FetchMachine(order)
    _ = machine.start()
    let judgement = machine.judge(head, now: now)
    return (machine, judgement, machine.ended(.stopped, accepted: 0))
  }

  // MARK: Conditions

  @Test func `a 304 with the requested validator confirms`() {
    let asked = Validators(etag: EntityTag("\"a\""), url: url)
    let (_, judgement, action) = after(head(304, etag: "W/\"a\""), order(conditions: asked))
    #expect(judgement == .drop)
    #expect(action == .finish(.confirmed(observed: Validators(etag: EntityTag("W/\"a\""), url: url))))
  }

  @Test(arguments: ["another tag", "another URL", "no validator recorded", "nothing asked"])
  func `an unrequested 304 causes one plain request, then an error`(_ kind: String) throws {
    let asked: Validators? =
      switch kind {
      case "another tag": Validators(etag: EntityTag("\"a\""), url: url)
      case "another URL": Validators(etag: EntityTag("\"c\""), url: "https://elsewhere.example/")
      case "no validator recorded": Validators(url: url)
      default: nil
      }
    var machine = FetchMachine(order(conditions: asked))
    _ = machine.start()
    #expect(machine.judge(head(304, etag: "\"b\""), now: now) == .drop)
    let again = try question(machine.ended(.stopped, accepted: 0))
    #expect(again.conditions == nil)
    #expect(machine.judge(head(304), now: now) == .drop)
    #expect(
      machine.ended(.stopped, accepted: 0)
        == .finish(.failed(.protocolError(url: url, .unexpectedStatus(304)), tries: 1)))
  }

  @Test func `a 200 with the requested validator is dropped`() {
    let asked = Validators(etag: EntityTag("\"a\""), url: url)
    let (_, judgement, action) = after(head(200, etag: "\"a\"", length: 9), order(conditions: asked))
    #expect(judgement == .drop)
    guard case .finish(.confirmed) = action else {
      Issue.record("\(action)")
      return
    }
  }

  @Test func `a validator of another URL confirms nothing`() {
    var machine = FetchMachine(
      order(conditions: Validators(etag: EntityTag("\"a\""), url: "https://cdn.example/old")))
    _ = machine.start()
    #expect(
      machine.judge(head(200, at: "https://cdn.example/new", etag: "\"a\""), now: now) == .takeFromStart)
  }

  @Test func `an unconditional request accepts every 200`() {
    var machine = FetchMachine(order())
    _ = machine.start()
    #expect(machine.judge(head(200, etag: "\"a\""), now: now) == .takeFromStart)
  }

  // MARK: Retries and mirrors

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
  func `a transient failure is retried as often as allowed, then the next mirror is used`(_ status: Int)
    throws
  {
    var machine = FetchMachine(order(mirrors: [url, "https://b.example/f"], retries: 2))
    _ = machine.start()
    for attempt in 1...2 {
      _ = machine.judge(head(status), now: now)
      guard case .wait(let delay, attempt, _) = machine.ended(.complete(lengthIsProven: true), accepted: 0)
      else {
        Issue.record("attempt \(attempt) did not wait")
        return
      }
      #expect(delay >= .zero && delay <= .seconds(2))
      _ = machine.waited()
    }
    _ = machine.judge(head(status), now: now)
    let next = try question(machine.ended(.stopped, accepted: 0))
    #expect(next.url == .web("https://b.example/f"))
    #expect(next.gaveUp == FetchQuestion.GivenUp(url: .web(url), cause: .httpStatus(status, url: url)))
  }

  @Test func `the next mirror continues at the end of the kept bytes`() throws {
    var machine = FetchMachine(order(mirrors: [url, "https://b.example/f"], retries: 0, resume: Self.point))
    _ = machine.start()
    let reply = head(206, etag: "\"v1\"", length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(reply, now: now) == .takeContinuation)
    let broken = ExchangeEnd.failed(.truncated(url: url, received: 50, expected: 200))
    let next = try question(machine.ended(broken, accepted: 150))
    // From 100, a mirror that redirects to the same URL would send 50 bytes that are already present.
    #expect(next.resume == ResumePoint(offset: 150, total: 300, etag: EntityTag("\"v1\""), url: url))
  }

  @Test func `bytes from a file source are not resumed`() throws {
    var machine = FetchMachine(order(mirrors: [url, "https://b.example/f"], retries: 0, resume: Self.point))
    _ = machine.start()
    let stamp = Validators(fileStamp: "9-1", url: "f")
    #expect(machine.judge(file: stamp, size: 9, now: now) == .takeFromStart)
    let broken = ExchangeEnd.failed(.truncated(url: url, received: 5, expected: 9))
    #expect(try question(machine.ended(broken, accepted: 5)).resume == nil)
  }

  @Test func `a body that was received to its end is not resumed`() throws {
    var machine = FetchMachine(order(mirrors: [url, "https://b.example/f"], retries: 1))
    _ = machine.start()
    #expect(machine.judge(head(200, etag: "\"v1\""), now: now) == .takeFromStart)
    _ = try question(machine.bodyIsWhole(provenByFraming: false, provenByContent: false, size: 40))
    _ = machine.ended(.failed(.connectFailed(url: "", text: "")), accepted: 40)
    #expect(try question(machine.waited()).resume == nil)
  }

  @Test func `ETags with different bytes are different versions, even if they look alike`() {
    let asked = Validators(etag: EntityTag("\"\u{E9}\""), url: url)
    var machine = FetchMachine(order(conditions: asked))
    _ = machine.start()
    #expect(machine.judge(head(200, etag: "\"e\u{301}\""), now: now) == .takeFromStart)
  }

  @Test(arguments: [201, 202, 300, 400, 401, 403, 404, 410, 418, 501, 505])
  func `other statuses fail at once`(_ status: Int) {
    let (_, _, action) = after(head(status), order(retries: 4))
    #expect(action == .finish(.failed(.httpStatus(status, url: url), tries: 1)))
  }

  @Test(arguments: [204, 205, 206])
  func `unexpected statuses are protocol errors`(_ status: Int) {
    let (_, _, action) = after(head(status), order())
    #expect(action == .finish(.failed(.protocolError(url: url, .unexpectedStatus(status)), tries: 1)))
  }

  @Test func `Retry-After is the shortest wait up to a minute, and a failure above`() {
    let (_, _, patient) = after(head(503, retryAfter: "60"), order())
    guard case .wait(let delay, _, _) = patient else {
      Issue.record("\(patient)")
      return
    }
    #expect(delay >= .seconds(60))
    let (_, _, impatient) = after(head(503, retryAfter: "61"), order())
    #expect(impatient == .finish(.failed(.retryAfter(seconds: 61, status: 503, url: url), tries: 1)))
  }

  @Test func `a fault of this machine is not retried at another mirror`() {
    var machine = FetchMachine(order(mirrors: [url, "https://b.example/f"]))
    _ = machine.start()
    let full = FailureCause.diskFull(path: "f")
    #expect(machine.ended(.failed(full), accepted: 0) == .finish(.failed(full, tries: 1)))
  }

  @Test func `the back-off grows, is jittered and stays below its ceiling`() {
    for seed in 0..<200 {
      var backoff = Backoff(seed: UInt64(seed))
      for attempt in 1...12 {
        let ceiling = min(30, 1 << (attempt - 1))
        let delay = backoff.delay(attempt: attempt, floor: nil)
        #expect(delay >= .zero && delay <= .seconds(ceiling))
      }
    }
    let firsts = Set(
      (0..<50).map { seed in
        var backoff = Backoff(seed: UInt64(seed))
        return backoff.delay(attempt: 1, floor: nil)
      })
    #expect(firsts.count > 40)
  }

  // MARK: Bodies

  static let wrongDigest = FailureCause.digestMismatch(
    algorithm: .md5, expected: HexDigest(bytes: [1]), actual: HexDigest(bytes: [2]), step: 0)

  @Test func `after a wrong digest the next mirror starts from the beginning`() throws {
    var machine = FetchMachine(order(mirrors: [url, "https://b.example/f"], retries: 4))
    _ = machine.start()
    _ = machine.judge(head(200, etag: "\"v1\""), now: now)
    let next = try question(
      machine.bodyFailed(
        Self.wrongDigest, provenByFraming: true, endedEarly: false, mayBeOutOfStep: false, received: 9))
    #expect(next.url == .web("https://b.example/f"))
    #expect(next.resume == nil)
    _ = machine.judge(head(200, at: "https://b.example/f"), now: now)
    #expect(
      machine.bodyFailed(
        Self.wrongDigest, provenByFraming: true, endedEarly: false, mayBeOutOfStep: false, received: 9)
        == .finish(.failed(Self.wrongDigest, tries: 2)))
  }

  @Test func `after a mismatch with a sidecar both are fetched once more, without conditions`() throws {
    let asked = Validators(etag: EntityTag("\"old\""), url: url)
    var machine = FetchMachine(order(retries: 0, conditions: asked))
    _ = machine.start()
    _ = machine.judge(head(200, etag: "\"v1\""), now: now)
    #expect(
      machine.bodyFailed(
        Self.wrongDigest, provenByFraming: true, endedEarly: false, mayBeOutOfStep: true, received: 9)
        == .refreshSidecars)
    #expect(try question(machine.sidecarsRefreshed()).conditions == nil)
    _ = machine.judge(head(200, etag: "\"v1\""), now: now)
    #expect(
      machine.bodyFailed(
        Self.wrongDigest, provenByFraming: true, endedEarly: false, mayBeOutOfStep: true, received: 9)
        == .finish(.failed(Self.wrongDigest, tries: 2)))
  }

  @Test func `the second of those downloads has its own retries`() throws {
    var machine = FetchMachine(order(retries: 1))
    _ = machine.start()
    _ = machine.judge(head(503), now: now)
    _ = machine.ended(.stopped, accepted: 0)
    _ = machine.waited()
    _ = machine.judge(head(200, etag: "\"v1\""), now: now)
    _ = machine.bodyFailed(
      Self.wrongDigest, provenByFraming: true, endedEarly: false, mayBeOutOfStep: true, received: 9)
    _ = machine.sidecarsRefreshed()
    _ = machine.judge(head(503), now: now)
    guard case .wait(_, 1, _) = machine.ended(.stopped, accepted: 0) else {
      Issue.record("it gave up")
      return
    }
  }

  @Test(arguments: [(true, false, false), (false, true, false), (false, false, true)])
  func `a body is accepted with any proof of its length`(_ framing: Bool, _ content: Bool, _ accepted: Bool) {
    var machine = FetchMachine(order(acceptsUnproven: accepted))
    _ = machine.start()
    _ = machine.judge(head(200), now: now)
    #expect(
      machine.bodyIsWhole(provenByFraming: framing, provenByContent: content, size: 5)
        == .finish(.downloaded(observed: Validators(url: url))))
  }

  @Test func `a body without a proof of its length is refused`() {
    var machine = FetchMachine(order())
    _ = machine.start()
    _ = machine.judge(head(200), now: now)
    #expect(
      machine.bodyIsWhole(provenByFraming: false, provenByContent: false, size: 5)
        == .finish(.failed(.lengthUnproven(url: url, received: 5), tries: 1)))
  }

  @Test func `a gzip member that is cut off without framing counts as truncated and is retried`() {
    var machine = FetchMachine(order())
    _ = machine.start()
    _ = machine.judge(head(200), now: now)
    let cut = FailureCause.corrupt(
      Corruption(.gzip, offset: 40, text: "ends inside a member", isCutShort: true))
    guard
      case .wait(_, _, .truncated) = machine.bodyFailed(
        cut, provenByFraming: false, endedEarly: true, mayBeOutOfStep: true, received: 40)
    else {
      Issue.record("it was not taken as a truncation")
      return
    }
  }

  @Test func `a body that is cut short is resumed, until a range is refused`() throws {
    let cut = FailureCause.corrupt(
      Corruption(.gzip, offset: 40, text: "ends inside a member", isCutShort: true))
    var machine = FetchMachine(order())
    _ = machine.start()
    _ = machine.judge(head(200, etag: "\"v1\""), now: now)
    #expect(machine.maySalvage)
    _ = machine.bodyFailed(
      cut, provenByFraming: false, endedEarly: true, mayBeOutOfStep: true, received: 40, kept: 30)
    let resumed = try question(machine.waited()).resume
    #expect(resumed?.offset == 30)
    #expect(resumed?.validator.etag == EntityTag("\"v1\""))
    _ = machine.judge(head(416), now: now)
    #expect(try question(machine.ended(.stopped, accepted: 30)).resume == nil)
    _ = machine.judge(head(200, etag: "\"v1\""), now: now)
    #expect(!machine.maySalvage)
  }

  @Test(arguments: [
    ("gzip", "https://a.example/f.gz", true), ("x-gzip", "https://a.example/F.GZ?x=1", true),
    ("gzip", "https://a.example/f.txt", false), ("br", "https://a.example/f.gz", false),
    ("deflate", "https://a.example/f", false),
  ])
  func `an encoded body is refused, except gzip for a name that ends in gz`(
    _ encoding: String, _ url: String, _ isTaken: Bool
  ) {
    var machine = FetchMachine(order(mirrors: [url]))
    _ = machine.start()
    let judgement = machine.judge(head(200, at: url, encoding: encoding), now: now)
    #expect((judgement == .takeFromStart) == isTaken)
    guard !isTaken else { return }
    #expect(
      machine.ended(.stopped, accepted: 0)
        == .finish(.failed(.protocolError(url: url, .contentEncoding(encoding)), tries: 1)))
  }

  @Test func `an announced size above the limit is refused before any byte is accepted`() {
    let (_, judgement, action) = after(head(200, length: 101), order(maxSize: 100))
    #expect(judgement == .drop)
    #expect(action == .finish(.failed(.tooLarge(limit: 100, size: 101), tries: 1)))
  }

  // MARK: Probing

  @Test(arguments: [400, 403, 404, 405, 501])
  func `if HEAD is refused, a probe uses GET`(_ status: Int) throws {
    let asked = Validators(etag: EntityTag("\"a\""), url: url)
    var machine = FetchMachine(order(.probe, conditions: asked))
    #expect(try question(machine.start()).method == .head)
    _ = machine.judge(head(status), now: now)
    let again = try question(machine.ended(.stopped, accepted: 0))
    #expect(again.method == .get)
    #expect(again.conditions == asked)
    #expect(machine.judge(head(status), now: now) == .drop)
    #expect(
      machine.ended(.stopped, accepted: 0) == .finish(.failed(.httpStatus(status, url: url), tries: 1)))
  }

  @Test func `if HEAD says less, a probe uses GET and drops the body`() throws {
    let asked = Validators(etag: EntityTag("\"a\""), url: url)
    var machine = FetchMachine(order(.probe, conditions: asked))
    _ = machine.start()
    _ = machine.judge(head(200), now: now)
    #expect(try question(machine.ended(.stopped, accepted: 0)).method == .get)
    #expect(machine.judge(head(200, etag: "\"b\"", length: 77), now: now) == .drop)
    #expect(
      machine.ended(.stopped, accepted: 0)
        == .finish(.differs(observed: Validators(etag: EntityTag("\"b\""), url: url), bytes: 77)))
  }

  @Test func `if HEAD lacks the validator that the rule compares, a GET follows`() throws {
    let asked = Validators(etag: EntityTag("\"a\""), lastModified: "Tue, 14 Nov 2023 00:00:00 GMT", url: url)
    for (rule, reply) in [
      (FreshnessRule.mtime, head(200, etag: "\"a\"")),
      (.etag, head(200, modified: "Tue, 14 Nov 2023 00:00:00 GMT")),
    ] {
      var machine = FetchMachine(order(.probe, conditions: asked, rule: rule))
      _ = machine.start()
      _ = machine.judge(reply, now: now)
      #expect(try question(machine.ended(.stopped, accepted: 0)).method == .get)
    }
  }

  @Test(arguments: [FetchOrder.Purpose.download, .probe])
  func `a file's own time is compared by date, in a plan as in a run`(_ purpose: FetchOrder.Purpose) {
    let own = Validators(lastModified: "Tue, 14 Nov 2023 00:00:00 GMT", origin: .ownTime)
    for (date, isConfirmed) in [
      ("Mon, 13 Nov 2023 00:00:00 GMT", true), ("Tue, 14 Nov 2023 00:00:00 GMT", true),
      ("Tue, 14 Nov 2023 00:00:01 GMT", false), ("yesterday", false),
    ] {
      var machine = FetchMachine(order(purpose, conditions: own, rule: .mtime))
      _ = machine.start()
      let judgement = machine.judge(head(200, modified: date, length: 3), now: now)
      #expect((judgement == .takeFromStart) == (!isConfirmed && purpose == .download), "\(date)")
      guard judgement == .drop, case .finish(let ending) = machine.ended(.stopped, accepted: 0) else {
        continue
      }
      let isFresh = if case .confirmed = ending { true } else { false }
      #expect(isFresh == isConfirmed, "\(date)")
    }
  }

  @Test func `a size is the Content-Length of one HEAD, whatever else the reply says`() {
    for tag in [nil, "\"a\""] {
      let (_, judgement, action) = after(head(200, etag: tag, length: 300), order(.size))
      #expect(judgement == .drop)
      let observed = Validators(etag: tag.map(EntityTag.init), url: url)
      #expect(action == .finish(.differs(observed: observed, bytes: 300)))
    }
  }

  @Test func `a HEAD that says nothing but a length of 0 tells no size, and a GET is asked`() {
    var machine = FetchMachine(order(.size))
    _ = machine.start()
    _ = machine.judge(head(200, length: 0), now: now)
    guard case .ask(let question) = machine.ended(.stopped, accepted: 0) else {
      Issue.record("no further question")
      return
    }
    #expect(question.method == .get)
    let judgement = machine.judge(head(200, length: 10), now: now)
    #expect(judgement == .drop)
    let action = machine.ended(.stopped, accepted: 0)
    #expect(action == .finish(.differs(observed: Validators(url: url), bytes: 10)))
    // A validator shows that the file is known.
    let observed = Validators(etag: EntityTag("\"a\""), url: url)
    let (_, _, other) = after(head(200, etag: "\"a\"", length: 0), order(.size))
    #expect(other == .finish(.differs(observed: observed, bytes: 0)))
  }

  @Test(arguments: [403, 405, 501])
  func `if HEAD is refused, the size stays unknown`(_ status: Int) {
    let (_, _, action) = after(head(status), order(.size, retries: 0))
    #expect(action == .finish(.failed(.httpStatus(status, url: url), tries: 1)))
  }

  @Test func `a probe that finds the same validator confirms`() {
    let asked = Validators(etag: EntityTag("\"a\""), url: url)
    let (_, _, action) = after(head(200, etag: "\"a\""), order(.probe, conditions: asked))
    guard case .finish(.confirmed) = action else {
      Issue.record("\(action)")
      return
    }
  }

  @Test
  func `the lock's validators are valid for any URL that the source leads to, and must be equal there`() {
    for (etag, date, isConfirmed) in [
      ("\"a\"", "Mon, 13 Nov 2023 00:00:00 GMT", true), ("\"b\"", "Mon, 13 Nov 2023 00:00:00 GMT", false),
      (nil, "Mon, 13 Nov 2023 00:00:00 GMT", true),
      // An earlier date is another version, too.
      (nil, "Sun, 12 Nov 2023 00:00:00 GMT", false),
    ] as [(String?, String, Bool)] {
      let asked = Validators(
        etag: etag.map { _ in EntityTag("\"a\"") }, lastModified: "Mon, 13 Nov 2023 00:00:00 GMT",
        origin: .anyResource)
      var reply = head(200, etag: etag, modified: date)
      reply.url = "https://elsewhere.example/a"
      let (_, _, action) = after(reply, order(.probe, conditions: asked))
      guard case .finish(let ending) = action else {
        Issue.record("\(action)")
        continue
      }
      let isSame = if case .confirmed = ending { true } else { false }
      #expect(isSame == isConfirmed, "\(etag ?? "") \(date)")
    }
    var machine = FetchMachine(
      order(.probe, conditions: Validators(etag: EntityTag("\"a\""), origin: .anyResource)))
    _ = machine.start()
    _ = machine.judge(head(304, etag: "\"a\""), now: now)
    let ending = machine.ended(.stopped, accepted: 0)
    if case .finish(.confirmed) = ending {} else { Issue.record("a 304 is a confirmation") }
  }

  @Test func `a file source is judged by its size and time`() {
    let asked = Validators(fileStamp: "5-9", url: "data/f")
    var machine = FetchMachine(
      FetchOrder(mirrors: [.file(path: "data/f", written: "data/f")], conditions: asked))
    _ = machine.start()
    #expect(machine.judge(file: asked, size: 5, now: now) == .drop)
    guard case .finish(.confirmed) = machine.ended(.stopped, accepted: 0) else {
      Issue.record("it was not confirmed")
      return
    }
    _ = machine.start()
    let newer = Validators(fileStamp: "5-10", url: "data/f")
    #expect(machine.judge(file: newer, size: 5, now: now) == .takeFromStart)
  }
}
