import ContentPipeline
import LocalFiles
import Planning
import Platform
import SyncModel
import Transfer

/// Sends bodies to a cache on a server, beside the work of the run: on a thread of its own, with connections of its own.
///
/// Whatever goes wrong with it costs the run nothing but the time that ``finish(within:_:)`` waits.
final class UploadWorker: Sendable {
  /// What has come of it.
  struct Account: Sendable {
    var stored = 0
    var errors = 0
    /// The first one.
    var fault: RemoteCacheFault?
    /// Orders that were given up.
    var left = 0
    /// Files that had other bytes than their names say, and were removed.
    var bad: [HexDigest] = []
  }

  struct State: Sendable {
    var waiting = Queue<UploadOrder>()
    /// The orders that need a spooled file; several targets may have the same bytes.
    var spooled: [HexDigest: Int] = [:]
    var account = Account()
    var patience = CachePatience()
    /// Once the run has nothing else to do: when it stops waiting.
    var deadline: Duration?
    /// Ends the waiting before that.
    var stop: StopSignal?
    var isBegun = false
    var isOver = false
    var waker: (any ExchangeWaker)?
  }

  let settings: RemoteCacheSettings
  let run: RunSettings
  let secrets: SecretMask
  let hosts: HostLimits
  let state = Monitor(State())
  private let thread = WorkerPool(threads: 1)

  /// `hosts` limit these requests too, apart from the others of the run.
  init(
    _ settings: RemoteCacheSettings, _ run: RunSettings, _ secrets: SecretMask, _ hosts: HostLimits
  ) {
    self.settings = settings
    self.run = run
    self.secrets = secrets
    self.hosts = hosts
  }

  /// Sends a body, later.
  func add(_ order: UploadOrder) {
    let (isTaken, isFirst, waker) = state.withLock { state -> (Bool, Bool, (any ExchangeWaker)?) in
      guard !state.isOver else { return (false, false, nil) }
      state.waiting.append(order)
      defer { state.isBegun = true }
      return (true, !state.isBegun, state.waker)
    }
    guard isTaken else {
      if order.isSpooled { release(order.sha256, in: order.folder) }
      return
    }
    if isFirst { thread.submit { [self] in UploadLoop(self).work() } }
    state.wakeAll()
    waker?.wake()
  }

  /// A file with this digest will be spooled, for an order that is added or ``release(_:in:)``d later.
  func hold(_ sha256: HexDigest) {
    state.withLock { $0.spooled[sha256, default: 0] += 1 }
  }

  /// An order does not need its spooled file any more; with the last one, the file goes.
  func release(_ sha256: HexDigest, in folder: CacheFolder) {
    // Under the lock, so that no file goes that is held meanwhile.
    state.withLock { state in
      let left = (state.spooled[sha256] ?? 1) - 1
      state.spooled[sha256] = left > 0 ? left : nil
      if left <= 0 { folder.remove(sha256) }
    }
  }

  /// Waits until everything is sent, nothing gets on, `time` is over, or `stop` asks to end; returns what has come of it.
  func finish(within time: Duration, _ stop: StopSignal) -> Account {
    let waker = state.withLock { state -> (any ExchangeWaker)? in
      state.deadline = MachineClock().monotonic() + time
      state.stop = stop
      if !state.isBegun { state.isOver = true }
      return state.waker
    }
    state.wakeAll()
    waker?.wake()
    let account = state.wait { $0.isOver ? $0.account : nil }
    thread.shutDown()
    return account
  }
}

/// The turns of an ``UploadWorker``'s thread.
private final class UploadLoop {
  /// Bodies on their way at once.
  private static let most = 4
  private let worker: UploadWorker
  private let clock = MachineClock()
  private var network: (any ExchangeNetwork)?
  private var uploads: [Upload] = []
  /// When bytes were sent last, or a reply came.
  private var lastProgress: Duration

  init(_ worker: UploadWorker) {
    self.worker = worker
    lastProgress = clock.monotonic()
  }

  func work() {
    do throws(FailureCause) {
      let transfer = TransferSettings(
        worker.run.network, hosts: worker.hosts, secrets: worker.secrets,
        timeScale: worker.run.resources.timeScale)
      let network = try TransferLoop(transfer)
      self.network = network
      worker.state.withLock { $0.waker = network.waker }
      while turn(network) {}
    } catch {
      worker.state.withLock { $0.account.fault = $0.account.fault ?? .failed(error) }
    }
    end()
  }

  /// Whether there may be another.
  private func turn(_ network: any ExchangeNetwork) -> Bool {
    if uploads.isEmpty {
      // Nothing is under way: the thread sleeps until there is something, or nothing will be.
      let goesOn = worker.state.wait { state -> Bool? in
        if state.patience.isOver { return false }
        if !state.waiting.isEmpty { return true }
        return state.deadline == nil ? nil : false
      }
      guard goesOn else { return false }
      lastProgress = clock.monotonic()
    }
    while uploads.count < Self.most, !worker.isInVain,
      let order = worker.state.withLock({ $0.waiting.popFirst() })
    {
      let upload = Upload(
        order, isToldWhy: worker.settings.keys != nil, isInVain: { [worker] in worker.isInVain },
        start: { [unowned self] in start(&$0, $1) }, done: { [unowned self] in ended($0, $1) })
      uploads.append(upload)
      upload.begin()
    }
    network.poll(timeout: CachePatience.stride)
    let now = clock.monotonic()
    let pause = uploads.isEmpty ? .zero : now - lastProgress
    if worker.isInVain { return false }
    return worker.state.withLock { state -> Bool in
      let longest = state.deadline == nil ? UploadWorker.longestPause : UploadWorker.longestLastPause
      if pause > longest * worker.run.resources.timeScale { state.note(.slow) }
      return !state.patience.isOver
    }
  }

