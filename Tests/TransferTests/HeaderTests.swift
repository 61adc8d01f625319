import SyncModel
import Testing

@testable import Transfer

/// Feeds `lines`, each with its line end, and gives the last progress.
private func feed(_ lines: [String], into block: inout HeaderBlock) -> HeaderBlock.Progress {
  var progress = HeaderBlock.Progress.more
  for line in lines { progress = Array("\(line)\r\n".utf8).withUnsafeBytes { block.append($0) } }
  return progress
}

private func block(_ lines: String...) -> HeaderBlock {
  var block = HeaderBlock()
  _ = feed(["HTTP/1.1 200 OK"] + lines + [""], into: &block)
  return block
}

@Suite struct `The header of a reply` {
  @Test func `values are trimmed and nothing else`() {
    let head = ResponseHead(
      block("ETag: \t W/\"a b\"  ", "Last-Modified:Sun, 06 Nov 1994 08:49:37 GMT"), url: "u", length: nil)
    #expect(head.etag?.text == "W/\"a b\"")
    #expect(head.lastModified == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test func `the protocol's major version is reported`() {
    var block = HeaderBlock()
    _ = feed(["HTTP/2 200", ""], into: &block)
    #expect(ResponseHead(block, url: "u", length: nil).version == 2)
  }

  @Test func `names count in any case`() {
    #expect(block("eTaG: \"x\"").value(.etag) == "\"x\"")
  }

  @Test func `two unequal validators are ignored, two equal ones count as one`() {
    #expect(block("ETag: \"a\"", "ETag: \"b\"").value(.etag) == nil)
    #expect(block("ETag: \"a\"", "ETag: \"a\"").value(.etag) == "\"a\"")
    #expect(block("Last-Modified: x", "Last-Modified: y").value(.lastModified) == nil)
  }

  @Test func `each line with a digest is kept, and whether it came with a redirect`() {
    let lines = DigestField.Name.allCases.map { "\($0.rawValue.uppercased()): \($0.rawValue)" }
    var block = HeaderBlock()
    _ = feed(["HTTP/1.1 200 OK"] + lines + ["Digest: again", ""], into: &block)
    let told = ResponseHead(block, url: "u", length: nil).digestFields
    #expect(told.map(\.name) == DigestField.Name.allCases + [.digest])
    #expect(told.map(\.value) == DigestField.Name.allCases.map(\.rawValue) + ["again"])
    #expect(told.allSatisfy { !$0.isOfRedirect })
    #expect(block.digestFields(ofRedirect: true).allSatisfy { $0.isOfRedirect })
    var plain = HeaderBlock()
    _ = feed(["HTTP/1.1 200 OK", "ETag: \"a\"", ""], into: &plain)
    #expect(ResponseHead(plain, url: "u", length: nil).digestFields.isEmpty)
  }

  @Test func `an empty validator is ignored`() { #expect(block("ETag:").value(.etag) == nil) }

  @Test func `interim replies are ignored`() {
    var block = HeaderBlock()
    #expect(feed(["HTTP/1.1 103 Early Hints", "ETag: \"early\"", ""], into: &block) == .more)
    #expect(feed(["HTTP/1.1 404 Not Found", "Retry-After: 7", ""], into: &block) == .complete)
    #expect(block.status == 404)
    #expect(block.value(.etag) == nil)
    #expect(block.value(.retryAfter) == "7")
  }

  @Test func `every Link of a reply is kept`() {
    let head = ResponseHead(
      block("Link: </2>; rel=\"next\"", "Link: </9>; rel=\"last\""), url: "http://h/", length: nil)
    #expect(head.links == ["</2>; rel=\"next\"", "</9>; rel=\"last\""])
    #expect(ResponseHead(block("ETag: \"a\""), url: "http://h/", length: nil).links == [])
  }

  @Test func `trailers are not headers`() {
    var block = block("ETag: \"a\"")
    #expect(feed(["ETag: \"b\"", "Content-Length: 9"], into: &block) == .more)
    #expect(block.value(.etag) == "\"a\"")
    #expect(block.values(.contentLength).isEmpty)
  }

  @Test func `a folded line continues the one before`() {
    #expect(block("Location: /a", " b").value(.location) == "/a b")
    #expect(block("ETag: \"a\"", "X-Other: b", " c").value(.etag) == "\"a\"")
  }

  @Test func `a folded line of blanks is neither an end nor a part`() {
    let folded = block("X-Other: b", " \t ", "ETag:", "  \"a\"", " ", "Content-Length: 5")
    #expect(folded.values(.contentLength) == ["5"])
    #expect(folded.value(.etag) == "\"a\"")
  }

  @Test func `a validator that is not UTF-8 keeps its bytes`() {
    for byte in [0xE8, 0xE9] as [UInt8] {
      var block = HeaderBlock()
      _ = feed(["HTTP/1.1 200 OK"], into: &block)
      _ = (Array("ETag: \"".utf8) + [byte] + Array("\"\r\n".utf8)).withUnsafeBytes { block.append($0) }
      _ = feed(["Last-Modified: \u{E9}", ""], into: &block)
      let head = ResponseHead(block, url: "u", length: nil)
      #expect(head.etag.map { HeaderText.bytes($0.text) } == Array("\"".utf8) + [byte] + Array("\"".utf8))
      #expect(head.lastModified == "\u{E9}")
    }
  }

  @Test func `more than 300 KB are refused`() {
    var block = HeaderBlock()
    let line = "X-Long: " + String(repeating: "x", count: 60 << 10)
    #expect(feed(["HTTP/1.1 200 OK", line, line, line, line], into: &block) == .more)
    #expect(feed([line], into: &block) == .fault(.headerTooLarge(limit: 300 << 10)))
  }

  @Test func `a switch of protocols is refused`() {
    var block = HeaderBlock()
    #expect(feed(["HTTP/1.1 101 Switching", ""], into: &block) == .fault(.unexpectedStatus(101)))
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK", 200, 1), ("HTTP/1.1  404  Not Found", 404, 1), ("HTTP/2 304", 304, 2),
    ("HTTP/3 599 ", 599, 3), ("http/1.1 200 ok", 200, 1),
  ])
  func `a status line has a version and a status`(line: String, status: Int, version: Int) {
    var block = HeaderBlock()
    #expect(feed([line], into: &block) == .more)
    #expect((block.status, block.version) == (status, version))
  }

