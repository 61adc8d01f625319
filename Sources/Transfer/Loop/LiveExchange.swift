import SyncModel

/// The shared data of a loop and its exchanges.
final class LoopContext {
  /// Counts the calls to clients, so that a poll knows whether to return.
  var count = 0
  /// The time of the last call of libcurl: precise enough for time limits, and a reply has a dozen lines.
  var now = MonotonicInstant.now
  /// `nil` if not requested.
  var connections: ConnectionNumbers?
  /// The https origins that have replied by HTTP/1, and are asked so from then on.
  var serialOrigins: Set<WebOrigin> = []
  /// The other exchanges that wait for a reply on the connection of this one's.
  var sharers: (LiveExchange) -> [LiveExchange] = { _ in [] }
  /// What an untrusted manifest may do; `nil` for one that is trusted.
  var policy: NetworkPolicy?
  /// Why a URL must not be asked of the proxy that its scheme has.
  var proxyRefusal: (HopURL) -> FailureCause? = { _ in nil }
  /// Whether connections lead to the servers themselves, by scheme.
  var isDirect: (String) -> Bool = { _ in true }
  /// Has their requests repeated.
  var takeBack: ([LiveExchange]) -> Void = { _ in }
}

/// An exchange from its start to its end, with the hop that is under way; fed by libcurl's callbacks.
final class LiveExchange: HopOwner {
  /// An unwanted body is read up to this time and size, to keep its connection; else the connection is closed.
  static let drainLimit: Int64 = 64 << 10
  static let drainTime = Duration.seconds(1)
  static let redirectLimit = 10

