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
  /// ``FetchRun/bodyFailed(_:endedEarly:mayBeOutOfStep:received:kept:)``.
  func fetchBodyEnded()
  /// Bytes of the body that are here and could be gone on from.
  var fetchAcceptedBytes: Int64 { get }
  /// Everything that was read from sidecars must be read anew; answer with ``FetchRun/sidecarsRefreshed()``.
  func fetchWantsSidecarsAnew()
  func fetchEnded(_ ending: FetchEnding)
}

/// A reply whose body is taken.
struct FetchReply {
  var url: String
  var validators: Validators
  /// What a part of the body can be resumed by; `nil` where it cannot.
  var strongValidator: StrongValidator?
  var length: Int64?
  /// `nil` for none.
  var encoding: String?
  /// What servers have announced of the body by now.
  var announced = AnnouncedDigests()
}

/// Performs the actions of a ``FetchMachine`` for one target or sidecar.
///
/// At every moment it waits for one thing only, its ``State``; whatever else still arrives, such as a pause
/// that ends after its try was given up, speaks of something that is over and is dropped.
final class FetchRun: ExchangeClient {
  private enum State {
    case idle
    /// The exchange's head, body or end; its number is known once it has started.
    case asking(ExchangeID?)
    /// A local file's bytes.
    case pouring(FilePump)
    /// A pause, by its number.
    case pausing(Int)
    /// The receiver's word on a body that has ended.
    case judging
    case refreshing
    case over
  }

  /// What the fetch has cost so far.
  private(set) var totals = ExchangeTotals()
  private(set) var lastStatus: Int?
  /// Of the last reply, secrets masked.
  private(set) var lastURL: String?
  private var machine: FetchMachine
  /// Taken for the first exchange, where there is one.
  private var heard: HeardExchange?
  private let context: RunContext
  private let target: Target
  private weak var receiver: (any FetchReceiver)?
  private var state = State.idle
  private var pauses = 0
  private var isTaking = false
  private var isProvenByFraming = false

  /// `target` gives headers, credentials and time limits.
  init(_ order: FetchOrder, for target: Target, in context: RunContext, receiver: any FetchReceiver) {
    machine = FetchMachine(order)
    self.context = context
    self.target = target
    self.receiver = receiver
  }

  /// `heard` is what was asked already, just as it would be now.
  func start(_ heard: HeardExchange? = nil) {
    self.heard = heard
    perform(machine.start())
  }

  /// Nothing more is wanted; the receiver hears no more of it.
  func cancel() {
    hangUp()
    state = .over
  }

  /// There is room again after a ``BodyReception/full``.
  func resume() {
    switch state {
    case .pouring(let pump): pump.resume()
    case .asking(let id?): context.driver.loop?.resume(id)
    default: break
    }
  }

  // MARK: What the receiver answers

  /// What the last reply said of the file's digests.
  var heardDigests: ServerDigests { machine.heard }

  /// See ``FetchMachine/fits(_:)``.
  func fits(_ size: Int64) -> Bool { machine.fits(size) }

  func bodyIsWhole(provenByContent: Bool, size: Int64) {
    guard case .judging = state else { return }
    perform(
      machine.bodyIsWhole(provenByFraming: isProvenByFraming, provenByContent: provenByContent, size: size))
  }

  /// Whether a body that has ended, and that a step found to be cut short, could be gone on from.
  var maySalvage: Bool {
    guard case .judging = state else { return false }
    return !isProvenByFraming && machine.maySalvage
  }

  /// Also while the body still comes, or after it broke off: it is not wanted any more.
  ///
  /// `kept` counts the bytes that are here to go on from, where ``maySalvage`` allows that.
  func bodyFailed(
    _ cause: FailureCause, endedEarly: Bool, mayBeOutOfStep: Bool, received: Int64, kept: Int64 = 0
  ) {
    if case .over = state { return }
    hangUp()
    perform(
      machine.bodyFailed(
        cause, provenByFraming: isProvenByFraming, endedEarly: endedEarly, mayBeOutOfStep: mayBeOutOfStep,
        received: received, kept: kept))
  }

  func sidecarsRefreshed() {
    guard case .refreshing = state else { return }
    perform(machine.sidecarsRefreshed())
  }

  // MARK: Performing

  private func perform(_ action: FetchAction) {
    switch action {
    case .ask(let question): ask(question)
    case .wait(let delay, let attempt, let cause): pause(delay, attempt, cause)
    case .refreshSidecars:
      state = .refreshing
      receiver?.fetchWantsSidecarsAnew()
    case .finish(let ending):
      state = .over
      receiver?.fetchEnded(ending)
    }
  }

  private func pause(_ delay: Duration, _ attempt: Int, _ cause: FailureCause) {
    context.report(.retrying(target.id, attempt: attempt, after: delay, cause: cause))
    pauses += 1
    let number = pauses
    state = .pausing(number)
    context.driver.after(delay) { [weak self] in
      guard let self, case .pausing(number) = self.state else { return }
      self.perform(self.machine.waited())
    }
  }

  private func ask(_ question: FetchQuestion) {
    isTaking = false
    isProvenByFraming = false
    if let givenUp = question.gaveUp {
      context.report(
        .nextMirror(
          target.id, url: context.manifest.secrets.mask(givenUp.url.shown), cause: givenUp.cause))
    }
    state = .asking(nil)
    switch question.url {
    case .web(let url): askWeb(url, question)
    case .file(let path, _): askFile(path, question)
    }
  }

