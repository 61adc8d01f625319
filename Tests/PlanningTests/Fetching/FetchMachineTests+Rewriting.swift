import SyncModel
import Testing

@testable import Planning

/// Requests that a rule of the user's configuration sends to a mirror.
extension FetchMachineTests {
  private static let mirror = "https://m.example/a/f.bin"

  private func rewriting(
    _ otherwise: RewriteRule.Otherwise, conditions: Validators? = nil, resume: ResumePoint? = nil,
    retries: Int = 1
  ) throws -> FetchOrder {
    var order = order(retries: retries, conditions: conditions, resume: resume)
    order.recordedSize = 9
    order.rewrites = [
      try #require(RewriteRule(from: "https://a.example/", to: "https://m.example/a/", otherwise: otherwise))
    ]
    return order
  }

  private var recordedAtMirror: Validators {
    Validators(etag: EntityTag("\"m\""), url: ResourceURL.ofMirror(Self.mirror, origin: url))
  }

  @Test func `a mirror is asked instead, and recorded under the manifest's URL`() throws {
    var machine = FetchMachine(try rewriting(.never))
    let asked = try question(machine.start())
    #expect(asked.url == .web(url) && asked.rewritten?.url == Self.mirror && !asked.asksRedirector)
    #expect(machine.judge(head(200, at: Self.mirror, etag: "\"m\"", length: 9), now: now) == .takeFromStart)
    #expect(machine.reportedURL == url && machine.observedURL == Self.mirror)
    #expect(
      machine.bodyIsWhole(provenByFraming: true, provenByContent: false, size: 9)
        == .finish(.downloaded(observed: recordedAtMirror)))
  }

  @Test func `conditions go to the place that they came from`() throws {
    var machine = FetchMachine(try rewriting(.never, conditions: recordedAtMirror))
    _ = machine.start()
    #expect(machine.judge(head(304, at: Self.mirror, etag: "\"m\""), now: now) == .drop)
    #expect(machine.ended(.stopped, accepted: 0) == .finish(.confirmed(observed: recordedAtMirror)))
  }

  /// The mirror was not asked for that ETag, so that its 304 is about something else.
  @Test func `a mirror's 304 says nothing about the origin's version`() throws {
    let conditions = Validators(etag: EntityTag("\"m\""), url: url)
    var machine = FetchMachine(try rewriting(.never, conditions: conditions))
    _ = machine.start()
    #expect(machine.judge(head(304, at: Self.mirror, etag: "\"m\""), now: now) == .drop)
    #expect(try question(machine.ended(.stopped, accepted: 0)).conditions == nil)
  }

  @Test func `the origin's 304 says nothing about a mirror's version`() throws {
    var machine = FetchMachine(order(conditions: recordedAtMirror))
    _ = machine.start()
    #expect(machine.judge(head(304, etag: "\"m\""), now: now) == .drop)
    #expect(try question(machine.ended(.stopped, accepted: 0)).conditions == nil)
  }

  @Test(arguments: [true, false])
  func `a changed rule makes nothing stale if the other place has the same version`(isNew: Bool) throws {
    let recorded = isNew ? Validators(etag: EntityTag("\"m\""), url: url) : recordedAtMirror
    var order = try rewriting(.never, conditions: recorded)
    if !isNew { order.rewrites = [] }
    var machine = FetchMachine(order)
    _ = machine.start()
    let reply = head(200, at: isNew ? Self.mirror : url, etag: "\"m\"", length: 9)
    #expect(machine.judge(reply, now: now) == .drop)
    guard case .finish(.confirmed) = machine.ended(.stopped, accepted: 0) else {
      Issue.record("not confirmed")
      return
    }
    var other = FetchMachine(order)
    _ = other.start()
    #expect(other.judge(head(200, at: reply.url, etag: "\"m\"", length: 10), now: now) == .takeFromStart)
  }

  @Test func `the origin is asked after 404, with conditions of its own`() throws {
    let conditions = Validators(etag: EntityTag("\"o\""), url: url)
    var machine = FetchMachine(try rewriting(.notFound, conditions: conditions))
    _ = machine.start()
    _ = machine.judge(head(404, at: Self.mirror), now: now)
    let second = try question(machine.ended(.stopped, accepted: 0))
    #expect(second.rewritten == nil && second.url == .web(url) && second.conditions == conditions)
    #expect(second.gaveUp?.url == .web(Self.mirror))
    _ = machine.judge(head(304, etag: "\"o\""), now: now)
    #expect(machine.ended(.stopped, accepted: 0) == .finish(.confirmed(observed: conditions)))
  }

  @Test func `the origin is asked at once after any failure, and has its own retries`() throws {
    var machine = FetchMachine(try rewriting(.error, retries: 1))
    _ = machine.start()
    let second = try question(
      machine.ended(.failed(.connectFailed(url: Self.mirror, text: "refused")), accepted: 0))
    #expect(second.rewritten == nil)
    guard case .wait = machine.ended(.failed(.connectFailed(url: url, text: "refused")), accepted: 0) else {
      Issue.record("no retry")
      return
    }
    #expect(try question(machine.waited()).rewritten == nil)
    guard
      case .finish(.failed) = machine.ended(.failed(.connectFailed(url: url, text: "refused")), accepted: 0)
    else {
      Issue.record("not failed")
      return
    }
  }

  @Test func `a mirror alone is retried, and fails`() throws {
    var machine = FetchMachine(try rewriting(.never, retries: 1))
    _ = machine.start()
    _ = machine.judge(head(503, at: Self.mirror), now: now)
    guard case .wait = machine.ended(.stopped, accepted: 0) else {
      Issue.record("no retry")
      return
    }
    #expect(try question(machine.waited()).rewritten != nil)
    _ = machine.judge(head(503, at: Self.mirror), now: now)
    #expect(
      machine.ended(.stopped, accepted: 0) == .finish(.failed(.httpStatus(503, url: Self.mirror), tries: 2)))
  }

  @Test func `a body of the mirror with a wrong digest leads to the origin`() throws {
    var machine = FetchMachine(try rewriting(.error))
    _ = machine.start()
    _ = machine.judge(head(200, at: Self.mirror, length: 3), now: now)
    let digest = try #require(HexDigest(String(repeating: "0", count: 64), .sha256))
    let wrong = FailureCause.digestMismatch(algorithm: .sha256, expected: digest, actual: digest, step: 0)
    let next = machine.bodyFailed(
      wrong, provenByFraming: true, endedEarly: false, mayBeOutOfStep: false, received: 3)
    #expect(try question(next).rewritten == nil)
  }

  @Test func `a part of a mirror's file is not continued by the origin's`() throws {
    var machine = FetchMachine(try rewriting(.error))
    _ = machine.start()
    #expect(machine.judge(head(200, at: Self.mirror, etag: "\"m\"", length: 9), now: now) == .takeFromStart)
    let second = try question(
      machine.ended(.failed(.truncated(url: Self.mirror, received: 4, expected: 9)), accepted: 4))
    #expect(second.rewritten == nil && second.resume?.url == recordedAtMirror.url)
    // The range was not sent, so that a part is not what was asked for.
    #expect(machine.judge(head(206, etag: "\"m\"", range: "bytes 4-8/9"), now: now) == .drop)
  }
}
