import LocalFiles
import Planning
import SyncModel
import Transfer

/// Who receives what a ``FetchRun`` brings in; all calls come on the driver's thread.
protocol FetchReceiver: AnyObject {
  /// A body is about to come: from byte 0, or going on where the bytes that are here end.
  func fetchTakes(_ reply: FetchReply, continuing: Bool)
  func fetchReceived(_ bytes: UnsafeRawBufferPointer) -> BodyReception
  /// The body ended; the receiver answers with ``FetchRun/bodyIsWhole(provenByContent:size:)`` or
  /// ``FetchRun/bodyFailed(_:endedEarly:received:)``.
  func fetchBodyEnded()
  /// Bytes of the body that are here and could be gone on from.
  var fetchAcceptedBytes: Int64 { get }
  /// Everything that was read from sidecars must be read anew; answer with ``FetchRun/sidecarsRefreshed()``.
  func fetchWantsSidecarsAnew()
  func fetchEnded(_ ending: FetchEnding)
  func fetchReports(_ event: FetchReport)
}

/// A reply whose body is taken.
struct FetchReply {
  var url: String
  var validators: Validators
  var length: Int64?
}

/// What a fetch tells while it goes on.
enum FetchReport {
  case note(ExchangeNote)
  case retrying(attempt: Int, after: Duration, cause: FailureCause)
  case nextMirror(url: String, cause: FailureCause)
}

/// Performs the actions of a ``FetchMachine`` for one target or sidecar.
final class FetchRun: ExchangeClient {
  /// What the fetch has cost so far.
  private(set) var totals = ExchangeTotals()
  private(set) var lastStatus: Int?
  /// Of the last reply, secrets masked.
  private(set) var lastURL: String?
  private var machine: FetchMachine
  private let driver: Driver
  private let target: Target
  private let secrets: SecretMask
  private let root: RootFolder
  private weak var receiver: (any FetchReceiver)?
  private var exchange: ExchangeID?
  private var pump: FilePump?
  private var isTaking = false
  private var isOver = false
  private var isProvenByFraming = false

  /// `target` gives headers, credentials and time limits.
  init(_ order: FetchOrder, for target: Target, in context: RunContext, receiver: any FetchReceiver) {
    machine = FetchMachine(order)
    driver = context.driver
    self.target = target
    secrets = context.manifest.secrets
    root = context.root
    self.receiver = receiver
  }

  func start() { perform(machine.start()) }

  /// Nothing more is wanted; the receiver hears no more of it.
  func cancel() {
    isOver = true
    hangUp()
  }

  /// There is room again after a ``BodyReception/full``.
  func resume() {
    pump?.resume()
    if let exchange { try? driver.web().resume(exchange) }
  }

  // MARK: What the receiver answers

  func bodyIsWhole(provenByContent: Bool, size: Int64) {
    perform(
      machine.bodyIsWhole(provenByFraming: isProvenByFraming, provenByContent: provenByContent, size: size))
  }

  /// Also while the body still comes: the rest of it is not wanted.
  func bodyFailed(_ cause: FailureCause, endedEarly: Bool, received: Int64) {
    hangUp()
    perform(
      machine.bodyFailed(
        cause, provenByFraming: isProvenByFraming, endedEarly: endedEarly, received: received))
  }

  func sidecarsRefreshed() { perform(machine.sidecarsRefreshed()) }

  // MARK: Performing

  private func perform(_ action: FetchAction) {
    guard !isOver else { return }
    switch action {
    case .ask(let question): ask(question)
    case .wait(let delay, let attempt, let cause):
      receiver?.fetchReports(.retrying(attempt: attempt, after: delay, cause: cause))
      driver.after(delay) { [weak self] in
        guard let self, !self.isOver else { return }
        self.perform(self.machine.waited())
      }
    case .refreshSidecars: receiver?.fetchWantsSidecarsAnew()
    case .finish(let ending):
      isOver = true
      receiver?.fetchEnded(ending)
    }
  }

