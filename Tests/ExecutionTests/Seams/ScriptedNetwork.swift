import Platform
import SyncModel
import SyncTestSupport

@testable import Execution
@testable import Transfer

/// A network without sockets that answers by the script of a ``LoopbackServer``, whatever the host.
///
/// Each exchange comes as far as it can in one poll. If nothing can happen, the time for which a poll would wait passes
/// on its clock. It knows held and cut replies, but neither redirects nor raw replies, delays, proxies and time limits.
final class ScriptedNetwork: ExchangeNetwork {
  /// The requests so far, oldest first.
  private(set) var requests: [LoggedRequest] = []
  /// Told by the next ``takeStreamHosts()``.
  var streamHosts: [String] = []
  /// Called at the start of each poll.
  var onPoll: () -> Void = {}
  private var script: ServerScript
  private let clock: ManualClock?
  private var openGates: Set<String> = []
  /// In the order in which they were started.
  private var exchanges: [Exchange] = []
  private var lastNumber = 0
  private let flag = Flag()

  /// The size of a piece of a body.
  static let pieceSize = 16 << 10

  init(_ script: [String: [Reply]] = [:], clock: ManualClock? = nil) {
    self.script = ServerScript(script)
    self.clock = clock
  }

  /// Replaces the replies for this path; the last one is repeated.
  func on(_ path: String, _ replies: Reply...) { script.set(replies, for: path) }

  /// Lets every reply go on, now and later, that is held under this name.
  func release(_ gate: String) { openGates.insert(gate) }

  func requests(to path: String) -> [LoggedRequest] { requests.filter { $0.path == path } }

  func clearLog() { requests = [] }

  // MARK: ExchangeNetwork

  var waker: any ExchangeWaker { flag }

  func start(_ request: ExchangeRequest, client: any ExchangeClient) -> ExchangeID {
    lastNumber += 1
    let id = ExchangeID(number: lastNumber)
    exchanges.append(Exchange(id, request, client))
    return id
  }

  func resume(_ id: ExchangeID) { exchanges.first { $0.id == id }?.isPaused = false }

  func cancel(_ id: ExchangeID) -> ExchangeTotals {
    guard let place = exchanges.firstIndex(where: { $0.id == id }) else { return ExchangeTotals() }
    let exchange = exchanges.remove(at: place)
    exchange.isOver = true
    return exchange.totals
  }

  func takeStreamHosts() -> [String] {
    defer { streamHosts = [] }
    return streamHosts
  }

  func poll(timeout: Duration) {
    onPoll()
    var hasTold = false
    // Those that clients start meanwhile begin in the next poll.
    for exchange in exchanges where !exchange.isOver {
      if advance(exchange) { hasTold = true }
      if exchange.isOver { exchanges.removeAll { $0 === exchange } }
    }
    if !flag.take(), !hasTold { clock?.advance(by: timeout) }
  }

  // MARK: One exchange

  /// Whether the client got an event.
  private func advance(_ exchange: Exchange) -> Bool {
    if exchange.reply == nil {
      do {
        try send(exchange)
      } catch {
        exchange.end(.failed(error))
        return true
      }
    }
    return exchange.advance(openGates)
  }

  private func send(_ exchange: Exchange) throws(FailureCause) {
    guard let url = HopURL(exchange.request.url) else {
      throw .internalError("this is no URL that can be fetched: \(exchange.request.url)")
    }
    let hop = try HopRequest(exchange.request, at: url, first: url, secrets: SecretMask())
    let method = exchange.request.method.rawValue
    let request = LoggedRequest(
      number: requests.count, connection: 0, method: method, target: Self.target(of: url),
      headers: hop.lines.map(HeaderField.init(line:)))
    requests.append(request)
    exchange.totals.requests += 1
    exchange.reply = try ReplyInTransit(script.next(for: request), to: request, at: url)
    exchange.client.exchange(
      exchange.id, note: .request(method: method, url: url.text, conditions: hop.conditions))
  }

  /// With the query.
  private static func target(of url: HopURL) -> String {
    let rest = url.text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
    let path = rest.drop { $0 != UInt8(ascii: "/") }
    return path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
  }
}

extension HeaderField {
  /// `Name: value`, or `Name;` for an empty value.
  fileprivate init(line: String) {
    let colon = line.firstIndex(of: ":") ?? line.index(before: line.endIndex)
    self.init(String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
  }
}

/// Ends a wait, from any thread.
private final class Flag: ExchangeWaker {
  private let isSet = Platform.Monitor(false)

  func wake() -> Bool {
    isSet.withLock { $0 = true }
    return true
  }

  /// Whether it was set; it no longer is.
  func take() -> Bool {
    isSet.withLock { isSet in
      defer { isSet = false }
      return isSet
    }
  }
}

/// An exchange from its start to its end.
private final class Exchange {
  let id: ExchangeID
  let request: ExchangeRequest
  let client: any ExchangeClient
  /// `nil` before the request.
  var reply: ReplyInTransit?
  var totals = ExchangeTotals()
  /// Whether the client had no room.
  var isPaused = false
  var isOver = false
  private var hasHead = false
  /// Whether the client wants no body.
  private var isDropped = false

