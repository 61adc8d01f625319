import SyncModel

/// What a loop and its exchanges share.
final class LoopContext {
  /// Counts what clients were told, so that a poll knows whether it has something to return for.
  var count = 0
  /// When libcurl was last told to go on: near enough for time limits, and a reply has a dozen lines.
  var now = MonotonicInstant.now
  /// `nil` where nobody wants to know.
  var connections: ConnectionNumbers?
  /// The https origins that have replied by HTTP/1, and are asked so from then on.
  var serialOrigins: Set<Origin> = []
  /// The other exchanges that wait for a reply on the connection of this one's.
  var sharers: (LiveExchange) -> [LiveExchange] = { _ in [] }
  /// Has their requests repeated.
  var takeBack: ([LiveExchange]) -> Void = { _ in }
}

/// An exchange from its start to its end, with the hop that is under way; fed by libcurl's callbacks.
final class LiveExchange: HopOwner {
  /// A body that nobody wants is read on for so long and so far, to keep its connection; else it is hung up on.
  static let drainLimit: Int64 = 64 << 10
  static let drainTime = Duration.seconds(1)
  static let redirectLimit = 10

  let id: ExchangeID
  let request: ExchangeRequest
  let first: HopURL
  let timeScale: Double
  private let client: any ExchangeClient
  private let pulse: LoopContext
  /// Where the next hop goes, while there is none.
  var next: HopURL
  var hop: Hop?
  var redirects = 0
  /// The resources that have led on.
  private var passed: [String] = []
  /// What the redirects so far said of the file's digest.
  private var redirectedDigests: [DigestField] = []
  /// Whether the next hop must not share or inherit a connection.
  var wantsNewConnection = false
  /// When the first request of all went out; `nil` before.
  var firstSentAt: MonotonicInstant?
  var totals = ExchangeTotals()
  /// Whether the client was told of the end, or wants to hear no more.
  var isOver = false

  init(
    id: ExchangeID, request: ExchangeRequest, url: HopURL, client: any ExchangeClient, timeScale: Double,
    pulse: LoopContext
  ) {
    self.id = id
    self.request = request
    first = url
    next = url
    self.client = client
    self.timeScale = timeScale
    self.pulse = pulse
    wantsNewConnection = request.wantsNewConnection
  }

  // MARK: What libcurl tells, through EasyHandle

  override var exchange: LiveExchange? { self }

  override func requestGoesOut(over ends: () -> ConnectionEnds) -> Bool {
    if let hop, !hop.avoidsStreams, hop.url.origin.scheme == "https" {
      let here = ends()
      if here.localPort != 0 { hop.ends = here }
      if pulse.serialOrigins.contains(hop.url.origin), !pulse.sharers(self).isEmpty {
        hop.outcome = .repeatWithoutStreams
        return false
      }
    }
    let now = MonotonicInstant.now
    if pulse.connections != nil, let hop {
      hop.isFirstOnConnection = !hop.handle.usedOldConnection
      hop.connection = pulse.connections?.number(ends(), isNew: hop.isFirstOnConnection)
    }
    if hop?.sentAt == nil { totals.requests += 1 }
    hop?.sentAt = now
    hop?.lastByteAt = now
    hop?.charge.requestGoesOut(at: now)
    if firstSentAt == nil { firstSentAt = now }
    return true
  }

