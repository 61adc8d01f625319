import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

/// A reply that is recognised as a simple 304 must be one for the full path, too.
@Suite struct PlainNotModifiedTests {
  private static let etag = "\"a1\""
  private static let date = "Mon, 13 Nov 2023 00:00:00 GMT"
  private static let both = ["If-None-Match: \(etag)", "If-Modified-Since: \(date)"]

  private func isPlain(_ header: String, sent: [String] = both) -> Bool {
    let (first, second) = (sent.first ?? "", sent.dropFirst().first ?? "")
    return first.withCString { first in
      second.withCString { second in
        Array(header.utf8).withUnsafeBytes { PlainNotModified(first, second).matches($0) }
      }
    }
  }

  /// The result of the full path: the head, if it is valid.
  private func head(_ header: String) -> ResponseHead? {
    var block = HeaderBlock()
    var rest = Array(header.utf8)[...]
    while let end = rest.firstIndex(of: 0x0a) {
      let progress = Array(rest[...end]).withUnsafeBytes { block.append($0) }
      rest = rest[(end + 1)...]
      if case .fault = progress { return nil }
    }
    guard block.isComplete,
      case .success(let framing) = BodyFraming.of(block, method: .get, mayBeStream: true)
    else {
      return nil
    }
    return ResponseHead(block, url: "http://a/", length: framing.length)
  }

  @Test(arguments: [
    "HTTP/1.1 304 Not Modified\r\n\r\n",
    "HTTP/1.1 304\r\nServer: x\r\nETag: \"a1\"\r\nLast-Modified: \(date)\r\n\r\n",
    "HTTP/2 304 \r\netag:\"a1\"\r\nlast-modified:\t\(date) \r\ncache-control: no-cache\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nEtag: \"a1\"\r\nETAG: \"a1\"\r\nX: \r\n:\r\nlocation: /elsewhere\r\n\r\n",
    "HTTP/1.1 304 Not Modified\nDate: now\n\n",
    "HTTP/1.0 304 Not Modified\r\nContent-Length: 123\r\nContent-Security-Policy: x\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nExpires: 0\r\nLink: x\r\nTrailer: y\r\nHost: z\r\n\r\n",
  ])
  func `a plain 304 brings nothing new`(header: String) { #expect(isPlain(header)) }

  @Test(arguments: [
    "", "\r\n", "HTTP/1.1 304 Not Modified\r\n", "HTTP/1.1 304 Not Modified",
    "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 3040 X\r\n\r\n",
    "HTTP/1.1  304 X\r\n\r\n", "ICY 304 X\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nETag: \"b2\"\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nETag: W/\"a1\"\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nETag:\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nETag: \"a1\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nETag: \"a1\"\r\netag: \"b2\"\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nLast-Modified: Tue, 14 Nov 2023 00:00:00 GMT\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nETag: \"a1\"\r\n \"b2\"\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nX: y\r\n\tz\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nContent-Length:\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\ncontent-encoding: gzip\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: gzip\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\nhttp/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 304 Not Modified\r\n\r\nX: y\r\n\r\n",
  ])
  func `a 304 that may bring something new is not plain`(header: String) { #expect(!isPlain(header)) }

  @Test func `a plain 304 has no validator that was not sent`() {
    let withDate = "HTTP/1.1 304 X\r\nLast-Modified: \(Self.date)\r\n\r\n"
    #expect(isPlain(withDate))
    #expect(!isPlain(withDate, sent: [Self.both[0]]))
    let withTag = "HTTP/1.1 304 X\r\nETag: \(Self.etag)\r\n\r\n"
    #expect(!isPlain(withTag, sent: [Self.both[1]]))
    #expect(isPlain(withTag, sent: [Self.both[1], Self.both[0]]))
  }

  @Test func `a plain 304 means the same on the full path, whatever its header is`() {
    let lines = [
      "ETag: \"a1\"", "etag:\"a1\" ", "ETag: \"b2\"", "ETag: W/\"a1\"", "ETag : \"b2\"", "ETag", "Etag:",
      " folded",
      "\tfolded", "Last-Modified: \(Self.date)", "last-modified:\(Self.date)\t", "Last-Modified: never",
      "Content-Length: 0", "content-length: x", "Content-Encoding: br", "Transfer-Encoding: chunked", "TE: x",
      "Date: now", "Server: x", "HTTP/1.1 200 OK", "HTTP/1.1 304 Not Modified", "", ":", "\u{e9}tag: x",
      "etagX: y",
      "Connection: close", "Retry-After: 5", "Location: /x",
    ]
    let first = [
      "HTTP/1.1 304 Not Modified", "HTTP/2 304 ", "HTTP/1.1 200 OK", "HTTP/1.1 304", "HTTP/1.0 304 X", "x",
    ]
    var (plain, others) = (0, 0)
    for number in 0..<20_000 {
      var random = SeededGenerator(seed: 5, case: number)
      let ends = random.oneIn(4) ? ["\n", "\r\n"] : ["\r\n"]
      let picked =
        [random.oneIn(4) ? random.pick(first) : first[0]]
        + (0..<random.below(5)).map { _ in random.pick(lines) }
      var header = picked.map { $0 + random.pick(ends) }.joined()
      if !random.oneIn(10) { header += random.pick(ends) }
      guard isPlain(header) else {
        others += 1
        continue
      }
      plain += 1
      guard let head = head(header) else {
        Issue.record("no head: \(header)")
        continue
      }
      #expect(head.status == 304, "\(header)")
      let told = Validators(etag: head.etag, lastModified: head.lastModified, url: head.url)
      let sent = Validators(etag: EntityTag(Self.etag), lastModified: Self.date, url: head.url)
      #expect(ConfirmationRule.repeats(told, sent), "\(header)")
    }
    #expect(plain > 1000 && others > 1000)
  }
}
