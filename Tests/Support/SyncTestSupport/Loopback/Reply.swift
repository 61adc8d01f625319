/// The server's reply to one request: the bytes, and their delivery.
package struct Reply: Sendable {
  package enum Content: Sendable {
    case response(Response)
    /// Answers conditions, ranges and HEAD as a correct server does.
    case file(ServedFile)
    /// Exactly these bytes, head included, whatever was asked.
    case raw([UInt8])
    /// As ``raw(_:)``; after the first bytes come the others, again and again, until the client has enough.
    case flood([UInt8], [UInt8])
    /// Made for the individual request.
    case computed(@Sendable (LoggedRequest) -> Reply)
  }

  package var content: Content
  package var delivery = Delivery()

  package init(_ content: Content, delivery: Delivery = Delivery()) {
    self.content = content
    self.delivery = delivery
  }

  /// A reply with this status, these headers in this order, and this body.
  package static func status(
    _ status: Int, headers: [HeaderField] = [], body: [UInt8] = [], framing: Response.Framing = .length
  ) -> Reply {
    Reply(.response(Response(status: status, headers: headers, body: body, framing: framing)))
  }

  /// As ``status(_:headers:body:framing:)`` with the text's UTF-8 bytes as the body.
  package static func text(_ text: String, status: Int = 200, headers: [HeaderField] = []) -> Reply {
    .status(status, headers: headers, body: Array(text.utf8))
  }

  /// A file as a correct server serves it.
  package static func file(_ bytes: [UInt8], etag: String? = nil, lastModified: String? = nil) -> Reply {
    Reply(.file(ServedFile(bytes: bytes, etag: etag, lastModified: lastModified)))
  }

  /// A redirect to `location`.
  package static func redirect(_ location: String, status: Int = 302) -> Reply {
    .status(status, headers: [HeaderField("Location", location)])
  }

  /// Exactly these bytes; then the connection ends as scripted.
  package static func raw(_ text: String, ending: Delivery.Ending = .close) -> Reply {
    .raw(Array(text.utf8), ending: ending)
  }

  /// Exactly these bytes; then the connection ends as scripted.
  package static func raw(_ bytes: [UInt8], ending: Delivery.Ending = .close) -> Reply {
    Reply(.raw(bytes), delivery: Delivery(ending: ending))
  }

  /// The same reply with another delivery.
  package func delivered(_ change: (inout Delivery) -> Void) -> Reply {
    var copy = self
    change(&copy.delivery)
    return copy
  }

  /// Ends after this number of body bytes (for raw replies, of all bytes), whatever the head says.
  package func cut(after bytes: Int, ending: Delivery.Ending = .close) -> Reply {
    delivered {
      $0.cutAfter = bytes
      $0.ending = ending
    }
  }

  /// Waits before the first byte of the head.
  package func delayed(_ delay: Duration) -> Reply { delivered { $0.delay = delay } }

  /// Sends the body in pieces with a pause after each.
  package func dripped(bytes: Int, every pause: Duration) -> Reply {
    delivered {
      $0.pieceSize = bytes
      $0.pause = pause
    }
  }

  /// Sends nothing until ``LoopbackServer/release(_:)`` gets this name.
  package func held(until gate: String) -> Reply { delivered { $0.holdHead = gate } }

  /// Stops after this number of body bytes until ``LoopbackServer/release(_:)`` gets this name.
  package func held(afterBody bytes: Int, until gate: String) -> Reply {
    delivered { $0.holdBody = Delivery.Hold(after: bytes, gate: gate) }
  }
}

/// How a reply's bytes travel.
package struct Delivery: Sendable {
  package enum Ending: Sendable {
    /// The connection stays open for the next request, unless the framing ends it.
    case keepAlive
    /// FIN.
    case close
    /// RST.
    case reset
  }

  package struct Hold: Sendable {
    package var after: Int
    package var gate: String

    package init(after: Int, gate: String) {
      self.after = after
      self.gate = gate
    }
  }

  /// Before the first byte of the head.
  package var delay: Duration = .zero
  /// A name that ``LoopbackServer/release(_:)`` must get before the head is sent.
  package var holdHead: String?
  package var holdBody: Hold?
  /// Bytes of the body in one write; `nil` for as many as the system takes.
  package var pieceSize: Int?
  /// After each piece.
  package var pause: Duration = .zero
  /// Bytes of the body after which the connection ends; for raw replies, of everything.
  package var cutAfter: Int?
  package var ending: Ending

  package init(ending: Ending = .keepAlive) { self.ending = ending }
}

/// A reply with its parts apart.
package struct Response: Sendable {
  package enum Framing: Sendable {
    /// A correct Content-Length.
    case length
    /// Content-Length headers with exactly these texts, correct or not.
    case declared([String])
    /// Chunks of the delivery's piece size, or one chunk without such a size.
    case chunked
    /// No length; the end of the connection ends the body.
    case close
    /// No length and no end: the connection stays open.
    case none
  }

  package var status: Int
  /// The words after the status; `nil` for the usual ones.
  package var phrase: String?
  package var headers: [HeaderField]
  package var body: [UInt8]
  /// How many times the body is sent; `Int.max` for an endless body.
  package var repeats = 1
  package var framing: Framing
  /// After the last chunk.
  package var trailers: [HeaderField] = []
  package var version = "HTTP/1.1"

  package init(
    status: Int = 200, headers: [HeaderField] = [], body: [UInt8] = [], framing: Framing = .length
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.framing = framing
  }

  /// Bytes of the whole body; `Int.max` for an endless one.
  var bodyCount: Int {
    let (count, overflow) = body.count.multipliedReportingOverflow(by: repeats)
    return overflow ? .max : count
  }

  /// Whether a reply with this status has a body.
  var allowsBody: Bool { status >= 200 && status != 204 && status != 304 }

  /// The head's bytes, with the empty line that ends it.
  package func head() -> [UInt8] {
    var text = "\(version) \(status) \(phrase ?? Self.usualPhrase(status))\r\n"
    for field in headers { text += "\(field.name): \(field.value)\r\n" }
    if allowsBody {
      switch framing {
      case .length: text += "Content-Length: \(bodyCount)\r\n"
      case .declared(let lengths): for length in lengths { text += "Content-Length: \(length)\r\n" }
      case .chunked: text += "Transfer-Encoding: chunked\r\n"
      case .close: text += "Connection: close\r\n"
      case .none: break
      }
    }
    return Array((text + "\r\n").utf8)
  }

  private static func usualPhrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 416: "Range Not Satisfiable"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    default: "Status \(status)"
    }
  }
}

/// One header field as it is written.
package struct HeaderField: Sendable, Equatable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