  private func end() {
    for upload in uploads { upload.cancel(network) }
    let left = worker.state.withLock { state in
      var left = uploads.map(\.order)
      while let order = state.waiting.popFirst() { left.append(order) }
      state.account.left = left.count
      return left
    }
    for order in left where order.isSpooled { worker.release(order.sha256, in: order.folder) }
    uploads = []
    network = nil
    worker.state.withLock { state in
      state.waker = nil
      state.isOver = true
    }
    worker.state.wakeAll()
  }

  /// Sends the next request of an upload; `nil` if it is too late for it.
  private func start(_ request: inout ExchangeRequest, _ upload: Upload) -> Result<
    ExchangeID, RemoteCacheFault
  >? {
    request.isForCache = true
    request.timeouts = Timeouts(connect: .seconds(3), stall: .seconds(15))
    if let body = request.body { request.body = WatchedBody(body) { [unowned self] in noteProgress() } }
    do throws(RemoteCacheFault) {
      guard try authorise(&request, upload) else { return nil }
    } catch {
      return .failure(error)
    }
    // A program may have been asked first.
    lastProgress = clock.monotonic()
    guard let network else { return .failure(.slow) }
    return .success(network.start(request, client: upload))
  }

  /// Says where the request goes, and who asks; whether it is not too late. Throws what is wrong if nobody can tell.
  private func authorise(_ request: inout ExchangeRequest, _ upload: Upload) throws(RemoteCacheFault) -> Bool
  {
    if let keys = worker.settings.keys {
      let found = keys.find(at: clock.now(), timeScale: worker.run.resources.timeScale) { [worker] in
        worker.isInVain
      }
      switch found {
      case .success(let access): access.complete(&request, body: upload.sentDigest)
      case .failure(.process(.stopped)): return false
      case .failure(let fault): throw .noKey(fault)
      }
      return true
    }
    request.url = worker.settings.url + "/" + request.url
    guard let helpers = worker.run.routes.helpers, let rule = helpers.rule(for: request.url),
      let origin = WebURL(request.url)?.origin
    else {
      request.authentication = .netrc
      return true
    }
    let limit = CredentialHelpers.Limit(time: HelperReply.longestTimeForCache) { [worker] in worker.isInVain }
    let answer = helpers.headers(
      rule, for: request.url, origin, at: clock.now(), limit, timeScale: worker.run.resources.timeScale)
    switch answer {
    case .success(let headers): request.headers = headers
    case .failure(.helperFailed(_, _, .stopped)): return false
    case .failure(let cause):
      // Who would read has the same program.
      _ = worker.settings.health.note { $0.failed(.failed(cause)) }
      throw .failed(cause)
    }
    return true
  }

  private func noteProgress() { lastProgress = clock.monotonic() }

  private func ended(_ upload: Upload, _ outcome: Upload.Outcome) {
    noteProgress()
    uploads.removeAll { $0 === upload }
    if upload.order.isSpooled { worker.release(upload.order.sha256, in: upload.order.folder) }
    worker.state.withLock { state in
      switch outcome {
      case .stored:
        state.account.stored += 1
        state.patience.succeeded()
      case .present: state.patience.succeeded()
      case .lost: break
      case .damaged: state.account.bad.append(upload.order.sha256)
      case .failed(let fault): state.note(fault)
      }
    }
  }
}

extension UploadWorker {
  /// A server that takes no byte for longer is given up.
  static let longestPause = Duration.seconds(10)
  /// The same while the run waits for nothing else.
  static let longestLastPause = Duration.milliseconds(2500)

  /// Whether nobody waits for the uploads any more; any thread.
  fileprivate var isInVain: Bool {
    if settings.health.isOver { return true }
    let (isOver, deadline, stop) = state.withLock { ($0.patience.isOver, $0.deadline, $0.stop) }
    return isOver || stop?.isStopped == true || deadline.map { MachineClock().monotonic() >= $0 } == true
  }
}

extension UploadWorker.State {
  /// Something is wrong with the server.
  mutating func note(_ fault: RemoteCacheFault) {
    account.errors += 1
    account.fault = account.fault ?? fault
    patience.failed(fault)
  }
}

/// A body that tells when bytes of it are sent.
private final class WatchedBody: RequestBody, @unchecked Sendable {
  private let body: any RequestBody
  private let sent: () -> Void

  init(_ body: any RequestBody, sent: @escaping () -> Void) {
    self.body = body
    self.sent = sent
  }

  var size: Int64 { body.size }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    sent()
    return unsafe body.read(into: buffer)
  }

  func rewind() { body.rewind() }
}