  @Test(arguments: [
    "HTTP/1.1 2000 OK", "HTTP/1.1 abc", "HTTP/1.1", "HTTP/", "HTTP/x 200", "HTTP/1.1 099 low", "HTTP/1.1 20x",
    "HTTP/1.1 20", "HTTP/1.1 +20 OK",
  ])
  func `an invalid status line is refused`(line: String) {
    var block = HeaderBlock()
    #expect(feed([line], into: &block) == .fault(.malformed("status line")))
  }

  @Test(arguments: [
    ("identity", nil), ("gzip", "gzip"), ("GZIP", "gzip"), ("identity, br", "br"), ("gzip , br", "gzip, br"),
  ]) func `codings are in lower case, and identity is no coding`(text: String, coding: String?) {
    #expect(ResponseHead(block("Content-Encoding: \(text)"), url: "u", length: nil).contentEncoding == coding)
  }

  @Test func `the media type comes without its parameters`() {
    let head = ResponseHead(block("Content-Type: Text/HTML ;charset=x"), url: "u", length: nil)
    #expect(head.contentType == "text/html")
  }
}

@Suite struct `The framing of a body` {
  @Test(
    arguments: [
      (["Content-Length: 5"], BodyFraming.length(5), 5),
      (["Content-Length: 5, 5", "Content-Length: 5"], .length(5), 5),
      (["Content-Length: 0"], .length(0), 0),
      (["Transfer-Encoding: chunked"], .chunked, nil),
      (["Transfer-Encoding: Chunked", "Content-Length: 5"], .chunked, nil),
      (["Transfer-Encoding: identity", "Content-Length: 5"], .length(5), 5),
      ([], .connection, nil),
    ] as [([String], BodyFraming, Int64?)]) func `a header says how its body ends`(
      lines: [String], framing: BodyFraming, length: Int64?
    ) throws
  {
    var block = HeaderBlock()
    _ = feed(["HTTP/1.1 200 OK"] + lines + [""], into: &block)
    #expect(
      try BodyFraming.of(block, method: .get, mayBeStream: true).get()
        == .init(framing: framing, length: length))
  }

  @Test(arguments: [
    (["Content-Length: 5", "Content-Length: 6"], ProtocolFault.unequalContentLengths),
    (["Content-Length: 5, 6"], .unequalContentLengths),
    (["Content-Length: 5, 6", "Transfer-Encoding: chunked"], .unequalContentLengths),
    (["Content-Length: -5"], .malformed("Content-Length: -5")),
    (["Content-Length: +5"], .malformed("Content-Length: +5")),
    (["Content-Length: 5 6"], .malformed("Content-Length: 5 6")),
    (["Content-Length:"], .malformed("Content-Length: ")),
    (["Content-Length: 0x5"], .malformed("Content-Length: 0x5")),
    (["Content-Length: 99999999999999999999"], .malformed("Content-Length: 99999999999999999999")),
    (["Transfer-Encoding: gzip, chunked"], .malformed("Transfer-Encoding: gzip, chunked")),
    (
      ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
      .malformed("Transfer-Encoding: chunked, chunked")
    ),
  ]) func `a header that contradicts itself is refused`(lines: [String], fault: ProtocolFault) {
    var block = HeaderBlock()
    _ = feed(["HTTP/1.1 200 OK"] + lines + [""], into: &block)
    #expect(BodyFraming.of(block, method: .get, mayBeStream: true) == .failure(fault))
  }

  @Test func `HEAD and 204 and 304 have no body but may announce one`() throws {
    for (status, method) in [(200, ExchangeRequest.Method.head), (204, .get), (304, .get)] {
      var block = HeaderBlock()
      _ = feed(["HTTP/1.1 \(status) X", "Content-Length: 7", ""], into: &block)
      #expect(
        try BodyFraming.of(block, method: method, mayBeStream: true).get() == .init(framing: .none, length: 7)
      )
    }
  }

  @Test func `HTTP/2 ends a body by its stream`() throws {
    var block = HeaderBlock()
    _ = feed(["HTTP/2 200", ""], into: &block)
    #expect(
      try BodyFraming.of(block, method: .get, mayBeStream: true).get() == .init(framing: .stream, length: nil)
    )
    // A status line alone is no proof of HTTP/2.
    #expect(
      try BodyFraming.of(block, method: .get, mayBeStream: false).get()
        == .init(framing: .connection, length: nil))
  }
}