  override func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    guard !isOver, let hop, !hop.isDecided || hop.outcome != .repeatOnNewConnection else { return false }
    hop.lastByteAt = pulse.now
    switch unsafe hop.header.append(line) {
    case .complete: return headerIsComplete()
    case .fault(let fault): return fail { .protocolError(url: $0, fault) }
    case .more: return true
    }
  }

  override func receive(body bytes: UnsafeRawBufferPointer) -> BodyReception {
    guard !isOver, let hop else { return .stop }
    hop.lastByteAt = pulse.now
    guard !hop.isDecided else {
      unsafe count(bytes)
      return hop.received > Self.drainLimit ? .stop : .taken
    }
    pulse.count += 1
    let reception = unsafe client.exchange(id, received: bytes)
    switch reception {
    case .taken: unsafe count(bytes)
    case .full: hop.isPaused = true
    case .stop:
      unsafe count(bytes)
      hop.outcome = .end(.stopped)
    }
    return isOver ? .stop : reception
  }

  private func count(_ bytes: UnsafeRawBufferPointer) {
    hop?.received += Int64(bytes.count)
    totals.bytes += Int64(bytes.count)
  }

  // MARK: What a complete header means

  private func headerIsComplete() -> Bool {
    guard let hop else { return false }
    // The loop's clock stands still within a turn, in which the request may have gone out, too.
    hop.repliedAt = max(pulse.now, hop.sentAt ?? pulse.now)
    if hop.header.version == 1, !hop.avoidsStreams, mayBeAnothers(hop) { return false }
    switch BodyFraming.of(hop.header, method: request.method) {
    case .failure(let fault): return fail { .protocolError(url: $0, fault) }
    case .success(let announcement):
      hop.framing = announcement.framing
      hop.announced = announcement.length
      tell(.response(status: hop.header.status, url: hop.url.text, length: announcement.length))
      if isOver { return false }
      if [301, 302, 303, 307, 308].contains(hop.header.status) { return redirect(from: hop) }
      var head = ResponseHead(hop.header, url: hop.url.text, length: announcement.length)
      head.isSigned = hop.url.isSigned
      head.endIsProvable = announcement.framing != .connection
      if !redirectedDigests.isEmpty { head.digestFields = redirectedDigests + head.digestFields }
      return deliver(head)
    }
  }

  /// Whether the reply may be that to another request.
  ///
  /// Where a host has a connection by HTTP/2, libcurl (7.88) sends what asks for that also over one by HTTP/1 on which
  /// another reply is awaited, and gives the replies to whoever reads first (curl issue 4885). Some hosts do both: those
  /// behind a balancer, or a proxy that looks into TLS. So the first reply by HTTP/1 ends asking for HTTP/2 there.
  private func mayBeAnothers(_ hop: Hop) -> Bool {
    guard hop.url.origin.scheme == "https" else { return false }
    pulse.serialOrigins.insert(hop.url.origin)
    let sharers = pulse.sharers(self)
    guard !sharers.isEmpty else { return false }
    hop.outcome = .repeatOnNewConnection
    pulse.takeBack(sharers)
    return true
  }

  /// The reply came before the exchange was started: a 304 that says nothing new.
  ///
  /// Returns how it ends; `nil` where it is over by then.
  func receiveConfirmation() -> ExchangeEnd? {
    totals.requests = 1
    tell(.response(status: 304, url: first.text, length: nil))
    guard !isOver else { return nil }
    let disposition = client.exchange(id, received: ResponseHead(status: 304, url: first.text))
    return isOver ? nil : disposition == .drop ? .stopped : .complete(lengthIsProven: true)
  }

  private func deliver(_ head: ResponseHead) -> Bool {
    pulse.count += 1
    let disposition = client.exchange(id, received: head)
    if isOver { return false }
    guard disposition == .drop else { return true }
    hop?.outcome = .end(.stopped)
    return drain()
  }

  private func redirect(from hop: Hop) -> Bool {
    let locations = hop.header.values(.location)
    let shown = SigningParameters.removed(from: locations.first ?? "")
    guard redirects < Self.redirectLimit else {
      let fault = isCircle(hop.header.value(.location), from: hop.url) ? RedirectFault.circle : .tooMany
      return fail { .redirectRefused(from: $0, to: shown, fault) }
    }
    passed.append(hop.url.text)
    guard let location = hop.header.value(.location) else {
      return fail { .redirectRefused(from: $0, to: shown, .location) }
    }
    switch hop.url.following(location) {
    case .failure(let fault): return fail { .redirectRefused(from: $0, to: shown, fault) }
    case .success(let next):
      redirectedDigests += hop.header.digestFields(ofRedirect: true)
      hop.outcome = .follow(next)
      return drain()
    }
  }

  /// Whether a redirect leads where an earlier one led; another signature makes no other place.
  private func isCircle(_ location: String?, from url: HopURL) -> Bool {
    guard let location, case .success(let next) = url.following(location) else { return false }
    return next.text == url.text || passed.contains(next.text)
  }

  /// Whether an unwanted body is worth reading on.
  private func drain() -> Bool {
    switch hop?.framing {
    case .some(.none): return true
    case .length(let length) where length <= Self.drainLimit: break
    case .chunked: break
    default: return false
    }
    hop?.drainDeadline = .now + Self.drainTime * timeScale
    return true
  }

  /// Notes how the exchange ends; libcurl is to stop.
  private func fail(_ cause: (String) -> FailureCause) -> Bool {
    if let url = hop?.url.text { hop?.outcome = .end(.failed(cause(url))) }
    return false
  }

  // MARK: What the client is told

  func tell(_ note: ExchangeNote) {
    guard !isOver else { return }
    pulse.count += 1
    client.exchange(id, note: note)
  }

  /// Tells of a request that is over, whatever became of the exchange.
  func tell(trace hop: Hop) {
    guard pulse.connections != nil else { return }
    client.exchange(id, traced: hop.trace(method: request.method, at: .now))
  }

  func tell(end: ExchangeEnd) {
    guard !isOver else { return }
    isOver = true
    pulse.count += 1
    client.exchange(id, ended: end, totals: totals)
  }
}