  private func ask(_ question: FetchQuestion) {
    isTaking = false
    isProvenByFraming = false
    if let cause = question.gaveUp {
      receiver?.fetchReports(.nextMirror(url: question.url.text, cause: cause))
    }
    switch question.url {
    case .web(let url): askWeb(url, question)
    case .file(let path, _): askFile(path, question)
    }
  }

  private func askWeb(_ url: String, _ question: FetchQuestion) {
    do throws(FailureCause) {
      guard !driver.settings.isOffline else { throw .offline }
      let request = ExchangeRequest(
        method: question.method, url: url, conditions: question.conditions, resume: question.resume,
        headers: target.headers, authentication: target.authentication, timeouts: target.timeouts)
      exchange = try driver.web().start(request, client: self)
    } catch {
      perform(machine.ended(.failed(error), accepted: accepted))
    }
  }

  private var accepted: Int64 { receiver?.fetchAcceptedBytes ?? 0 }

  private func hangUp() {
    if let exchange { try? driver.web().cancel(exchange) }
    exchange = nil
    pump?.cancel()
    pump = nil
  }

  // MARK: A file as the source

  private func askFile(_ path: String, _ question: FetchQuestion) {
    do throws(FailureCause) {
      let file = try root.openSource(path)
      let stamp = Validators(
        fileStamp: "\(file.signature.size)-\(file.signature.modified.nanoseconds)",
        url: secrets.mask(question.url.text))
      lastURL = stamp.url
      let judgement = machine.judge(file: stamp, size: file.signature.size, now: SystemClock.now())
      guard judgement != .drop else { return perform(machine.ended(.stopped, accepted: accepted)) }
      isTaking = true
      receiver?.fetchTakes(
        FetchReply(url: question.url.text, validators: stamp, length: file.signature.size), continuing: false)
      pour(file)
    } catch {
      perform(machine.ended(.failed(error), accepted: accepted))
    }
  }

  private func pour(_ file: ReadableFile) {
    let pump = FilePump(file) { [weak self] bytes in
      self?.receiver?.fetchReceived(bytes) ?? .stop
    } ended: { [weak self] ending in
      self?.fileEnded(ending, size: file.signature.size)
    }
    self.pump = pump
    driver.add(pump)
  }

  private func fileEnded(_ ending: FilePump.Ending, size: Int64) {
    pump = nil
    switch ending {
    case .whole:
      // A file that changed while it was read shows in its size or in a digest; its end is its end.
      isProvenByFraming = accepted == size
      receiver?.fetchBodyEnded()
    case .stopped: break
    case .failed(let cause): perform(machine.ended(.failed(cause), accepted: 0))
    }
  }

  // MARK: ExchangeClient

  func exchange(_ id: ExchangeID, note: ExchangeNote) {
    if case .response(let status, let url, _) = note {
      lastStatus = status
      lastURL = secrets.mask(url)
    }
    receiver?.fetchReports(.note(note))
  }

  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
    let judgement = machine.judge(head, now: SystemClock.now())
    guard judgement != .drop else { return .drop }
    isTaking = true
    let validators = Validators(
      etag: head.etag, lastModified: head.lastModified, url: secrets.mask(head.url))
    receiver?.fetchTakes(
      FetchReply(url: head.url, validators: validators, length: head.contentLength),
      continuing: judgement == .takeContinuation)
    return .take
  }

  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception {
    isOver ? .stop : receiver?.fetchReceived(bytes) ?? .stop
  }

  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
    exchange = nil
    self.totals += totals
    guard !isOver else { return }
    if case .complete(let isProven) = end, isTaking {
      isProvenByFraming = isProven
      receiver?.fetchBodyEnded()
    } else if case .stopped = end, isTaking {
      return
    } else {
      perform(machine.ended(end, accepted: accepted))
    }
  }
}
