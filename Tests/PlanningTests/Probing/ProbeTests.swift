import SyncModel
import Testing

@testable import Planning

/// A server as seen by a probe; its answers may change from request to request.
struct Scripted {
  var tags: [String?] = [nil]
  var dates: [String?] = [nil]
  var urls = ["https://h.example/f.gz"]
  var length: Int64? = 100
  var headStatus = 200
  var ignoresConditions = false
  var conditionStatus: Int?
  var ranges = "right"
  var checksIfRange = true
  var endIsProvable = true
  var encoding: String?
  var isSigned = false
  var digest: DigestField?

  /// The answer to the request of this number, from 0.
  func answer(_ question: ProbeQuestion, _ number: Int) -> ResponseHead {
    func pick<Value>(_ values: [Value]) -> Value { values[number % values.count] }
    var head = ResponseHead(
      status: 200, url: pick(urls), etag: pick(tags).map { EntityTag($0) }, lastModified: pick(dates),
      contentLength: length, contentEncoding: encoding)
    head.endIsProvable = endIsProvable
    head.isSigned = isSigned
    head.url = ResourceURL.text(of: head.url)
    head.digestFields = [digest].compactMap { $0 }
    switch question {
    case .head: head.status = headStatus
    case .whole: break
    case .ifNoneMatch(let tag, let url):
      if let conditionStatus { head.status = conditionStatus }
      if !ignoresConditions, conditionStatus == nil, url == head.url, head.etag == tag { head.status = 304 }
    case .ifModifiedSince(let date, let url):
      if let conditionStatus { head.status = conditionStatus }
      if !ignoresConditions, conditionStatus == nil, url == head.url, head.lastModified == date {
        head.status = 304
      }
    case .range(let point), .rangeOfAnother(let point):
      guard ranges != "ignored", head.etag == point.validator.etag || !checksIfRange else { break }
      if ranges == "alone", point.isGuarded { break }
      head.status = ranges == "refused" ? 416 : 206
      let first = ranges == "wrong" ? 0 : point.offset
      let total = length ?? 100
      head.contentRange = "bytes \(first)-\(total - 1)/\(total)"
      head.contentLength = total - first
    }
    return head
  }
}

@Suite struct `A probe` {
  private func findings(_ server: Scripted) throws -> (ProbeFindings, asked: Int) {
    var machine = ProbeMachine(now: Timestamp(seconds: 1_700_000_000))
    var action = machine.start()
    for number in 0..<7 {
      guard case .ask(let question) = action else { break }
      action = machine.answered(.success(server.answer(question, number)))
      if case .finish(let findings) = action { return (findings, number + 1) }
    }
    Issue.record("\(action)")
    throw Unfinished()
  }

  private struct Unfinished: Error {}

  private func report(_ server: Scripted, sidecars: [SidecarFinding] = []) throws -> ProbeReport {
    ProbeReport(
      source: .web("https://h.example/f.gz"), subject: .web(try findings(server).0), sidecars: sidecars)
  }

  private static let sidecar = SidecarFinding(
    guess: SidecarGuess.all[0], url: .web("https://h.example/f.gz.sha256"),
    content: .digest(.sha256, HexDigest(bytes: [UInt8](repeating: 7, count: 32))))

  @Test func `a good server gets six requests, and all is well`() throws {
    let (found, asked) = try findings(Scripted(tags: ["\"a\""], dates: ["Sun, 06 Nov 1994 08:49:37 GMT"]))
    #expect(asked == 6)
    #expect(found.head == .agrees)
    #expect(found.etag == ValidatorFinding(EntityTag("\"a\""), answer: .notModified))
    #expect(found.lastModified?.answer == .notModified)
    #expect(found.ranges == .honoured(guarded: true))
    #expect(found.redirect == .steady)
  }

  @Test func `a condition that was not sent after a redirect does not count as ignored`() throws {
    let places = (0..<6).map { "https://h.example/store/\($0)" }
    let (found, _) = try findings(
      Scripted(
        tags: ["\"a\""], dates: ["Sun, 06 Nov 1994 08:49:37 GMT"], urls: places, ignoresConditions: true))
    #expect(found.redirect == .unstable)
    #expect(found.etag?.answer == .changed)
    #expect(found.lastModified?.answer == .changed)
  }

  @Test func `another signature for each request does not mean another file`() throws {
    var server = Scripted(tags: ["\"a\""], urls: (0..<6).map { "https://h.example/f.gz?v=1&sig=\($0)" })
    server.isSigned = true
    let (found, _) = try findings(server)
    #expect(found.redirect == .signed)
    #expect(found.ranges == .honoured(guarded: true))
    let advice = try #require(try report(server).advice)
    #expect(advice.rule == .etag)
    #expect(advice.canResume)
  }

