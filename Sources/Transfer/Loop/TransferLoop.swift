import CCurlShim
package import SyncModel

/// Exchanges requests and replies with web servers, many at once, over one libcurl multi handle.
///
/// Everything happens inside ``poll(timeout:)``, on the one thread that uses the loop; only ``waker`` is for other
/// threads. libcurl handles connections, TLS, proxies and message framing. This module decides about redirects,
/// conditions, limits, timeouts and the proof that a body is complete (docs/architecture.md).
package final class TransferLoop: ExchangeNetwork {
  private let settings: TransferSettings
  private let multi: MultiHandle
  private let early: EarlyReplies?
  private let startedAt: MonotonicInstant
  /// Exchanges that were answered before they began; reported in the next poll.
  private var answered: [(exchange: LiveExchange, reply: EarlyReplies.Reply)] = []
  private let queues: HostQueues
  private let pulse = LoopContext()
  /// Every exchange that was started and has not ended.
  private var exchanges: [ExchangeID: LiveExchange] = [:]
  /// The exchanges that have made a request, or wait for the host to which a redirect led.
  private var underWay: [ExchangeID: LiveExchange] = [:]
  private var idleHandles: [EasyHandle] = []
  private var lastNumber = 0
  /// The URL of the last started exchange.
  private var lastURL: HopURL?
  /// Starts that failed at once; reported in the next poll.
  private var unstarted: [(id: ExchangeID, client: any ExchangeClient, cause: FailureCause)] = []
  private var resumed: [ExchangeID] = []
  /// Cancelled while libcurl was running, when no handle may be touched.
  private var cancelled: [LiveExchange] = []
  /// Hops whose requests were taken back while libcurl was running.
  private var takenBack: [(exchange: LiveExchange, hop: Hop)] = []
  /// Adopted transfers with a kept body, by exchanges that have no room for it yet.
  private var held: [ExchangeID: RoundSlot] = [:]
  private var isInsideCurl = false
  private var needsPerform = false

  /// Loads libcurl, if it is there, so that it need not be waited for later; any thread.
  package static func prepare() { _ = CurlLibrary.isLoaded }

  /// Loads libcurl; throws ``FailureCause/libraryMissing(name:purpose:)`` if it is missing or
  /// too old.
  ///
  /// - `early`: earlier requests with the same settings, which must not be repeated.
  package init(_ settings: TransferSettings, after early: EarlyReplies? = nil) throws(FailureCause) {
    try CurlLibrary.load()
    self.settings = settings
    if let early, early.end < .now { early.drop() }
    self.early = early
    startedAt = .now
    queues = HostQueues(limits: settings.hosts, timeScale: settings.timeScale)
    if let early { multi = early.multi } else { multi = try MultiHandle(settings) }
    for slot in early?.live ?? [] where slot.code == nil {
      slot.charge = HopURL(early?.url(of: slot) ?? "").map {
        queues.occupy($0.origin, isStream: slot.isStream)
      }
    }
    if settings.tracesRequests { pulse.connections = ConnectionNumbers(after: settings.connectionsBefore) }
    pulse.serialOrigins = early?.serialOrigins ?? []
    if let policy = settings.policy {
      pulse.policy = policy
      pulse.isDirect = { settings.proxies.proxy(forScheme: $0) == nil }
    }
    pulse.proxyRefusal = settings.proxyRefusal
    pulse.sharers = { [unowned self] in sharers(with: $0) }
    pulse.takeBack = { [unowned self] in takeBack($0) }
  }

  deinit {
    for exchange in exchanges.values {
      if let hop = exchange.hop { multi.remove(hop.handle) }
    }
  }

  /// Takes an exchange on; it begins in the next poll, or when its host has room.
  package func start(_ request: ExchangeRequest, client: any ExchangeClient) -> ExchangeID {
    lastNumber += 1
    let id = ExchangeID(number: lastNumber)
    guard let url = HopURL(request.url, after: lastURL) else {
      unstarted.append((id, client, .internalError("this is no URL that can be fetched: \(request.url)")))
      return id
    }
    lastURL = url
    if let cause = refusal(of: url, request) {
      unstarted.append((id, client, cause))
      return id
    }
    let exchange = LiveExchange(
      id: id, request: request, url: url, client: client, timeScale: settings.timeScale, pulse: pulse)
    exchanges[id] = exchange
    if let reply = early?.take(request, url, sending: plainRequest(request, url)) {
      answered.append((exchange, reply))
      return id
    }
    queues.enqueue(id, for: url.origin, isUnderWay: false, isForCache: request.isForCache)
    return id
  }

  /// Why a request must not be sent, whatever the address of its host turns out to be.
  ///
  /// A mirror of the user's configuration is the user's choice, except for its address.
  private func refusal(of url: HopURL, _ request: ExchangeRequest) -> FailureCause? {
    guard request.mirroredResource == nil, !request.isForCache else { return nil }
    if let policy = settings.policy { return policy.refusal(of: url) }
    return settings.proxyRefusal(of: url)
  }

  /// Continues an exchange whose client returned ``BodyReception/full``; does nothing for any other.
  package func resume(_ id: ExchangeID) { resumed.append(id) }

  /// Ends an exchange without further calls to its client, and returns its cost; nothing for an ended one.
  @discardableResult
  package func cancel(_ id: ExchangeID) -> ExchangeTotals {
    unstarted.removeAll { $0.id == id }
    guard let exchange = exchanges.removeValue(forKey: id) else { return ExchangeTotals() }
    exchange.isOver = true
    for (_, reply) in answered.filter({ $0.exchange === exchange }) { reply.transfer.map(hangUp) }
    answered.removeAll { $0.exchange === exchange }
    if isInsideCurl { cancelled.append(exchange) } else { detach(exchange) }
    return exchange.totals
  }

  /// Lets other threads end a poll's waiting.
  package var waker: any ExchangeWaker { TransferWaker(multi: multi) }

  /// Exchanges that were started and have neither ended nor been cancelled, those in line included.
  package var activeCount: Int { exchanges.count + unstarted.count }

  /// Requests that a host may have under way at once over HTTP/2.
  package static let streamLimit = StreamRoom.most

  /// The hosts that were found to speak HTTP/2 since the last call.
  package func takeStreamHosts() -> [String] { queues.takeStreamHosts() }

  /// Does everything that is possible; if no client got an event, waits for more, up to the limit.
  ///
  /// Returns early after a wakeup and when an exchange's timeout is first. Clients are called only in here.
  package func poll(timeout: Duration) {
    let before = pulse.count
    turn()
    guard pulse.count == before, resumed.isEmpty, unstarted.isEmpty, answered.isEmpty else { return }
    multi.wait(milliseconds: milliseconds(toWait: timeout))
    needsPerform = true
    turn()
  }

  // MARK: One turn

  /// A few rounds, so that what a reply's end makes room for goes out before anybody waits.
  private func turn() {
    for _ in 0..<4 {
      failUnstarted()
      tellAnswered()
      resumePaused()
      admit()
      guard needsPerform else { break }
      needsPerform = false
      insideCurl { multi.perform() }
      settleProtocols()
      while let (owner, code) = multi.nextDone() {
        if let exchange = owner.exchange { finish(exchange, code) } else { early?.noteEnd(of: owner, code) }
      }
    }
    expire()
  }

  private func insideCurl(_ body: () -> Void) {
    isInsideCurl = true
    pulse.now = .now
    body()
    isInsideCurl = false
    while let exchange = cancelled.popLast() { detach(exchange) }
    while let (exchange, hop) = takenBack.popLast() {
      if exchange.hop === hop { finish(exchange, .repeatOnNewConnection) }
    }
  }

  private func failUnstarted() {
    let failed = unstarted
    unstarted = []
    for (id, client, cause) in failed {
      pulse.count += 1
      client.exchange(id, ended: .failed(cause), totals: ExchangeTotals())
    }
  }

  /// The request of a hop that is only examined; `nil` if it cannot be sent.
  private func plainRequest(_ request: ExchangeRequest, _ url: HopURL) -> HopRequest? {
    try? HopRequest(request, at: url, first: url, secrets: settings.secrets)
  }

  /// Reports replies that came before their exchanges were started.
  private func tellAnswered() {
    hangUpUnwanted()
    let replies = answered
    answered = []
    for (exchange, reply) in replies {
      exchange.tell(
        .request(
          method: exchange.request.method.rawValue, url: exchange.first.text, conditions: reply.conditions))
      if let transfer = reply.transfer {
        adopt(transfer, for: exchange)
      } else if let end = exchange.receiveConfirmation() {
        self.end(exchange, end)
      }
    }
  }

  /// Cancels transfers that were not adopted in time, and all of them if every exchange waits for a connection: an
  /// exchange that waits for a host may precede the one that would adopt them.
  private func hangUpUnwanted() {
    guard let early, !early.live.isEmpty else { return }
    if early.end < .now { early.live.forEach(hangUp) }
    if underWay.isEmpty, answered.isEmpty, queues.isAnyoneHeldUp {
      early.live.filter { $0.charge != nil }.forEach(hangUp)
    }
  }

  private func hangUp(on transfer: RoundSlot) {
    early?.hangUp(on: transfer)
    transfer.charge.map(queues.release)
    transfer.charge = nil
  }

  /// Makes a transfer that is under way, or over, the exchange's first hop.
  private func adopt(_ transfer: RoundSlot, for exchange: LiveExchange) {
    let url = exchange.first
    // The time between the round's end and this loop's start does not count.
    let began = transfer.startedAt + max(.zero, startedAt - (early?.madeAt ?? startedAt))
    let charge = transfer.charge ?? queues.occupy(url.origin, isStream: transfer.isStream)
    transfer.charge = nil
    // A round that saw its host speak both ways has left nothing to adopt.
    let hop = Hop(
      url: url, handle: transfer.handle, charge: charge,
      avoidsStreams: pulse.serialOrigins.contains(url.origin), at: began)
    exchange.hop = hop
    underWay[exchange.id] = exchange
    pulse.now = .now
    hop.lastByteAt = pulse.now
    if transfer.isSent {
      _ = exchange.requestGoesOut { ConnectionEnds(address: "", port: 0, localPort: 0) }
      // The time that was already waited counts.
      exchange.firstSentAt = began
      hop.sentAt = began
      if transfer.reply.isEmpty { hop.lastByteAt = began }
    }
    var goesOn = true
    unsafe transfer.replayHeader { line in
      goesOn = unsafe exchange.receive(headerLine: line)
      return goesOn
    }
    transfer.adopt(by: exchange)
    needsPerform = true
    if goesOn { deliverBody(of: transfer, to: exchange) } else { finish(exchange, CURLE_WRITE_ERROR) }
  }

  /// Passes the kept body to the exchange that has adopted the transfer, and then the end if the transfer has ended.
  private func deliverBody(of transfer: RoundSlot, to exchange: LiveExchange) {
    if !transfer.body.isEmpty {
      switch unsafe transfer.body.withUnsafeBytes({ unsafe exchange.receive(body: $0) }) {
      case .taken: break
      case .full:
        held[exchange.id] = transfer
        return
      case .stop: return finish(exchange, CURLE_WRITE_ERROR)
      }
    }
    if let code = transfer.code {
      finish(exchange, code)
    } else if transfer.isPaused {
      exchange.hop?.isPaused = true
      resumed.append(exchange.id)
    }
  }

  private func resumePaused() {
    let ids = resumed
    resumed = []
    for id in ids {
      guard let exchange = exchanges[id], let hop = exchange.hop, hop.isPaused else { continue }
      exchange.hop?.isPaused = false
      exchange.hop?.lastByteAt = .now
      if let transfer = held.removeValue(forKey: id) {
        deliverBody(of: transfer, to: exchange)
        continue
      }
      needsPerform = true
      var code = CURLE_OK
      insideCurl { code = hop.handle.resume() }
      // libcurl 7.88 offers the held data inside this call, and forgets the transfer if they are refused.
      if code != CURLE_OK { finish(exchange, code) }
    }
  }

  /// Whether one more exchange may begin.
  private var mayBegin: Bool { underWay.count < max(1, settings.totalConnections) }

  private func admit() {
    queues.refreshPaced()
    while let (id, charge) = queues.next(mayBegin: mayBegin) {
      guard let exchange = exchanges[id] else {
        queues.release(charge)
        continue
      }
      underWay[id] = exchange
      do {
        try begin(exchange, charge)
      } catch {
        queues.release(charge)
        end(exchange, .failed(error))
      }
    }
  }

  /// Hands the exchange's next hop to libcurl.
  private func begin(_ exchange: LiveExchange, _ charge: HostQueues.Charge) throws(FailureCause) {
    if !exchange.request.isForCache, let reached = settings.policy?.meter.begin() {
      throw .budgetExceeded(reached)
    }
    let url = exchange.next
    let request = try HopRequest(
      exchange.request, at: url, first: exchange.first, secrets: settings.secrets)
    guard let handle = idleHandles.popLast() ?? EasyHandle() else {
      throw .internalError("libcurl has no memory")
    }
    let avoidsStreams = pulse.serialOrigins.contains(url.origin)
    exchange.request.body?.rewind()
    try handle.prepare(
      request, of: exchange.request, url: url, settings: settings,
      onNewConnection: exchange.wantsNewConnection, avoidsStreams: avoidsStreams, owner: exchange)
    exchange.wantsNewConnection = false
    guard multi.add(handle) else { throw .internalError("libcurl takes no further request") }
    exchange.hop = Hop(url: url, handle: handle, charge: charge, avoidsStreams: avoidsStreams, at: .now)
    needsPerform = true
    exchange.tell(
      .request(method: exchange.request.method.rawValue, url: url.text, conditions: request.conditions))
  }

  /// Lets the queues know which hosts turned out to speak HTTP/2.
  private func settleProtocols() {
    for exchange in underWay.values {
      guard let hop = exchange.hop, !hop.isSettled, hop.header.status != 0 else { continue }
      queues.settle(
        &hop.charge, isStream: hop.header.version > 1 && hop.url.origin.scheme == "https",
        hasMadeConnection: !hop.handle.usedOldConnection)
      hop.isSettled = true
    }
  }

  // MARK: The end of a hop

  private func finish(_ exchange: LiveExchange, _ code: CURLcode) {
    guard let hop = exchange.hop else { return }
    var outcome = hop.outcome ?? .end(hop.endOfGoodReply)
    if !hop.isDecided, code != CURLE_OK {
      let text = hop.handle.errorText(code)
      let cause =
        Self.refusal(of: hop)
        ?? FailureCause(
          code, text: text, systemError: hop.handle.systemError, hop: hop,
          statusOfProxy: hop.handle.statusOfProxy,
          proxy: settings.proxies.shownProxy(forScheme: hop.url.origin.scheme))
      outcome = Self.isInherited(cause, by: hop) ? .repeatOnNewConnection : .end(.failed(cause))
    }
    finish(exchange, outcome)
  }

  /// Why no connection was made, if none was allowed.
  private static func refusal(of hop: Hop) -> FailureCause? {
    guard hop.sentAt == nil, let refused = hop.handle.refusedAddress else { return nil }
    return .addressRefused(url: hop.url.text, refused.address, refused.what)
  }

  /// Whether what looks like a broken reply may be the end of the reply before it on the same connection.
  ///
  /// A body after a 304, or one longer than announced, leaves such an end. libcurl 7.88 does not see it before
  /// it uses the connection again.
  private static func isInherited(_ cause: FailureCause, by hop: Hop) -> Bool {
    guard case .protocolError = cause else { return false }
    return hop.header.status == 0 && hop.handle.usedOldConnection
  }

  /// See ``LoopContext/sharers``.
  private func sharers(with first: LiveExchange) -> [LiveExchange] {
    guard let mine = first.hop else { return [] }
    return underWay.values.filter { exchange in
      guard exchange !== first, let hop = exchange.hop, !hop.avoidsStreams, hop.sentAt != nil else {
        return false
      }
      // A complete reply, whose end was not reported yet, holds no connection any more.
      return !hop.isWhole && hop.url.origin == mine.url.origin && hop.mayShareConnection(with: mine)
    }
  }

  private func takeBack(_ exchanges: [LiveExchange]) {
    for exchange in exchanges {
      guard let hop = exchange.hop, hop.framing == nil else { continue }
      hop.outcome = .repeatOnNewConnection
      takenBack.append((exchange, hop))
    }
  }

  private func finish(_ exchange: LiveExchange, _ outcome: Hop.Outcome) {
    let from = exchange.hop?.url.text
    detachHop(of: exchange)
    switch outcome {
    case .end(let end): self.end(exchange, end)
    case .repeatOnNewConnection:
      exchange.wantsNewConnection = true
      queues.enqueue(
        exchange.id, for: exchange.next.origin, isUnderWay: true, isForCache: exchange.request.isForCache)
    case .repeatWithoutStreams:
      queues.enqueue(
        exchange.id, for: exchange.next.origin, isUnderWay: true, isForCache: exchange.request.isForCache)
    case .follow(let url):
      exchange.next = url
      exchange.redirects += 1
      queues.enqueue(
        exchange.id, for: url.origin, isUnderWay: true, isForCache: exchange.request.isForCache)
      if let from { exchange.tell(.redirect(from: from, to: url.text)) }
    }
  }

  private func end(_ exchange: LiveExchange, _ end: ExchangeEnd) {
    exchanges[exchange.id] = nil
    detach(exchange)
    exchange.tell(end: end)
  }

  private func detach(_ exchange: LiveExchange) {
    detachHop(of: exchange)
    underWay[exchange.id] = nil
  }

  private func detachHop(of exchange: LiveExchange) {
    guard let hop = exchange.hop else { return }
    held[exchange.id] = nil
    exchange.hop = nil
    exchange.tell(trace: hop)
    multi.remove(hop.handle)
    hop.handle.clear()
    idleHandles.append(hop.handle)
    queues.release(hop.charge)
  }

  // MARK: Time

  private func expire() {
    let now = MonotonicInstant.now
    if let reached = settings.policy?.reached {
      // Also those in line, since a manifest's rate may keep them there for long. What was answered has its turn first.
      let replied = Set(answered.map { $0.exchange.id })
      let unanswered = exchanges.values.filter { !replied.contains($0.id) }
      for exchange in unanswered.sorted(by: { $0.id.number < $1.id.number }) where !exchange.isOver {
        finish(exchange, .end(.failed(.budgetExceeded(reached))))
      }
    }
    let late = underWay.values.filter { exchange in Deadline(of: exchange).map { $0.moment <= now } ?? false }
    for exchange in late.sorted(by: { $0.id.number < $1.id.number }) where !exchange.isOver {
      guard let deadline = Deadline(of: exchange) else { continue }
      finish(exchange, deadline.outcome(of: exchange))
    }
  }

  private func milliseconds(toWait timeout: Duration) -> Int32 {
    let now = MonotonicInstant.now
    var wait = max(timeout, .zero)
    if let early, !early.live.isEmpty { wait = min(wait, max(.zero, early.end - now)) }
    if let policy = settings.policy, policy.reached == nil, let left = policy.timeLeft {
      wait = min(wait, left)
    }
    if let next = queues.timeToNext(mayBegin: mayBegin) { wait = min(wait, next) }
    for exchange in underWay.values {
      if let deadline = Deadline(of: exchange) { wait = min(wait, max(.zero, deadline.moment - now)) }
    }
    guard wait < .seconds(1 << 20) else { return 1 << 30 }
    let (seconds, attoseconds) = wait.components
    // Rounded up: waking a moment too early would only mean another turn.
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
