import Planning
import SyncModel
import Transfer

/// The cache on a server as one run reads it: asks, keeps account, and gives up what is of no use.
///
/// The driver's thread calls it. Its requests go over the run's network, past the manifest's policy.
final class RemoteCache {
  private(set) var account = CacheAccount()
  private let settings: RemoteCacheSettings
  private let context: Context
  /// The requests that are not over.
  private var requests: [RemoteRequest] = []
  private var isStriding = false
  /// Who waits until requests can be signed.
  private var waiting: [(Result<StoreAccess, StoreKeyFault>) -> Void] = []

  /// What it needs of the run.
  struct Context {
    unowned let driver: Driver
    let secrets: SecretMask
    let hosts: HostLimits
    let report: (RunEvent) -> Void
  }

  init(_ settings: RemoteCacheSettings, _ context: Context) {
    self.settings = settings
    self.context = context
  }

  private var driver: Driver { context.driver }
  private var scale: Double { driver.settings.resources.timeScale }

  /// Whether it is asked for anything.
  var isAsked: Bool { settings.reads && !settings.health.isOver && !driver.isStopped }
  /// Whether it is asked what sources have.
  var trustsRecords: Bool { settings.trust != .digest }

  // MARK: Asking

  /// Asks for the file with this digest, or whether it is there.
  func ask(
    _ kind: RemoteRequest.Kind, file sha256: HexDigest, for target: TargetID,
    answer: @escaping (RemoteRequest.Answer) -> Void
  ) -> RemoteRequest {
    ask(kind, "cas/" + sha256.text, for: target, answer: answer)
  }

  /// Asks for the record of the source with this key; `nil` is also the answer for one that does not count.
  func ask(
    source key: CacheKey, for target: TargetID, answer: @escaping (CacheRecord?) -> Void
  ) -> RemoteRequest {
    let (name, trust) = (LocalCache.name(key), settings.trust)
    return ask(value: name, for: target) { answer($0.flatMap { trust.record(in: $0, at: key, named: name) }) }
  }

  /// Asks for the record of the digest with this key, whoever has put it there.
  func ask(
    digest key: CacheKey, for target: TargetID, answer: @escaping (CacheRecord?) -> Void
  ) -> RemoteRequest {
    ask(value: LocalCache.name(key), for: target) {
      answer($0.flatMap { ActionResult.record(in: $0, at: key) })
    }
  }

  private func ask(
    value name: HexDigest, for target: TargetID, answer: @escaping ([UInt8]?) -> Void
  ) -> RemoteRequest {
    ask(.value, "ac/" + name.text, for: target) { reply in
      if case .value(let bytes) = reply { answer(bytes) } else { answer(nil) }
    }
  }

  private func ask(
    _ kind: RemoteRequest.Kind, _ path: String, for target: TargetID,
    answer: @escaping (RemoteRequest.Answer) -> Void
  ) -> RemoteRequest {
    let made = RemoteRequest(kind, for: target, of: self, at: now, answer: answer)
    requests.append(made)
    if !isStriding { stride() }
    var request = ExchangeRequest(
      url: settings.url + "/" + path, timeouts: Timeouts(connect: .seconds(3), stall: .seconds(3)))
    request.isForCache = true
    if let keys = settings.keys {
      request.url = path
      later { [self] in sign(request, keys) { made.send($0) } }
      return made
    }
    guard driver.settings.routes.helpers?.rule(for: request.url) != nil else {
      request.authentication = .netrc
      // The answer may come at once, and its receiver has to know the request.
      later { made.send(.success(request)) }
      return made
    }
    later { [self] in
      driver.addCredentials(to: request, isOfMirror: true) { made.send($0.mapError { .failed($0) }) }
    }
    return made
  }

  /// Makes a request of what is asked of a cache on S3: at once, or when it is known how.
  private func sign(
    _ request: ExchangeRequest, _ keys: StoreKeys,
    done: @escaping (Result<ExchangeRequest, RemoteCacheFault>) -> Void
  ) {
    func sign(_ access: Result<StoreAccess, StoreKeyFault>) {
      var request = request
      done(
        access.map {
          $0.complete(&request)
          return request
        }.mapError { .noKey($0) })
    }
    if let known = keys.access(at: driver.clock.now()) { return sign(known) }
    waiting.append(sign)
    guard waiting.count == 1 else { return }
    let (began, time, timeScale) = (now, driver.clock.now(), driver.settings.resources.timeScale)
    driver.work(
      { _ in .storeAccess(keys.find(at: time, timeScale: timeScale)) },
      done: { [weak self] letter in
        guard let self, case .storeAccess(let found) = letter else { return }
        // A failure is told of as what it is.
        if case .success = found { waited { [scale, now] in $0.waited(forKey: (now - began) / scale) } }
        let all = waiting
        waiting = []
        for use in all { use(found) }
      })
  }

