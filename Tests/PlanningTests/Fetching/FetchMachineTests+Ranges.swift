import SyncModel
import Testing

@testable import Planning

/// A range is accepted only if it continues the present bytes.
extension FetchMachineTests {
  static let point = ResumePoint(
    offset: 100, total: 300, etag: EntityTag("\"v1\""), url: "https://a.example/f.bin")

  @Test func `a 206 that continues the kept bytes is accepted`() throws {
    var machine = FetchMachine(order(resume: Self.point))
    #expect(try question(machine.start()).resume == Self.point)
    let reply = head(206, etag: "\"v1\"", length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(reply, now: now) == .takeContinuation)
  }

  @Test(
    arguments: [
      ("bytes 99-299/300", "\"v1\"", nil), ("bytes 101-299/300", "\"v1\"", nil),
      ("bytes 100-299/301", "\"v1\"", nil), ("bytes 100-298/300", "\"v1\"", nil),
      ("bytes 100-299/*", "\"v1\"", nil), ("bytes 100-299/300", "\"v2\"", nil),
      ("bytes 100-299/300", "W/\"v1\"", nil), ("bytes 100-299/300", nil, nil), (nil, "\"v1\"", nil),
      ("rubbish", "\"v1\"", nil), ("bytes 100-299/300", "\"v1\"", "multipart/byteranges"),
    ] as [(String?, String?, String?)])
  func `a 206 that does not fit starts over, once`(_ range: String?, _ etag: String?, _ type: String?) throws
  {
    var machine = FetchMachine(order(retries: 0, resume: Self.point))
    _ = machine.start()
    #expect(machine.judge(head(206, etag: etag, range: range, type: type), now: now) == .drop)
    let again = try question(machine.ended(.stopped, accepted: 100))
    #expect(again.resume == nil)
    #expect(machine.judge(head(206, etag: etag, range: range), now: now) == .drop)
    #expect(
      machine.ended(.stopped, accepted: 100)
        == .finish(.failed(.protocolError(url: url, .unexpectedStatus(206)), tries: 1)))
  }

  @Test(arguments: [201, 204, 300, 400, 401, 403, 404, 410, 501, 505])
  func `a server that refuses the range is asked once without it`(_ status: Int) throws {
    var machine = FetchMachine(order(retries: 2, resume: Self.point))
    _ = machine.start()
    #expect(machine.judge(head(status), now: now) == .drop)
    #expect(try question(machine.ended(.stopped, accepted: 100)).resume == nil)
    #expect(machine.judge(head(status), now: now) == .drop)
    guard case .finish(.failed(_, tries: 1)) = machine.ended(.stopped, accepted: 100) else {
      return #expect(Bool(false), "it goes on")
    }
  }

  @Test(arguments: [500, 502, 503])
  func `a server in trouble is asked without the range after the last try, unless it asks to wait`(
    _ status: Int
  ) throws {
    var machine = FetchMachine(order(retries: 1, resume: Self.point))
    _ = machine.start()
    #expect(machine.judge(head(status), now: now) == .drop)
    guard case .wait = machine.ended(.stopped, accepted: 100) else {
      return #expect(Bool(false), "it does not wait")
    }
    #expect(try question(machine.waited()).resume != nil)
    #expect(machine.judge(head(status), now: now) == .drop)
    let end = machine.ended(.stopped, accepted: 100)
    guard status != 503 else {
      return #expect(end == .finish(.failed(.httpStatus(503, url: url), tries: 2)))
    }
    #expect(try question(end).resume == nil)
    #expect(machine.judge(head(200, etag: "\"v1\"", length: 300), now: now) == .takeFromStart)
  }

  @Test(arguments: [(2, false), (2, true), (1, false)])
  func `a server that closes the connection each time it is asked for a range gets asked for the whole`(
    _ retries: Int, _ hasBroughtMore: Bool
  ) throws {
    var machine = FetchMachine(order(retries: retries, resume: Self.point))
    let closed = FailureCause.truncated(url: url, received: 0, expected: nil)
    _ = machine.start()
    var present: Int64 = 100
    for number in 1...retries {
      var cause = closed
      if hasBroughtMore, number == 1 {
        present = 200
        let reply = head(206, etag: "\"v1\"", length: 200, range: "bytes 100-299/300")
        #expect(machine.judge(reply, now: now) == .takeContinuation)
        cause = .truncated(url: url, received: present, expected: 300)
      }
      guard case .wait = machine.ended(.failed(cause), accepted: present) else {
        return #expect(Bool(false), "it does not wait")
      }
      #expect(try question(machine.waited()).resume != nil)
    }
    let end = machine.ended(.failed(closed), accepted: present)
    if retries == 2, !hasBroughtMore {
      #expect(try question(end).resume == nil)
    } else {
      #expect(end == .finish(.failed(closed, tries: retries + 1)))
    }
  }

  @Test func `a server in trouble that closes one connection keeps its part`() throws {
    var machine = FetchMachine(order(retries: 3, resume: Self.point))
    _ = machine.start()
    for _ in 0..<3 {
      #expect(machine.judge(head(503), now: now) == .drop)
      guard case .wait = machine.ended(.stopped, accepted: 100) else {
        return #expect(Bool(false), "it does not wait")
      }
      #expect(try question(machine.waited()).resume != nil)
    }
    let closed = FailureCause.truncated(url: url, received: 0, expected: nil)
    #expect(machine.ended(.failed(closed), accepted: 100) == .finish(.failed(closed, tries: 4)))
  }

  @Test func `a mirror that got no range is not asked twice, and the part of another one stays of use`()
    throws
  {
    let mirrors = ["https://m1.example/f.bin", url]
    var machine = FetchMachine(order(mirrors: mirrors, retries: 0, resume: Self.point))
    _ = machine.start()
    #expect(machine.judge(head(404, at: mirrors[0]), now: now) == .drop)
    let next = try question(machine.ended(.stopped, accepted: 100))
    #expect(next.url == .web(url) && next.resume == Self.point)
    #expect(machine.judge(head(403), now: now) == .drop)
    let again = try question(machine.ended(.stopped, accepted: 100))
    #expect(again.url == .web(url) && again.resume == nil)
  }

  @Test func `a mirror that refused a range gets no other, also for the rest of a body that breaks off`()
    throws
  {
    var machine = FetchMachine(order(retries: 1, resume: Self.point))
    _ = machine.start()
    #expect(machine.judge(head(403), now: now) == .drop)
    _ = try question(machine.ended(.stopped, accepted: 100))
    #expect(machine.judge(head(200, etag: "\"v1\"", length: 300), now: now) == .takeFromStart)
    let cause = FailureCause.truncated(url: url, received: 200, expected: 300)
    guard case .wait = machine.ended(.failed(cause), accepted: 200) else {
      return #expect(Bool(false), "it does not wait")
    }
    #expect(try question(machine.waited()).resume == nil)
  }

  @Test func `a whole body that breaks the protocol is no fault of the range`() throws {
    let cause = FailureCause.protocolError(url: url, .unexpectedStatus(999))
    var machine = FetchMachine(order(retries: 0, resume: Self.point))
    _ = machine.start()
    #expect(machine.judge(head(200, etag: "\"v2\"", length: 300), now: now) == .takeFromStart)
    #expect(machine.ended(.failed(cause), accepted: 50) == .finish(.failed(cause, tries: 1)))
  }

  @Test func `without network the next mirror is a file, if there is one`() throws {
    var order = order(mirrors: [url, "https://m2.example/f.bin"])
    var machine = FetchMachine(order)
    _ = machine.start()
    #expect(machine.ended(.failed(.offline), accepted: 0) == .finish(.failed(.offline, tries: 1)))
    order.mirrors.append(.file(path: "f.bin", written: "f.bin"))
    machine = FetchMachine(order)
    _ = machine.start()
    let next = try question(machine.ended(.failed(.offline), accepted: 0))
    #expect(next.url == order.mirrors[2] && next.gaveUp == nil)
  }

  @Test func `a reply to a range that breaks the protocol starts over, once`() throws {
    let cause = FailureCause.protocolError(url: url, .unexpectedStatus(999))
    var machine = FetchMachine(order(retries: 0, resume: Self.point))
    _ = machine.start()
    #expect(try question(machine.ended(.failed(cause), accepted: 100)).resume == nil)
    #expect(machine.ended(.failed(cause), accepted: 100) == .finish(.failed(cause, tries: 1)))
  }

  @Test func `a joined body is as long as its range says, and needs no other proof`() throws {
    var machine = FetchMachine(order(retries: 0, resume: Self.point))
    _ = machine.start()
    let reply = head(206, etag: "\"v1\"", range: "bytes 100-299/300")
    #expect(machine.judge(reply, now: now) == .takeContinuation)
    guard
      case .finish(.downloaded) = machine.bodyIsWhole(
        provenByFraming: false, provenByContent: false, size: 300)
    else { return #expect(Bool(false), "its length is not proven") }
  }

  @Test(arguments: [299, 301] as [Int64])
  func `a part that does not make the announced whole starts over, once`(size: Int64) throws {
    var machine = FetchMachine(order(retries: 0, resume: Self.point))
    _ = machine.start()
    let reply = head(206, etag: "\"v1\"", range: "bytes 100-299/300")
    #expect(machine.judge(reply, now: now) == .takeContinuation)
    #expect(machine.fits(300) && !machine.fits(size))
    let again = try question(
      machine.bodyIsWhole(provenByFraming: true, provenByContent: true, size: size))
    #expect(again.resume == nil)
    #expect(machine.judge(head(200, etag: "\"v1\"", length: 300), now: now) == .takeFromStart)
    #expect(machine.fits(300) && machine.fits(size))
  }

  @Test func `an encoded part is not joined to bytes without encoding`() throws {
    var machine = FetchMachine(order(retries: 0, resume: Self.point))
    _ = machine.start()
    var reply = head(206, etag: "\"v1\"", length: 200, range: "bytes 100-299/300")
    reply.contentEncoding = "gzip"
    #expect(machine.judge(reply, now: now) == .drop)
    #expect(try question(machine.ended(.stopped, accepted: 100)).resume == nil)
  }

  @Test func `a 416 starts over`() throws {
    var machine = FetchMachine(order(resume: Self.point))
    _ = machine.start()
    #expect(machine.judge(head(416, range: "bytes */300"), now: now) == .drop)
    #expect(try question(machine.ended(.stopped, accepted: 100)).resume == nil)
  }

  @Test func `a 200 to a range request replaces the kept bytes`() {
    var machine = FetchMachine(order(resume: Self.point))
    _ = machine.start()
    #expect(machine.judge(head(200, etag: "\"v2\"", length: 300), now: now) == .takeFromStart)
  }

  @Test(arguments: ["\"v1\"", "\"v2\""])
  func `a 200 that has only a part starts over`(etag: String) throws {
    var machine = FetchMachine(order(retries: 0, resume: Self.point))
    _ = machine.start()
    let reply = head(200, etag: etag, length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(reply, now: now) == .drop)
    #expect(try question(machine.ended(.stopped, accepted: 100)).resume == nil)
    #expect(machine.judge(head(200, etag: etag, length: 300), now: now) == .takeFromStart)
  }

  @Test func `a 200 that announces the whole file as a range is accepted`() {
    var machine = FetchMachine(order(resume: Self.point))
    _ = machine.start()
    let reply = head(200, etag: "\"v2\"", length: 300, range: "bytes 0-299/300")
    #expect(machine.judge(reply, now: now) == .takeFromStart)
  }

  @Test func `after starting over no range is requested before a new body has come`() throws {
    var machine = FetchMachine(order(retries: 2, resume: Self.point))
    _ = machine.start()
    _ = machine.judge(head(206, etag: "\"v1\"", range: "bytes 100-299/300"), now: now)
    let cut = FailureCause.truncated(url: url, received: 50, expected: 200)
    _ = machine.ended(.failed(cut), accepted: 150)
    #expect(try question(machine.waited()).resume?.offset == 150)
    _ = machine.judge(head(416), now: now)
    #expect(try question(machine.ended(.stopped, accepted: 150)).resume == nil)
    _ = machine.judge(head(503), now: now)
    _ = machine.ended(.stopped, accepted: 150)
    #expect(try question(machine.waited()).resume == nil)
  }

  @Test func `a broken body with a strong ETag is resumed where it broke off`() throws {
    var machine = FetchMachine(order())
    _ = machine.start()
    _ = machine.judge(head(200, etag: "\"v1\"", length: 300), now: now)
    let cut = FailureCause.truncated(url: url, received: 120, expected: 300)
    guard case .wait(_, 1, cut) = machine.ended(.failed(cut), accepted: 120) else {
      Issue.record("it did not wait")
      return
    }
    let expected = ResumePoint(offset: 120, total: 300, etag: EntityTag("\"v1\""), url: url)
    #expect(try question(machine.waited()).resume == expected)
    // The continuation is also interrupted: there is no second retry.
    #expect(
      machine.judge(head(206, etag: "\"v1\"", range: "bytes 120-299/300"), now: now) == .takeContinuation)
    #expect(machine.ended(.failed(cut), accepted: 150) == .finish(.failed(cut, tries: 2)))
  }

  @Test(arguments: [nil, "W/\"v1\"", "v1"])
  func `without a strong ETag a broken body is requested from its start`(_ etag: String?) throws {
    var machine = FetchMachine(order())
    _ = machine.start()
    _ = machine.judge(head(200, etag: etag, length: 300), now: now)
    _ = machine.ended(.failed(.truncated(url: url, received: 1, expected: 300)), accepted: 120)
    #expect(try question(machine.waited()).resume == nil)
  }

  /// There is no record, and the local file has this time: a source that is not later is unchanged.
  func ownTimeOrder(fileTime: String) -> FetchOrder {
    let own = Validators(lastModified: fileTime, origin: .ownTime)
    return order(retries: 2, conditions: own, rule: .mtime, resume: Self.point)
  }

  static let earlier = "Sun, 01 Oct 2023 00:00:00 GMT"
  static let later = "Sun, 08 Oct 2023 00:00:00 GMT"

  @Test(
    arguments: [
      (earlier, later, ReplyJudgement.drop), (earlier, earlier, .drop), (later, earlier, .takeContinuation),
    ])
  func `the rest of a version is judged by its date like the whole`(
    _ source: String, _ file: String, _ expected: ReplyJudgement
  ) {
    var machine = FetchMachine(ownTimeOrder(fileTime: file))
    _ = machine.start()
    let reply = head(206, etag: "\"v1\"", modified: source, length: 200, range: "bytes 100-299/300")
    #expect(machine.judge(reply, now: now) == expected)
    guard expected == .drop else { return }
    let observed = Validators(etag: EntityTag("\"v1\""), lastModified: source, url: url)
    #expect(machine.ended(.stopped, accepted: 100) == .finish(.confirmed(observed: observed)))
  }

  @Test func `the date of a "try later" page is not that of the body`() throws {
    var machine = FetchMachine(order(retries: 3))
    _ = machine.start()
    _ = machine.judge(head(200, etag: "\"v1\"", modified: Self.later, length: 300), now: now)
    let cut = FailureCause.truncated(url: url, received: 120, expected: 300)
    _ = machine.ended(.failed(cut), accepted: 120)
    _ = machine.waited()
    _ = machine.judge(head(503, modified: Self.earlier), now: now)
    _ = machine.ended(.stopped, accepted: 120)
    #expect(try question(machine.waited()).resume?.offset == 120)
    #expect(
      machine.judge(head(206, etag: "\"v1\"", range: "bytes 120-299/300"), now: now) == .takeContinuation)
    let observed = Validators(etag: EntityTag("\"v1\""), lastModified: Self.later, url: url)
    #expect(
      machine.bodyIsWhole(provenByFraming: true, provenByContent: false, size: 300)
        == .finish(.downloaded(observed: observed)))
  }

  @Test func `if the rest of a version has no date, the whole is requested`()
    throws
  {
    var machine = FetchMachine(ownTimeOrder(fileTime: Self.earlier))
    _ = machine.start()
    #expect(machine.judge(head(206, etag: "\"v1\"", range: "bytes 100-299/300"), now: now) == .drop)
    let again = try question(machine.ended(.stopped, accepted: 100))
    #expect(again.resume == nil)
    #expect(again.conditions?.isOwnTime == true)
    // The date in a reply of this run is valid for the rest of its body.
    #expect(
      machine.judge(head(200, etag: "\"v1\"", modified: Self.later, length: 300), now: now) == .takeFromStart)
    _ = machine.ended(.failed(.truncated(url: url, received: 120, expected: 300)), accepted: 120)
    #expect(try question(machine.waited()).resume?.offset == 120)
    #expect(
      machine.judge(head(206, etag: "\"v1\"", range: "bytes 120-299/300"), now: now) == .takeContinuation)
  }
}
