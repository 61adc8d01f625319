import SyncModel
import Testing

@testable import Planning

@Suite struct `A cache on a server is given up` {
  private func patience(_ change: (inout CachePatience) -> Void) -> Bool {
    var patience = CachePatience()
    change(&patience)
    return patience.isOver
  }

  private static let dead = RemoteCacheFault.failed(.connectFailed(url: "http://c/", text: "refused"))

  @Test func `at once if it is dead, or wants credentials`() {
    #expect(patience { $0.failed(Self.dead) })
    for status in [401, 403, 407, 507] { #expect(patience { $0.failed(.status(status)) }) }
    #expect(patience { $0.failed(.slow) })
  }

  @Test func `at once if a store refuses what it would refuse again, or nothing signs requests`() {
    for (status, code) in [
      (403, "AccessDenied"), (404, "NoSuchBucket"), (400, "ExpiredToken"), (301, "PermanentRedirect"),
    ] {
      #expect(patience { $0.failed(.refused(status: status, code: code)) })
    }
    for (status, code) in [(503, "SlowDown"), (500, "InternalError"), (400, "RequestTimeout"), (429, "x")] {
      #expect(!patience { $0.failed(.refused(status: status, code: code)) })
    }
    #expect(patience { $0.failed(.noKey(.noRegion)) })
  }

  @Test func `after a long wait for a key`() {
    #expect(!patience { $0.waited(forKey: .milliseconds(400)) })
    #expect(!patience { $0.waited(forKey: .seconds(2)) })
    #expect(patience { $0.waited(forKey: .milliseconds(2500)) })
    #expect(
      patience { patience in
        patience.waited(forKey: .seconds(2))
        for _ in 0..<5 { patience.waited(until: .zero) }
      })
  }

  @Test func `after three failures in a row`() {
    #expect(!patience { patience in for _ in 0..<2 { patience.failed(.status(500)) } })
    #expect(patience { patience in for _ in 0..<3 { patience.failed(.status(500)) } })
    #expect(
      !patience { $0.failed(.notStored(status: 404)) } && patience { $0.failed(.notStored(status: 507)) })
    let isOver = patience { patience in
      for _ in 0..<9 {
        patience.failed(.page)
        patience.succeeded()
        patience.failed(Self.dead)
        patience.succeeded()
      }
    }
    #expect(!isOver)
  }

  @Test func `not for files that are too large`() {
    for fault: RemoteCacheFault in [
      .status(413), .notStored(status: 413), .refused(status: 413, code: "X"),
      .refused(status: 400, code: "EntityTooLarge"),
    ] {
      #expect(!patience { patience in for _ in 0..<9 { patience.failed(fault) } })
    }
  }

  @Test func `for what a store says of one object only as for other failures`() {
    for code in ["InvalidObjectState", "OperationAborted", "BadDigest"] {
      #expect(!patience { $0.failed(.refused(status: 403, code: code)) })
    }
    #expect(patience { $0.failed(.refused(status: 403, code: "AccessDenied")) })
  }

  @Test func `after two seconds in vain`() {
    #expect(!patience { patience in for _ in 0..<19 { patience.waited(until: .zero) } })
    #expect(patience { patience in for _ in 0..<20 { patience.waited(until: .zero) } })
    #expect(patience { $0.failed(.otherBytes, after: .seconds(3)) })
    #expect(!patience { $0.failed(.otherBytes, after: .seconds(1)) })
  }

  @Test func `after two seconds of late answers that nothing is there`() {
    func late(_ count: Int, of length: Duration, together: Int = 1) -> Bool {
      patience { patience in
        for place in 0..<count {
          let began = .seconds(9) + length * (place / together)
          patience.missed(from: began, to: began + length)
        }
      }
    }
    #expect(!late(4, of: .milliseconds(400)))
    #expect(late(5, of: .milliseconds(400)))
    // Those that were waited for together took one time.
    #expect(!late(64, of: .milliseconds(400), together: 16))
    #expect(late(65, of: .milliseconds(400), together: 16))
    #expect(!late(1000, of: .milliseconds(100)))
    // The same time does not count as a stride and as a miss.
    #expect(
      !patience { patience in
        for end in stride(from: 600, through: 1900, by: 100) { patience.waited(until: .milliseconds(end)) }
        patience.missed(from: .zero, to: .milliseconds(1900))
      })
  }

  @Test func `answers are yes, no, or of no use`() {
    func reply(_ status: Int, _ change: (inout ResponseHead) -> Void = { _ in }, isFile: Bool = true)
      -> CacheReply
    {
      var head = ResponseHead(status: status, url: "http://c/", contentLength: 3)
      change(&head)
      return CacheReply(head, isFile: isFile)
    }
    #expect(reply(200) == .there(size: 3))
    for status in [404, 204, 410] { #expect(reply(status) == .missing) }
    for status in [206, 304, 401, 500, 507] { #expect(reply(status) == .faulty(.status(status))) }
    #expect(reply(200, { $0.contentType = "text/html" }) == .faulty(.page))
    #expect(reply(200, { $0.contentEncoding = "gzip" }) == .faulty(.form))
    #expect(reply(200, { $0.contentLength = nil }) == .faulty(.form))
    #expect(reply(200, { $0.contentLength = nil }, isFile: false) == .there(size: nil))
  }
}