  @Test(arguments: [("\"a\"", true), ("W/\"a\"", false)])
  func `hosts that have the same file are mirrors`(tag: String, areMirrors: Bool) throws {
    let server = Scripted(
      tags: [tag], urls: (0..<6).map { "https://m\($0).example/f.gz" }, ignoresConditions: true)
    #expect(try findings(server).0.redirect == (areMirrors ? .mirrors : .unstable))
    let advice = try #require(try report(server).advice)
    #expect(advice.rule == (areMirrors ? .etag : .daily))
    #expect(advice.reason == (areMirrors ? .mirrorsCompared : .redirectUnstable))
    #expect(!advice.canResume)
  }

  @Test func `Range alone is tried if If-Range gets the whole of the same version`() throws {
    let server = Scripted(tags: ["\"a\""], ranges: "alone")
    let (found, asked) = try findings(server)
    #expect(asked == 5)
    #expect(found.ranges == .honouredAlone)
    #expect(try report(server).advice?.canResume == true)
  }

  @Test func `a server without validators gets two requests`() throws {
    let (found, asked) = try findings(Scripted())
    #expect(asked == 2)
    #expect(found.etag == nil)
    #expect(found.ranges == .notAsked)
  }

  @Test(
    arguments: [
      ("\"a\"", 100, "right", true, RangeFinding.honoured(guarded: true)),
      ("\"a\"", nil, "right", true, .honoured(guarded: true)),
      ("\"a\"", 100, "right", false, .honoured(guarded: false)),
      ("\"a\"", 100, "ignored", true, .ignored), ("\"a\"", 100, "refused", true, .refused(416)),
      ("\"a\"", 100, "wrong", true, .wrong("it starts at byte 0, not at 99")),
      ("\"a\"", 1, "right", true, .notAsked), ("W/\"a\"", 100, "right", true, .notAsked),
    ] as [(String, Int64?, String, Bool, RangeFinding)])
  func `ranges are requested as for a broken download`(
    tag: String, length: Int64?, ranges: String, checksIfRange: Bool, expected: RangeFinding
  ) throws {
    var server = Scripted(tags: [tag], length: length)
    server.ranges = ranges
    server.checksIfRange = checksIfRange
    // A total that only a 206 contains is not a contradiction.
    #expect(try findings(server).0.ranges == expected)
  }

  @Test(
    arguments: [
      ("good", Scripted(tags: ["\"a\""]), ProbeAdvice.Rule.etag, ProbeAdvice.Reason.etagConfirmed),
      ("weak", Scripted(tags: ["W/\"a\""]), .etag, .etagConfirmed),
      (
        "weak and strong", Scripted(tags: ["W/\"a\"", "\"a\""], ignoresConditions: true), .etag, .etagCompared
      ),
      ("ignores", Scripted(tags: ["\"a\""], dates: ["D"], ignoresConditions: true), .etag, .etagCompared),
      ("date", Scripted(dates: ["D"]), .etag, .dateConfirmed),
      ("date, ignores", Scripted(dates: ["D"], ignoresConditions: true), .etag, .dateCompared),
      ("date of now", Scripted(dates: ["D", "E", "F"]), .daily, .validatorsUnstable),
      ("flaps", Scripted(tags: ["\"a\"", "\"b\""]), .daily, .validatorsUnstable),
      ("flaps, dated", Scripted(tags: ["\"a\"", "\"b\""], dates: ["D"]), .mtime, .etagUnstable),
      ("all flaps", Scripted(tags: ["\"a\"", "\"b\""], dates: ["D", "E"]), .daily, .validatorsUnstable),
      ("nothing", Scripted(), .daily, .noValidator),
      (
        "another file each time", Scripted(tags: ["\"a\""], urls: ["https://c/1", "https://c/2"]), .daily,
        .redirectUnstable
      ),
      ("refuses", Scripted(tags: ["\"a\""], conditionStatus: 412), .daily, .conditionsRefused),
      ("refuses dates", Scripted(dates: ["D"], conditionStatus: 500), .daily, .conditionsRefused),
    ] as [(String, Scripted, ProbeAdvice.Rule, ProbeAdvice.Reason)])
  func `advises a rule that will work`(
    what: String, server: Scripted, rule: ProbeAdvice.Rule, reason: ProbeAdvice.Reason
  ) throws {
    let advice = try #require(try report(server).advice)
    #expect(advice.rule == rule)
    #expect(advice.reason == reason)
    // If nothing else tells, a digest does.
    let with = try #require(try report(server, sidecars: [Self.sidecar]).advice)
    #expect(with.rule == (rule == .daily ? .digest(Self.sidecar) : rule))
    #expect(with.sidecar == Self.sidecar)
  }

