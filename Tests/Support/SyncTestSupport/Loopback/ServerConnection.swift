/// One accepted connection: reads requests and sends the scripted replies, on its own thread.
struct ServerConnection {
  let number: Int
  let socket: Socket
  let core: ServerCore

  /// A head longer than this ends the connection.
  private static let headLimit = 1 << 20

  func run() {
    var reader = RequestReader()
    var ending = core.greeting(number)
    if ending != .keepAlive {
      // Waits until the client has sent something: otherwise it would treat the connection as never established.
      _ = socket.receive(atMost: 1)
    }
    while ending == .keepAlive, let head = reader.next(from: socket, limit: Self.headLimit) {
      guard let parsed = LoggedRequest(head: head, connection: number) else { break }
      if let length = parsed.header("Content-Length").flatMap({ Int($0) }) {
        reader.skip(length, from: socket)
      }
      let (request, reply) = core.receive(parsed)
      ending = answer(request, with: reply)
      core.answered(request)
      if ending != .keepAlive { break }
    }
    core.connectionEnds(number)
    if ending == .reset { socket.closeWithReset() } else { socket.closePolitely() }
  }

  private func answer(_ request: LoggedRequest, with reply: Reply) -> Delivery.Ending {
    var reply = reply
    var rounds = 0
    while case .computed(let make) = reply.content, rounds < 8 {
      reply = make(request)
      rounds += 1
    }
    var sender = ReplySender(socket: socket, core: core, request: request, delivery: reply.delivery)
    switch reply.content {
    case .raw(let bytes): return sender.send(raw: bytes)
    case .flood(let bytes, let flood): return sender.send(raw: bytes, thenForEver: flood)
    case .response(let response): return sender.send(response)
    case .file(let file): return sender.send(file.response(to: request))
    case .computed: return .close
    }
  }
}

/// Extracts request heads from a stream of bytes.
private struct RequestReader {
  private var buffer: [UInt8] = []

  /// The next head without its empty line; `nil` at the end of the connection.
  mutating func next(from socket: Socket, limit: Int) -> [UInt8]? {
    var searched = 0
    while true {
      if let end = headEnd(from: searched) {
        let head = Array(buffer[..<end])
        buffer.removeFirst(end + 4)
        return head
      }
      guard buffer.count < limit else { return nil }
      searched = max(buffer.count - 3, 0)
      let more = socket.receive(atMost: 16384)
      if more.isEmpty { return nil }
      buffer += more
    }
  }

  mutating func skip(_ count: Int, from socket: Socket) {
    while buffer.count < count {
      let more = socket.receive(atMost: 16384)
      if more.isEmpty { break }
      buffer += more
    }
    buffer.removeFirst(min(max(count, 0), buffer.count))
  }

  private func headEnd(from start: Int) -> Int? {
    guard buffer.count >= 4 else { return nil }
    return (start...max(start, buffer.count - 4)).first { index in
      index + 3 < buffer.count && buffer[index] == 13 && buffer[index + 1] == 10
        && buffer[index + 2] == 13 && buffer[index + 3] == 10
    }
  }
}

extension LoggedRequest {
  /// In a head that is not UTF-8, each byte above 0x7F is written as `\xHH`, so that no two heads look alike.
  private static func text(_ head: [UInt8]) -> String {
    String(validating: head, as: UTF8.self)
      ?? head.reduce(into: "") { text, byte in
        text += byte < 0x80 ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
      }
  }

  /// `nil` if the head is not an HTTP request.
  fileprivate init?(head: [UInt8], connection: Int) {
    let lines = Self.text(head).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/") else { return nil }
    let headers = lines.dropFirst().compactMap { line -> HeaderField? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return HeaderField(String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
    }
    self.init(
      number: 0, connection: connection, method: String(words[0]), target: String(words[1]), headers: headers)
  }
}