  private func askWeb(_ url: String, _ question: FetchQuestion) {
    if let heard = heard.take() {
      (lastStatus, lastURL) = (heard.status, heard.url)
      state = .asking(heard.id)
      return
    }
    do throws(FailureCause) {
      guard !context.settings.isOffline else { throw .offline }
      var request = ExchangeRequest(
        method: question.method, url: url, conditions: question.conditions, resume: question.resume,
        headers: target.headers, authentication: target.authentication, timeouts: target.timeouts)
      request.asksRedirector = question.asksRedirector
      state = .asking(try context.driver.web().start(request, client: self))
    } catch {
      perform(machine.ended(.failed(error), accepted: accepted))
    }
  }

  private var accepted: Int64 { receiver?.fetchAcceptedBytes ?? 0 }

  private func hangUp() {
    switch state {
    case .asking(let id?):
      if let cost = context.driver.loop?.cancel(id) { totals += cost }
    case .pouring(let pump): pump.cancel()
    default: break
    }
    state = .idle
  }

  // MARK: A file as the source

  private func askFile(_ path: String, _ question: FetchQuestion) {
    do throws(FailureCause) {
      let file = try context.root.openSource(path)
      let stamp = Validators(
        fileStamp: "\(file.signature.size)-\(file.signature.modified.nanoseconds)",
        url: context.manifest.secrets.mask(question.url.shown))
      lastURL = stamp.url
      let judgement = machine.judge(file: stamp, size: file.signature.size, now: SystemClock.now())
      guard judgement != .drop else { return perform(machine.ended(.stopped, accepted: accepted)) }
      // By whatever name: what the manifest's reader knows to be the same it has refused.
      if context.root.observe(target.output) == .file(file.signature) {
        throw .sourceUnreadable(path: path, text: FailureCause.isOwnOutput)
      }
      isTaking = true
      let pump = pump(file)
      state = .pouring(pump)
      receiver?.fetchTakes(
        FetchReply(url: question.url.shown, validators: stamp, length: file.signature.size), continuing: false
      )
      if case .pouring = state { context.driver.add(pump) }
    } catch {
      perform(machine.ended(.failed(error), accepted: accepted))
    }
  }

  private func pump(_ file: ReadableFile) -> FilePump {
    unsafe FilePump(file) { [weak self] bytes in
      unsafe self?.receiver?.fetchReceived(bytes) ?? .stop
    } ended: { [weak self] ending in
      self?.fileEnded(ending, size: file.signature.size)
    }
  }

  private func fileEnded(_ ending: FilePump.Ending, size: Int64) {
    guard case .pouring = state else { return }
    switch ending {
    case .whole:
      state = .judging
      // Nobody has changed it while it was read, so that its end is its end.
      isProvenByFraming = accepted == size
      receiver?.fetchBodyEnded()
    case .stopped: break
    case .failed(let cause): perform(machine.ended(.failed(cause), accepted: 0))
    }
  }

  // MARK: ExchangeClient

  func exchange(_ id: ExchangeID, note: ExchangeNote) {
    guard isCurrent(id) else { return }
    if case .response(let status, let url, _) = note {
      lastStatus = status
      lastURL = context.manifest.secrets.mask(url)
    }
    context.report(.note(target.id, note))
  }

  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
    guard isCurrent(id) else { return .drop }
    let head = withoutSecrets(head)
    let now = SystemClock.now()
    let judgement = machine.judge(head, now: now)
    if !machine.heard.isEmpty { tell(machine.heard) }
    guard judgement != .drop else { return .drop }
    isTaking = true
    let validators = Validators(
      etag: head.etag, lastModified: head.lastModified, url: context.manifest.secrets.mask(head.url))
    receiver?.fetchTakes(
      FetchReply(
        url: head.url, validators: validators, strongValidator: head.strongValidator(now: now),
        length: head.contentLength, encoding: head.contentEncoding, announced: machine.announced),
      continuing: judgement == .takeContinuation)
    return .take
  }

  private func tell(_ digests: ServerDigests) {
    let notes =
      digests.ofFile.map { ExchangeNote.serverDigest($0, ofPart: false) }
      + digests.ofPart.map { .serverDigest($0, ofPart: true) } + digests.ignored.map { .ignoredDigest($0) }
    for note in notes { context.report(.note(target.id, note)) }
  }

  /// A validator in which the server repeats a secret counts as none: validators are stored, and no secret may be
  /// (contract, section 6, promise 7).
  private func withoutSecrets(_ head: ResponseHead) -> ResponseHead {
    let secrets = context.manifest.secrets
    guard !secrets.isEmpty else { return head }
    var head = head
    if let text = head.etag?.text, secrets.mask(text) != text { head.etag = nil }
    if let text = head.lastModified, secrets.mask(text) != text { head.lastModified = nil }
    return head
  }

  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception {
    unsafe isCurrent(id) ? receiver?.fetchReceived(bytes) ?? .stop : .stop
  }

  func exchange(_ id: ExchangeID, traced trace: RequestTrace) {
    var trace = trace
    trace.url = context.manifest.secrets.mask(trace.url)
    trace.ended = SystemClock.monotonic()
    context.report(.requested(target.id, trace))
  }

  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
    self.totals += totals
    guard isCurrent(id) else { return }
    switch end {
    case .complete(let isProven) where isTaking:
      state = .judging
      isProvenByFraming = isProven
      receiver?.fetchBodyEnded()
    // The receiver stopped it, and has said why.
    case .stopped where isTaking: break
    default: perform(machine.ended(end, accepted: accepted))
    }
  }

  private func isCurrent(_ id: ExchangeID) -> Bool {
    if case .asking(id) = state { true } else { false }
  }
}
