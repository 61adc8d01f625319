import Planning
import SyncModel
import Transfer

/// One question to a cache on a server; all calls are on the driver's thread.
///
/// A file's bytes wait in the connection until somebody takes them.
final class RemoteRequest {
  /// What is asked for.
  enum Kind {
    /// Whether a file is there.
    case presence
    /// A small value.
    case value
    /// A file.
    case file
  }

  enum Answer {
    /// It is not there, or the cache is of no use.
    case missing
    /// The file has so many bytes.
    case file(size: Int64)
    case value([UInt8])
  }

  /// Who takes a file's bytes.
  @safe struct Receiver {
    let push: (UnsafeRawBufferPointer) -> BodyReception
    /// Whether all of them came.
    let ended: (Bool) -> Void

    init(push: @escaping (UnsafeRawBufferPointer) -> BodyReception, ended: @escaping (Bool) -> Void) {
      unsafe self.push = push
      self.ended = ended
    }
  }

  /// What is read here.
  private struct Reading {
    var value: [UInt8] = []
    /// What the server says of what it does not do.
    var refusal: StoreRefusal?
  }

  /// How it gets on, in the time of a stride.
  struct Progress {
    /// When it was asked.
    let began: Duration
    /// Since when an answer has been waited for; `nil` while none is.
    var waitingSince: Duration?
    /// Bytes of this stride.
    var bytes: Int64 = 0
    /// Whether there is no room for bytes.
    var isPaused = false
    /// Whether that was so in this stride.
    var wasFull = false
    /// Whether it was receiving at the beginning of this stride.
    var isOld = false
  }

  /// More than any record has.
  private static let longestValue = 2 * CacheRecord.longest

  private(set) var progress: Progress
  private let kind: Kind
  private let target: TargetID
  private unowned let cache: RemoteCache
  /// `nil` once it was told.
  private var answer: ((Answer) -> Void)?
  private var receiver: Receiver?
  private var id: ExchangeID?
  private var reading = Reading()
  /// The end of a file that nobody takes yet.
  private var end: ExchangeEnd?
  private var isOver = false

  init(
    _ kind: Kind, for target: TargetID, of cache: RemoteCache, at now: Duration,
    answer: @escaping (Answer) -> Void
  ) {
    self.kind = kind
    self.target = target
    self.cache = cache
    self.answer = answer
    // A helper may be asked first.
    progress = Progress(began: now, waitingSince: now)
  }

  /// Sends the request.
  func send(_ made: Result<ExchangeRequest, RemoteCacheFault>) {
    guard !isOver else { return }
    var request: ExchangeRequest
    switch made {
    case .success(let made): request = made
    case .failure(let fault): return fail(fault)
    }
    do throws(FailureCause) {
      request.method = kind == .presence ? .head : .get
      // Its turn may be late because of others.
      progress.waitingSince = nil
      id = try cache.network().start(request, client: self)
    } catch {
      fail(.failed(error))
    }
  }

  /// Has `receiver` get the file's bytes, in a later turn of the driver.
  func attach(_ receiver: Receiver) {
    self.receiver = receiver
    if let end {
      cache.later { [self] in finish(end) }
    } else if isOver {
      cache.later { receiver.ended(false) }
    } else {
      resume()
    }
  }

  /// There is room again.
  func resume() {
    progress.isPaused = false
    if let id { cache.resume(id) }
  }

  /// Nobody waits for it any more.
  func cancel() {
    guard !isOver else { return }
    close()
    answer = nil
    if let id { cache.cancel(id) }
  }

  /// The cache is given up: who waits for an answer hears that there is none.
  func giveUp() {
    guard !isOver else { return }
    let answer = answer.take()
    cancel()
    answer?(.missing)
    receiver?.ended(false)
  }

  /// A new stride begins.
  func beginStride() {
    progress.bytes = 0
    progress.wasFull = progress.isPaused
    progress.isOld = isReceiving
  }

  /// Whether somebody waits for the next bytes of a file.
  var isReceiving: Bool { receiver != nil && !isOver }

  private func fail(_ fault: RemoteCacheFault) {
    guard !isOver else { return }
    close()
    cache.failed(fault)
    conclude(.missing)
  }

  private func concludeRefusal() {
    guard let refusal = reading.refusal else { return }
    if let fault = refusal.fault { return fail(fault) }
    miss()
  }

  private func miss() {
    close()
    cache.missed(from: progress.waitingSince ?? cache.now)
    conclude(.missing)
  }

  private func conclude(_ answer: Answer) {
    progress.waitingSince = nil
    self.answer.take()?(answer)
  }

  private func close() {
    isOver = true
    cache.remove(self)
  }

  private func finish(_ end: ExchangeEnd) {
    guard !isOver else { return }
    close()
    switch end {
    case .complete:
      receiver?.ended(true)
    case .stopped: break
    case .failed(let cause):
      cache.failed(.failed(cause), after: cache.now - progress.began)
      receiver?.ended(false)
    }
  }
}

extension RemoteRequest: ExchangeClient {
  func exchange(_ id: ExchangeID, note: ExchangeNote) {
    guard !isOver else { return }
    if case .request = note { progress.waitingSince = cache.now }
    cache.tell(note, of: target)
  }

  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
    guard !isOver else { return .drop }
    if cache.tellsWhy, kind != .presence, let refusal = StoreRefusal(head) {
      reading.refusal = refusal
      return .take
    }
    switch CacheReply(head, isFile: kind != .value) {
    case .missing: miss()
    case .faulty(let fault): fail(fault)
    case .there(let size):
      cache.succeeded()
      switch kind {
      case .presence:
        close()
        conclude(.file(size: size ?? 0))
      case .value:
        progress.waitingSince = cache.now
        return .take
      case .file:
        conclude(.file(size: size ?? 0))
        return isOver ? .drop : .take
      }
    }
    return .drop
  }

  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception {
    guard !isOver else { return .stop }
    if reading.refusal != nil {
      guard unsafe reading.refusal?.take(bytes) == false else { return .taken }
      concludeRefusal()
      return .stop
    }
    if kind == .value {
      guard reading.value.count + bytes.count <= Self.longestValue else {
        fail(.form)
        return .stop
      }
      unsafe reading.value += bytes
      return .taken
    }
    guard let receiver else { return .full }
    let reception = unsafe receiver.push(bytes)
    switch reception {
    case .taken: progress.bytes += Int64(bytes.count)
    case .full: (progress.isPaused, progress.wasFull) = (true, true)
    case .stop: if !isOver { close() }
    }
    return reception
  }

  func exchange(_ id: ExchangeID, traced trace: RequestTrace) { cache.tell(trace, of: target) }

  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
    guard !isOver else { return }
    if reading.refusal != nil { return concludeRefusal() }
    switch (kind, end) {
    case (.value, .complete):
      close()
      conclude(.value(reading.value))
    case (_, .failed(let cause)) where answer != nil: fail(.failed(cause))
    case (.file, _):
      self.end = end
      if receiver != nil { finish(end) }
    default: fail(.form)
    }
  }
}
