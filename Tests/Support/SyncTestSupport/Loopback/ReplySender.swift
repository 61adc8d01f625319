/// Sends one reply by its delivery.
struct ReplySender {
  let socket: Socket
  let core: ServerCore
  let request: LoggedRequest
  let delivery: Delivery
  /// Bytes that ``Delivery/cutAfter`` counts.
  private var counted = 0
  private static let floodLimit = 1 << 30

  init(socket: Socket, core: ServerCore, request: LoggedRequest, delivery: Delivery) {
    self.socket = socket
    self.core = core
    self.request = request
    self.delivery = delivery
  }

  /// How the connection ends after it.
  mutating func send(raw bytes: [UInt8]) -> Delivery.Ending {
    guard waitForHead() else { return .close }
    guard stream(bytes, repeats: 1, chunked: false) else { return lostEnding }
    return delivery.ending
  }

  /// How the connection ends after it.
  mutating func send(raw bytes: [UInt8], thenForEver flood: [UInt8]) -> Delivery.Ending {
    guard waitForHead() else { return .close }
    // This ends the reply if the client never disconnects.
    let rounds = Self.floodLimit / max(flood.count, 1)
    guard stream(bytes, repeats: 1, chunked: false), stream(flood, repeats: rounds, chunked: false) else {
      return lostEnding
    }
    return delivery.ending
  }

  /// How the connection ends after it.
  mutating func send(_ response: Response) -> Delivery.Ending {
    guard waitForHead() else { return .close }
    let hasBody = request.method != "HEAD" && response.allowsBody
    let isChunked = if case .chunked = response.framing { true } else { false }
    if hasBody && !isChunked && isPlain && response.repeats == 1 {
      guard socket.send((response.head() + response.body)[...]) else { return .close }
      core.sent(response.body.count, of: request)
      return ending(after: response)
    }
    guard socket.send(response.head()[...]) else { return .close }
    guard hasBody else { return ending(after: response) }
    guard stream(response.body, repeats: response.repeats, chunked: isChunked) else { return lostEnding }
    if isChunked && !socket.send(lastChunk(response)) { return .close }
    return ending(after: response)
  }

  private var isPlain: Bool {
    delivery.cutAfter == nil && delivery.holdBody == nil && delivery.pieceSize == nil
  }

  /// After a cut, or after the client went away.
  private var lostEnding: Delivery.Ending { delivery.ending == .reset ? .reset : .close }

  private func ending(after response: Response) -> Delivery.Ending {
    if case .close = response.framing, delivery.ending == .keepAlive { return .close }
    let asked = request.header("Connection")?.lowercased()
    return asked == "close" && delivery.ending == .keepAlive ? .close : delivery.ending
  }

  private func waitForHead() -> Bool {
    guard core.pause(delivery.delay) else { return false }
    if let gate = delivery.holdHead { return core.pass(gate) }
    return true
  }

  private func lastChunk(_ response: Response) -> ArraySlice<UInt8> {
    var text = "0\r\n"
    for field in response.trailers { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)[...]
  }

  /// Sends the bytes; `false` after a cut, a disconnect or a stop.
  private mutating func stream(_ bytes: [UInt8], repeats: Int, chunked: Bool) -> Bool {
    if delivery.cutAfter == 0 { return false }
    guard !bytes.isEmpty else { return true }
    var round = 0
    while round < repeats {
      var start = 0
      while start < bytes.count {
        guard holdIfDue() else { return false }
        let end = start + pieceLength(left: bytes.count - start)
        guard send(bytes[start..<end], chunked: chunked) else { return false }
        counted += end - start
        core.sent(end - start, of: request)
        if let cut = delivery.cutAfter, counted >= cut { return false }
        guard core.pause(delivery.pause) else { return false }
        start = end
      }
      round += 1
    }
    return holdIfDue()
  }

  /// The number of bytes before the next scripted event.
  private func pieceLength(left: Int) -> Int {
    var length = min(left, max(delivery.pieceSize ?? 65536, 1))
    if let cut = delivery.cutAfter { length = min(length, cut - counted) }
    if let hold = delivery.holdBody, hold.after > counted { length = min(length, hold.after - counted) }
    return max(length, 1)
  }

  private func holdIfDue() -> Bool {
    guard let hold = delivery.holdBody, hold.after == counted else { return true }
    return core.pass(hold.gate)
  }

  private func send(_ piece: ArraySlice<UInt8>, chunked: Bool) -> Bool {
    guard chunked else { return socket.send(piece) }
    let size = String(piece.count, radix: 16)
    return socket.send((Array("\(size)\r\n".utf8) + piece + Array("\r\n".utf8))[...])
  }
}