  init(_ id: ExchangeID, _ request: ExchangeRequest, _ client: any ExchangeClient) {
    self.id = id
    self.request = request
    self.client = client
  }

  /// Passes on what has come; whether the client got an event.
  func advance(_ openGates: Set<String>) -> Bool {
    guard let reply, !isPaused, !isOver, reply.gateOfHead.map(openGates.contains) ?? true else {
      return false
    }
    var hasTold = false
    if !hasHead {
      hasTold = true
      hasHead = true
      tellHead(reply)
    }
    while !isOver, !isPaused, let piece = self.reply?.nextPiece(openGates) {
      hasTold = true
      take(piece)
    }
    if !isOver, !isPaused, let end = self.reply?.end(openGates) {
      hasTold = true
      self.end(isDropped ? .stopped : end)
    }
    return hasTold
  }

  private func tellHead(_ reply: ReplyInTransit) {
    guard let head = reply.head else { return }
    client.exchange(id, note: .response(status: head.status, url: head.url, length: reply.announced))
    if !isOver { isDropped = client.exchange(id, received: head) == .drop }
  }

  private func take(_ piece: [UInt8]) {
    let reception = isDropped ? .taken : piece.withUnsafeBytes { client.exchange(id, received: $0) }
    guard reception != .full else {
      isPaused = true
      return
    }
    totals.bytes += Int64(piece.count)
    reply?.pass(piece.count)
    if reception == .stop { end(.stopped) }
  }

  func end(_ end: ExchangeEnd) {
    guard !isOver else { return }
    isOver = true
    client.exchange(id, ended: end, totals: totals)
  }
}

/// A reply of which a part has arrived.
private struct ReplyInTransit {
  /// `nil` if the connection breaks before it.
  var head: ResponseHead?
  /// The Content-Length.
  var announced: Int64?
  /// The name under which the head is held.
  let gateOfHead: String?
  private let url: String
  private let framing: BodyFraming
  private let body: [UInt8]
  private let delivery: Delivery
  private var passed = 0

  init(_ reply: Reply, to request: LoggedRequest, at url: HopURL) throws(FailureCause) {
    var reply = reply
    while case .computed(let make) = reply.content { reply = make(request) }
    let response: Response
    switch reply.content {
    case .response(let given): response = given
    case .file(let file): response = file.response(to: request)
    case .raw, .flood, .computed: throw .internalError("the scripted network has no such replies")
    }
    self.url = url.text
    delivery = reply.delivery
    gateOfHead = reply.delivery.holdHead
    var header = HeaderBlock()
    for line in String(decoding: response.head(), as: UTF8.self).split(separator: "\r\n") {
      _ = Array((line + "\r\n").utf8).withUnsafeBytes { header.append($0) }
    }
    _ = Array("\r\n".utf8).withUnsafeBytes { header.append($0) }
    let method = ExchangeRequest.Method(rawValue: request.method) ?? .get
    switch BodyFraming.of(header, method: method, mayBeStream: true) {
    case .failure(let fault): throw .protocolError(url: url.text, fault)
    case .success(let announcement):
      framing = announcement.framing
      announced = announcement.length
    }
    body = framing == .none ? [] : response.body
    head = ResponseHead(header, url: url.text, length: announced)
    head?.isSigned = url.isSigned
    head?.endIsProvable = framing != .connection
  }

  /// The number of bytes of the body that arrive before the connection breaks.
  private var arriving: Int { min(body.count, delivery.cutAfter ?? body.count) }

  /// `nil` if nothing has arrived.
  func nextPiece(_ openGates: Set<String>) -> [UInt8]? {
    var end = min(arriving, passed + ScriptedNetwork.pieceSize)
    if let hold = delivery.holdBody, !openGates.contains(hold.gate) { end = min(end, hold.after) }
    return end > passed ? Array(body[passed..<end]) : nil
  }

  mutating func pass(_ count: Int) { passed += count }

  /// How the reply ended; `nil` if more will come.
  func end(_ openGates: Set<String>) -> ExchangeEnd? {
    if let hold = delivery.holdBody, hold.after == passed, !openGates.contains(hold.gate) { return nil }
    guard passed == arriving else { return nil }
    let isCut = delivery.cutAfter != nil && framing != .none
    switch framing {
    case .none: return .complete(lengthIsProven: true)
    case .connection where isCut && delivery.ending == .reset: break
    case .connection: return .complete(lengthIsProven: false)
    case .chunked where isCut: break
    case .chunked, .stream: return .complete(lengthIsProven: true)
    case .length(let length):
      if Int64(passed) == length { return .complete(lengthIsProven: true) }
    }
    return .failed(.truncated(url: url, received: Int64(passed), expected: announced))
  }
}
