import Planning
import SyncModel
import Testing

@Suite struct `What a store says of a refusal` {
  private func fault(_ status: Int, _ body: String) throws -> RemoteCacheFault? {
    var refusal = try #require(StoreRefusal(ResponseHead(status: status, url: "https://a.example/x")))
    var isWanted = true
    // In pieces.
    for piece in Array(body.utf8).chunked(7) where isWanted {
      piece.withUnsafeBytes { isWanted = refusal.take($0) }
    }
    return refusal.fault
  }

  private func error(_ code: String) -> String {
    "<?xml version=\"1.0\"?>\n<Error>\n  <Code>\(code)</Code><Message>no</Message></Error>"
  }

  @Test func `is a miss, or a fault with its word`() throws {
    #expect(try fault(404, error("NoSuchKey")) == nil)
    #expect(try fault(404, "") == nil && fault(404, "<html>") == nil)
    #expect(try fault(404, error("NoSuchBucket")) == .refused(status: 404, code: "NoSuchBucket"))
    #expect(try fault(403, error("AccessDenied")) == .refused(status: 403, code: "AccessDenied"))
    #expect(try fault(301, error("PermanentRedirect")) == .refused(status: 301, code: "PermanentRedirect"))
    #expect(try fault(503, error("SlowDown")) == .refused(status: 503, code: "SlowDown"))
  }

  @Test(arguments: ["", "a b", "\u{1b}[1m", String(repeating: "a", count: 65)])
  func `has no word that is none`(code: String) throws {
    #expect(try fault(403, error(code)) == .status(403))
    #expect(try fault(403, "<Code>\(code)") == .status(403))
  }

  @Test func `is read only so far`() throws {
    let long = String(repeating: " ", count: 9000)
    #expect(try fault(403, long + error("AccessDenied")) == .status(403))
    #expect(try fault(403, error("AccessDenied") + long) == .refused(status: 403, code: "AccessDenied"))
  }

  @Test(arguments: [200, 204, 206, 304, 410]) func `is not read of other replies`(status: Int) {
    #expect(StoreRefusal(ResponseHead(status: status, url: "https://a.example/x")) == nil)
  }
}

extension [UInt8] {
  fileprivate func chunked(_ size: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