  @Test(
    arguments: [
      ("nothing else", Scripted(), ProbeAdvice.Rule.etag, ProbeAdvice.Reason.digestSent),
      ("date of now", Scripted(dates: ["D", "E", "F"]), .etag, .digestSent),
      ("good", Scripted(tags: ["\"a\""]), .etag, .etagConfirmed),
      ("flaps, dated", Scripted(tags: ["\"a\"", "\"b\""], dates: ["D"]), .mtime, .etagUnstable),
      ("refuses", Scripted(tags: ["\"a\""], conditionStatus: 412), .daily, .conditionsRefused),
    ] as [(String, Scripted, ProbeAdvice.Rule, ProbeAdvice.Reason)])
  func `a digest from the server helps if its validators do not`(
    what: String, server: Scripted, rule: ProbeAdvice.Rule, reason: ProbeAdvice.Reason
  ) throws {
    var server = server
    server.digest = DigestField(.checksumMD5, "b1946ac92492d2347c6235b4d2611184")
    server.endIsProvable = false
    let advice = try #require(try report(server).advice)
    #expect(advice.rule == rule)
    #expect(advice.reason == reason)
    #expect(!advice.needsUnprovenLength)
    server.digest = DigestField(.checksumMD5, "nonsense")
    #expect(try report(server).advice?.reason != .digestSent)
    #expect(try report(server).advice?.needsUnprovenLength == true)
  }

  @Test func `a download can be resumed if the ETag is strong and stable and ranges are correct`() throws {
    #expect(try report(Scripted(tags: ["\"a\""])).advice?.canResume == true)
    #expect(try report(Scripted(tags: ["W/\"a\""])).advice?.canResume == false)
    #expect(try report(Scripted(tags: ["\"a\""], ranges: "ignored")).advice?.canResume == false)
    #expect(try report(Scripted(tags: ["\"b\"", "\"a\"", "\"a\"", "\"a\""])).advice?.canResume == false)
  }

  @Test func `obstacles that would fail each run are reported`() throws {
    let open = Scripted(tags: ["\"a\""], endIsProvable: false)
    #expect(try report(open).advice?.needsUnprovenLength == true)
    #expect(try report(open, sidecars: [Self.sidecar]).advice?.needsUnprovenLength == false)
    #expect(try report(Scripted(encoding: "br")).advice?.obstacle?.code == .protocolError)
    // Many servers send a Content-Encoding for a .gz file, but mean the file itself.
    #expect(try report(Scripted(encoding: "gzip")).advice?.obstacle == nil)
  }

  @Test func `a failed HEAD does not end the probe, but a failed connection does`() throws {
    var machine = ProbeMachine(now: Timestamp(seconds: 1_700_000_000))
    _ = machine.start()
    #expect(machine.answered(.failure(.truncated(url: "u", received: 0, expected: nil))) == .ask(.whole))
    machine = ProbeMachine(now: Timestamp(seconds: 1_700_000_000))
    _ = machine.start()
    let dead = FailureCause.connectFailed(url: "u", text: "refused")
    #expect(machine.answered(.failure(dead)) == .fail(dead))
    machine = ProbeMachine(now: Timestamp(seconds: 1_700_000_000))
    _ = machine.start()
    _ = machine.answered(.success(ResponseHead(status: 404, url: "u")))
    #expect(
      machine.answered(.success(ResponseHead(status: 404, url: "u"))) == .fail(.httpStatus(404, url: "u")))
  }

  @Test func `the reply to HEAD is compared with that to GET`() throws {
    #expect(try findings(Scripted(tags: ["\"a\""], headStatus: 405)).0.head == .refused(405))
    #expect(try findings(Scripted(tags: [nil, "\"a\"", "\"a\"", "\"a\"", "\"a\""])).0.head == .differs)
  }

  @Test func `a validator that contains a secret is ignored`() throws {
    var machine = ProbeMachine(
      secrets: SecretMask(values: ["hunter2"]), now: Timestamp(seconds: 1_700_000_000))
    _ = machine.start()
    let head = ResponseHead(status: 200, url: "https://h/hunter2", etag: EntityTag("\"hunter2\""))
    _ = machine.answered(.success(head))
    guard case .finish(let found) = machine.answered(.success(head)) else {
      Issue.record("it asks on")
      return
    }
    #expect(found.etag == nil)
  }

  @Test func `the number of requests is bounded, whatever the replies are`() throws {
    var random = SplitMix(seed: 5)
    for _ in 0..<2_000 {
      var machine = ProbeMachine(now: Timestamp(seconds: 1_700_000_000))
      var action = machine.start()
      var asked = 0
      while case .ask = action {
        asked += 1
        try #require(asked <= 7)
        var head = ResponseHead(
          status: [200, 200, 304, 206, 404, 416, 503].randomElement(using: &random) ?? 200, url: "u",
          etag: [nil, "\"a\"", "\"b\"", "W/\"a\""].randomElement(using: &random)?.map { EntityTag($0) },
          lastModified: [nil, "D", "E"].randomElement(using: &random) ?? nil,
          contentLength: [nil, 0, 1, 5].randomElement(using: &random) ?? nil)
        head.contentRange = "bytes 4-4/5"
        let fails = Int.random(in: 0..<8, using: &random) == 0
        action = machine.answered(
          fails ? .failure(.stalled(url: "u", after: .zero, received: 0, expected: nil)) : .success(head))
      }
    }
  }
}

extension Scripted: CustomStringConvertible {
  var description: String { "\(tags) \(dates) \(urls)" }
}