  let id: ExchangeID
  let request: ExchangeRequest
  let first: HopURL
  let timeScale: Double
  private let client: any ExchangeClient
  private let pulse: LoopContext
  /// The next hop's URL, while there is no hop.
  var next: HopURL
  var hop: Hop?
  var redirects = 0
  /// The resources that have led on.
  private var passed: [String] = []
  /// The file's digests in the redirects so far.
  private var redirectedDigests: [DigestField] = []
  /// Whether the next hop must not share or inherit a connection.
  var wantsNewConnection = false
  /// When the first request of all went out; `nil` before.
  var firstSentAt: MonotonicInstant?
  var totals = ExchangeTotals()
  /// Whether the client got the end, or wants no more events.
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
    if pulse.policy != nil, let hop, !isAllowed(hop, over: ends) { return false }
    let now = MonotonicInstant.now
    if pulse.connections != nil, let hop {
      hop.isFirstOnConnection = !hop.handle.usedOldConnection
      hop.connection = pulse.connections?.number(ends(), isNew: hop.isFirstOnConnection)
    }
    // libcurl sends a request again if the server has closed the connection that it went over.
    if hop?.sentAt != nil, !request.isForCache, let reached = pulse.policy?.meter.begin() {
      hop?.outcome = .end(.failed(.budgetExceeded(reached)))
      return false
    }
    // Whether the server has seen the first one is not known.
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
    if !request.isForCache, let policy = pulse.policy,
      let reached = policy.meter.take(bytes.count, after: hop.received + resumed)
    {
      hop.outcome = .end(.failed(.budgetExceeded(reached)))
      return .stop
    }
    guard !hop.isDecided else {
      unsafe count(bytes)
      return hop.received > Self.drainLimit ? .stop : .taken
    }
    pulse.count += 1
    let reception = unsafe client.exchange(id, received: bytes)
    switch reception {
    case .taken: unsafe count(bytes)
    case .full:
      hop.isPaused = true
      if !request.isForCache { pulse.policy?.meter.giveBack(bytes.count) }
    case .stop:
      unsafe count(bytes)
      hop.outcome = .end(.stopped)
    }
    return isOver ? .stop : reception
  }

  override func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard !isOver else { return nil }
    hop?.lastByteAt = .now
    return unsafe request.body?.read(into: buffer)
  }

  /// The bytes of the file before those of the reply.
  private var resumed: Int64 {
    guard let hop, hop.header.status == 206 else { return 0 }
    return request.resume?.offset ?? 0
  }

  /// Whether the server at the other end may be asked: a connection that is used again was judged when it was made, and
  /// is judged again.
  private func isAllowed(_ hop: Hop, over ends: () -> ConnectionEnds) -> Bool {
    guard pulse.isDirect(hop.url.origin.scheme), !hop.handle.admits(NetworkAddress(ends().address)) else {
      return true
    }
    hop.outcome = hop.handle.refusedAddress.map {
      .end(.failed(.addressRefused(url: hop.url.text, $0.address, $0.what)))
    }
    return false
  }

  private func count(_ bytes: UnsafeRawBufferPointer) {
    hop?.received += Int64(bytes.count)
    totals.bytes += Int64(bytes.count)
  }

  // MARK: What a complete header means

  private func headerIsComplete() -> Bool {
    guard let hop else { return false }
    // The loop's clock does not advance within a turn, in which the request may have been sent, too.
    hop.repliedAt = max(pulse.now, hop.sentAt ?? pulse.now)
    if hop.header.version == 1, !hop.avoidsStreams, mayBeAnothers(hop) { return false }
    switch BodyFraming.of(
      hop.header, method: request.method, mayBeStream: hop.url.origin.scheme == "https")
    {
    case .failure(let fault): return fail { .protocolError(url: $0, fault) }
    case .success(let announcement):
      hop.framing = announcement.framing
      hop.announced = announcement.length
      tell(.response(status: hop.header.status, url: hop.url.text, length: announcement.length))
      if isOver { return false }
      if let length = announcement.length, request.method == .get, !request.isForCache,
        let reached = pulse.policy?.meter.exceeds(length, after: resumed)
      {
        return fail { _ in .budgetExceeded(reached) }
      }
      if [301, 302, 303, 307, 308].contains(hop.header.status), request.method != .put, request.signing == nil
      {
        return redirect(from: hop)
      }
      var head = ResponseHead(hop.header, url: hop.url.text, length: announcement.length)
      head.isSigned = hop.url.isSigned
      head.endIsProvable = announcement.framing != .connection
      if !redirectedDigests.isEmpty { head.digestFields = redirectedDigests + head.digestFields }
      return deliver(head)
    }
  }

  /// Whether the reply may belong to another request.
  ///
  /// If a host has an HTTP/2 connection, libcurl (7.88) also sends such requests on an HTTP/1 connection that waits
  /// for another reply, and gives the replies to the first reader (curl issue 4885). Some hosts use both: those
  /// behind a load balancer, or a proxy that intercepts TLS. So after the first reply over HTTP/1, HTTP/2 is no
  /// longer used there.
  private func mayBeAnothers(_ hop: Hop) -> Bool {
    guard hop.url.origin.scheme == "https" else { return false }
    pulse.serialOrigins.insert(hop.url.origin)
    let sharers = pulse.sharers(self)
    guard !sharers.isEmpty else { return false }
    hop.outcome = .repeatOnNewConnection
    pulse.takeBack(sharers)
    return true
  }

  /// The reply came before the exchange was started: a 304 with nothing new.
  ///
  /// Returns how it ends; `nil` if it is already over.
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
    let shown = HopURL.shown(locations.first ?? "")
    if !request.isForCache, let limit = pulse.policy?.policy.limits.redirects, redirects >= limit,
      limit < Self.redirectLimit
    {
      return fail { _ in .budgetExceeded(.redirects(limit)) }
    }
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
      if let cause = refusal(of: next, from: hop.url) { return fail { _ in cause } }
      redirectedDigests += hop.header.digestFields(ofRedirect: true)
      hop.outcome = .follow(next)
      return drain()
    }
  }

  /// Why a redirect must not be followed; the user's own mirror may lead to itself.
  private func refusal(of next: HopURL, from url: HopURL) -> FailureCause? {
    if request.mirroredResource != nil, next.origin == first.origin { return nil }
    guard let policy = pulse.policy, !request.isForCache else { return pulse.proxyRefusal(next) }
    return policy.refusal(of: next, from: url.text)
  }

  /// Whether a redirect leads to an earlier URL; another signature is not another URL.
  private func isCircle(_ location: String?, from url: HopURL) -> Bool {
    guard let location, case .success(let next) = url.following(location) else { return false }
    return next.text == url.text || passed.contains(next.text)
  }

  /// Whether the rest of an unwanted body should be read.
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

  // MARK: Calls to the client

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