  /// Whether it is not known yet how the cache is asked.
  private var isWaitingForKey: Bool { !waiting.isEmpty }

  // MARK: What requests need

  var now: Duration { driver.clock.monotonic() }

  func network() throws(FailureCause) -> any ExchangeNetwork { try driver.openNetwork() }
  /// Whether the server says why it refuses something.
  var tellsWhy: Bool { settings.keys != nil }
  func resume(_ id: ExchangeID) { driver.network?.resume(id) }
  func cancel(_ id: ExchangeID) { driver.network?.cancel(id) }
  func later(_ action: @escaping () -> Void) { driver.after(.zero, action) }

  func remove(_ request: RemoteRequest) { requests.removeAll { $0 === request } }

  func tell(_ note: ExchangeNote, of target: TargetID) { context.report(.note(target, note)) }

  func tell(_ trace: RequestTrace, of target: TargetID) {
    var trace = trace
    trace.url = context.secrets.mask(trace.url)
    trace.ended = now
    context.report(.requested(target, trace))
  }

  // MARK: What it is worth

  func succeeded() { _ = settings.health.note { $0.succeeded() } }

  /// An answer says that it does not have what was asked for at `began`.
  func missed(from began: Duration) {
    waited { [scale, now] in $0.missed(from: began / scale, to: now / scale) }
  }

  /// A request was in vain, and took `time`.
  func failed(_ fault: RemoteCacheFault, after time: Duration = .zero) {
    // The run's own limits are no fault of the cache.
    if case .failed(.budgetExceeded) = fault { return }
    account.errors += 1
    judge(fault) { [scale] in $0.failed(fault, after: time / scale) }
  }

  /// A file has other bytes than its name says, which took `time` to see.
  func lied(_ file: HexDigest, after time: Duration) {
    account.bad += 1
    settings.health.noteBad(file)
    judge(.otherBytes) { [scale] in $0.failed(.otherBytes, after: time / scale) }
  }

  private func judge(_ fault: RemoteCacheFault, _ change: (inout CachePatience) -> Void) {
    let isGivenUp = settings.health.note(change)
    if settings.health.trouble.isNow() {
      context.report(.warning(.remoteCacheUnusable(url: settings.url, fault)))
    }
    if isGivenUp { giveUp() }
  }

  /// Nobody waits for it any longer; what comes well, comes to its end.
  private func giveUp() {
    for request in requests where !request.isReceiving || request.progress.bytes < CachePatience.fewestBytes {
      request.giveUp()
    }
  }

  /// Looks now and then whether the run waits for the cache.
  private func stride() {
    isStriding = true
    for request in requests { request.beginStride() }
    driver.after(CachePatience.stride) { [weak self] in
      guard let self else { return }
      isStriding = false
      guard !requests.isEmpty else { return }
      // The key has a time limit of its own, and then counts as a whole.
      if !isWaitingForKey, isWaitedFor { waited { [scale, now] in $0.waited(until: now / scale) } }
      if !requests.isEmpty { stride() }
    }
  }

  /// Notes that somebody has waited in vain.
  private func waited(_ change: (inout CachePatience) -> Void) {
    guard settings.health.note(change) else { return }
    account.errors += 1
    if settings.health.trouble.isNow() {
      context.report(.warning(.remoteCacheUnusable(url: settings.url, .slow)))
    }
    giveUp()
  }

  /// Whether somebody waits for a late answer, or for bodies of which hardly anything comes.
  private var isWaitedFor: Bool {
    let (now, patience) = (now, CachePatience.longestAnswer * scale)
    if requests.contains(where: { $0.progress.waitingSince.map { now - $0 > patience } ?? false }) {
      return true
    }
    let bodies = requests.filter { $0.progress.isOld }
    return !bodies.isEmpty && !bodies.contains { $0.progress.wasFull }
      && bodies.reduce(0) { $0 + $1.progress.bytes } < CachePatience.fewestBytes * Int64(bodies.count)
  }
}
