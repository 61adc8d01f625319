import SyncModel
import Testing

@testable import Planning

/// Redirects, mirrors, and the changes in each reply.
extension FetchMachineTests {
  private static let tag = EntityTag("\"a\"")
  private var date: String { "Sun, 06 Nov 1994 08:49:37 GMT" }

  private func signed(_ number: Int, _ path: String = "https://cdn.example/f.bin") -> String {
    ResourceURL.text(of: "\(path)?X-Amz-Signature=\(number)&X-Amz-Date=2")
  }

  private func recorded(_ url: String) -> Validators {
    Validators(etag: Self.tag, lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", url: url)
  }

  @Test func `a 304 across signatures confirms`() {
    let (_, judgement, action) = after(
      head(304, at: signed(2), etag: "\"a\""), order(conditions: recorded(signed(1))))
    #expect(judgement == .drop)
    guard case .finish(.confirmed(let observed, _)) = action else {
      Issue.record("\(action)")
      return
    }
    #expect(observed.url == "https://cdn.example/f.bin")
  }

  @Test func `a redirector that answers 304 itself confirms the resource that it had led to`() {
    let (_, _, action) = after(head(304), order(conditions: recorded("https://cdn.example/f.bin")))
    #expect(action == .finish(.confirmed(observed: Validators(url: "https://cdn.example/f.bin"))))
  }

  @Test func `a 304 from any other place is unrequested`() {
    let (_, _, action) = after(
      head(304, at: "https://cdn.example/g.bin"), order(conditions: recorded("https://cdn.example/f.bin")))
    guard case .ask(let question) = action else {
      Issue.record("\(action)")
      return
    }
    #expect(question.conditions == nil)
  }

  @Test(
    arguments: [
      ("https://m2.example/pub/f.bin", "\"a\"", nil, 300, true),
      ("https://m2.example/f.bin", nil, "Sun, 06 Nov 1994 08:49:37 GMT", 300, true),
      ("https://m2.example/f.bin", "\"other\"", "Sun, 06 Nov 1994 08:49:37 GMT", 300, true),
      ("https://m2.example/f.bin", "\"a\"", nil, 301, false),
      ("https://m2.example/f.bin", "\"a\"", nil, nil, false),
      ("https://m2.example/f.bin", "W/\"a\"", nil, 300, false),
      ("https://m2.example/f.bin", "\"b\"", "Sun, 06 Nov 1994 08:49:38 GMT", 300, false),
      ("https://m2.example/g.bin", "\"a\"", nil, 300, false),
      ("https://m2.example/f.bin", nil, nil, 300, false),
      // Another port, and another path, of the recorded host.
      ("https://m1.example:81/f.bin", "\"a\"", nil, 300, false),
      ("https://m1.example/x/f.bin", "\"a\"", nil, 300, false),
    ] as [(String, String?, String?, Int64?, Bool)])
  func `another host's copy is recognised by name, length and a validator`(
    url: String, etag: String?, modified: String?, length: Int64?, isCopy: Bool
  ) {
    var order = order(conditions: recorded("https://m1.example/f.bin"))
    order.recordedSize = 300
    let (_, judgement, action) = after(
      head(200, at: url, etag: etag, modified: modified, length: length), order)
    #expect(judgement == (isCopy ? .drop : .takeFromStart))
    guard isCopy else { return }
    guard case .finish(.confirmed(let observed, _)) = action else {
      Issue.record("\(action)")
      return
    }
    #expect(observed.url == url)
  }

  @Test func `under mtime the date also decides among mirrors`() {
    for (modified, isCopy) in [(date, true), ("Sun, 06 Nov 1994 08:49:38 GMT", false)] {
      var order = order(conditions: recorded("https://m1.example/f.bin"), rule: .mtime)
      order.recordedSize = 300
      let reply = head(200, at: "https://m2.example/f.bin", etag: "\"a\"", modified: modified, length: 300)
      #expect(after(reply, order).1 == (isCopy ? .drop : .takeFromStart))
    }
  }

  @Test func `a mirror in the manifest is not a copy of another one, and gets no conditions of it`() throws {
    let mirrors = ["https://m1.example/f.bin", "https://m2.example/f.bin"]
    var order = order(mirrors: mirrors, retries: 0, conditions: recorded(mirrors[0]))
    order.recordedSize = 300
    var machine = FetchMachine(order)
    #expect(try question(machine.start()).asksRedirector)
    _ = machine.judge(head(404, at: mirrors[0]), now: now)
    #expect(try !question(machine.ended(.stopped, accepted: 0)).asksRedirector)
    #expect(machine.judge(head(200, at: mirrors[1], etag: "\"a\"", length: 300), now: now) == .takeFromStart)
    order.conditions = recorded(mirrors[1])
    machine = FetchMachine(order)
    #expect(try !question(machine.start()).asksRedirector)
  }

  // MARK: Resuming

  private func resuming(_ url: String, isChecked: Bool = false, _ validator: StrongValidator? = nil)
    -> FetchOrder
  {
    var order = order(
      resume: ResumePoint(
        offset: 100, total: 300, validator: validator ?? .etag(Self.tag), url: url,
        isCheckedByDigest: isChecked))
    order.isCheckedByDigest = isChecked
    return order
  }

  @Test func `a download is resumed across signatures`() {
    var machine = FetchMachine(resuming(signed(1)))
    _ = machine.start()
    let rest = head(206, at: signed(2), etag: "\"a\"", length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(rest, now: now) == .takeContinuation)
  }

  @Test(arguments: [true, false])
  func `on another host a download is resumed only if a digest is checked later`(isChecked: Bool) {
    var machine = FetchMachine(resuming("https://m1.example/f.bin", isChecked: isChecked))
    _ = machine.start()
    let rest = head(
      206, at: "https://m2.example/f.bin", etag: "\"a\"", length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(rest, now: now) == (isChecked ? .takeContinuation : .drop))
  }

  @Test func `if bytes of two hosts fail a digest, they are fetched again, once`() throws {
    var machine = FetchMachine(resuming("https://m1.example/f.bin", isChecked: true))
    _ = machine.start()
    let rest = head(
      206, at: "https://m2.example/f.bin", etag: "\"a\"", length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(rest, now: now) == .takeContinuation)
    let fault = FailureCause.sizeMismatch(expected: 1, actual: 2, step: 0)
    func failed(_ machine: inout FetchMachine) -> FetchAction {
      machine.bodyFailed(
        fault, provenByFraming: true, endedEarly: false, mayBeOutOfStep: false, received: 300)
    }
    #expect(try question(failed(&machine)).resume == nil)
    #expect(machine.judge(head(200, etag: "\"a\"", length: 300), now: now) == .takeFromStart)
    guard case .finish(.failed(fault, _)) = failed(&machine) else {
      Issue.record("it goes on")
      return
    }
  }

  @Test func `a server that does not support If-Range gets a second request without it`() throws {
    var machine = FetchMachine(resuming(url))
    #expect(try question(machine.start()).resume?.isGuarded == true)
    #expect(machine.judge(head(200, etag: "\"a\"", length: 300), now: now) == .drop)
    let again = try question(machine.ended(.stopped, accepted: 100))
    #expect(again.resume?.offset == 100)
    #expect(again.resume?.isGuarded == false)
    let rest = head(206, etag: "\"a\"", length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(rest, now: now) == .takeContinuation)
  }

  @Test(arguments: ["\"b\"", nil, "W/\"a\""]) func `a 206 to that request counts only with the same ETag`(
    etag: String?
  )
    throws
  {
    var machine = FetchMachine(resuming(url))
    _ = machine.start()
    _ = machine.judge(head(200, etag: "\"a\"", length: 300), now: now)
    _ = machine.ended(.stopped, accepted: 100)
    let rest = head(206, etag: etag, length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(rest, now: now) == .drop)
    #expect(try question(machine.ended(.stopped, accepted: 100)).resume == nil)
  }

  @Test func `a second 200 is accepted, also one of another version`() {
    var machine = FetchMachine(resuming(url))
    _ = machine.start()
    _ = machine.judge(head(200, etag: "\"a\"", length: 300), now: now)
    _ = machine.ended(.stopped, accepted: 100)
    #expect(machine.judge(head(200, etag: "\"a\"", length: 300), now: now) == .takeFromStart)
    machine = FetchMachine(resuming(url))
    _ = machine.start()
    #expect(machine.judge(head(200, etag: "\"b\"", length: 300), now: now) == .takeFromStart)
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", true), ("Sun, 06 Nov 1994 08:49:38 GMT", false), (nil, false),
  ])
  func `a strong date allows a download to be resumed`(modified: String?, continues: Bool) {
    var machine = FetchMachine(resuming(url, .date(date)))
    _ = machine.start()
    let rest = head(206, modified: modified, length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(rest, now: now) == (continues ? .takeContinuation : .drop))
  }

  @Test func `a broken body is resumed by its date`() throws {
    var machine = FetchMachine(order())
    _ = machine.start()
    var reply = head(200, modified: date, length: 300)
    reply.date = "Sun, 06 Nov 1994 09:49:37 GMT"
    #expect(machine.judge(reply, now: now) == .takeFromStart)
    guard
      case .wait = machine.ended(
        .failed(.stalled(url: url, after: .seconds(1), received: 9, expected: 300)), accepted: 9)
    else {
      Issue.record("it does not wait")
      return
    }
    #expect(try question(machine.waited()).resume?.validator == .date(date))
  }

  // MARK: Encodings

  @Test(arguments: [
    ("https://h.example/f.tgz", "x-gzip", true), ("https://h.example/f.svgz", "gzip", true),
    ("https://h.example/f.TGZ", "gzip", true), ("https://h.example/f.svg", "gzip", false),
    ("https://h.example/f.tgz", "br", false), ("https://h.example/f.tgz", "gzip, gzip", false),
  ]) func `a Content-Encoding that names the file's own packed format is ignored`(
    url: String, encoding: String, isStored: Bool
  ) {
    var machine = FetchMachine(order(mirrors: [url]))
    _ = machine.start()
    #expect(
      machine.judge(head(200, at: url, encoding: encoding), now: now) == (isStored ? .takeFromStart : .drop))
  }

  @Test func `a sidecar is read even if its Content-Encoding is gzip`() {
    var order = order()
    order.isDocument = true
    for (encoding, isRead) in [("x-gzip", true), ("gzip", true), ("br", false)] {
      var machine = FetchMachine(order)
      _ = machine.start()
      #expect(machine.judge(head(200, encoding: encoding), now: now) == (isRead ? .takeFromStart : .drop))
    }
    #expect(EncodedFile.beginsLikeGzip([0x1F, 0x8B, 8]))
    #expect(!EncodedFile.beginsLikeGzip(Array("ab  f".utf8)))
  }
}
