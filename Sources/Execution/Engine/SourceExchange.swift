import Planning
import SyncModel
import Transfer

/// The receiver of the events of a ``SourceExchange``; all calls are on the driver's thread.
protocol SourceExchangeReceiver: AnyObject {
  /// A reply's header arrived; returns whether to take its body.
  func sourceReplied(_ head: ResponseHead) -> BodyDisposition
  /// A source file is open; ``SourceExchange/readFile()`` takes its bytes.
  func sourceOpened(_ path: String, _ stamp: Validators, size: Int64, isOwnOutput: Bool)
  func sourceSent(_ bytes: UnsafeRawBufferPointer) -> BodyReception
  func sourceEnded(_ end: ExchangeEnd, cost: ExchangeTotals)
  /// The pause is over.
  func sourcePauseEnded()
  /// The number of bytes of the body that are present.
  var acceptedBytes: Int64 { get }
}

/// Carries out the questions of one fetch: exchanges with servers, the reading of source files, and pauses.
///
/// It waits for one thing at a time, its ``State``. Whatever else still arrives, such as the end of a pause that was
/// given up, is dropped.
final class SourceExchange {
  private enum State {
    case idle
    /// The exchange's header, body or end; the number is known once it has started.
    case asking(ExchangeID?)
    /// An open file that was not read yet.
    case opened(FilePump)
    case reading(FilePump)
    case pausing(Int)
  }

  /// The cost of all exchanges that have ended or were cancelled.
  private(set) var totals = ExchangeTotals()
  /// The status of the last reply; redirects are replies, too.
  private(set) var lastStatus: Int?
  /// The URL of the last reply, secrets masked.
  private(set) var lastURL: String?
  /// What the user's configuration has made of the present request: the manifest's URL, secrets masked, if a mirror of
  /// it is asked; whether a helper has given credentials.
  private var routed: (mirroredURL: String?, isPrivate: Bool) = (nil, false)
  private let context: RunContext
  private let target: Target
  private weak var receiver: (any SourceExchangeReceiver)?
  private var state = State.idle
  /// The number of pauses and of searches for credentials; the last one is waited for.
  private var waits = 0
  /// An exchange that was started exactly as the first question requires.
  private var adopted: AdoptedExchange?

  /// `target` gives headers, credentials and time limits.
  init(for target: Target, in context: RunContext, receiver: any SourceExchangeReceiver) {
    self.context = context
    self.target = target
    self.receiver = receiver
  }

  /// Takes over an exchange that is the answer to the first question.
  func adopt(_ exchange: AdoptedExchange) { adopted = exchange }

  /// There is room again after a ``BodyReception/full``.
  func resume() {
    switch state {
    case .reading(let pump): pump.resume()
    case .asking(let id?): context.driver.network?.resume(id)
    default: break
    }
  }

  /// Takes the bytes of the source file that was opened last; nothing for a server's reply.
  func readFile() {
    guard case .opened(let pump) = state else { return }
    state = .reading(pump)
    context.driver.add(pump)
  }

  /// Cancels the exchange; the receiver gets no more events of it.
  func hangUp() {
    switch state {
    case .asking(let id?):
      if let cost = context.driver.network?.cancel(id) { totals += cost }
    case .reading(let pump): pump.cancel()
    default: break
    }
    state = .idle
  }

  /// Waits before the next question.
  func pause(_ delay: Duration) {
    waits += 1
    let number = waits
    state = .pausing(number)
    // A request after the end of the policy's time says why there is none.
    let left =
      context.settings.policy?.network.timeLeft.map { $0 / context.settings.resources.timeScale } ?? delay
    context.driver.after(min(delay, left)) { [weak self] in
      guard let self, case .pausing(number) = self.state else { return }
      self.state = .idle
      self.receiver?.sourcePauseEnded()
    }
  }

  /// Asks; the receiver hears of the reply and of the end, now or later.
  func ask(_ question: FetchQuestion) {
    state = .asking(nil)
    switch question.url {
    case .web(let url): askWeb(question.rewritten?.url ?? url, question)
    case .file(let path, _): askFile(path, question)
    }
  }

  private func askWeb(_ url: String, _ question: FetchQuestion) {
    if let adopted = adopted.take() {
      (lastStatus, lastURL) = (adopted.status, adopted.url)
      state = .asking(adopted.id)
      return
    }
    guard !context.settings.questions.isOffline else { return end(.failed(.offline)) }
    // What the manifest adds is for its own servers, not for a mirror.
    let target = question.rewritten == nil ? target.asking(for: question.url) : nil
    var request = ExchangeRequest(
      method: question.method, url: url, conditions: question.conditions, resume: question.resume,
      headers: target?.headers ?? [], authentication: target?.authentication, timeouts: self.target.timeouts)
    request.asksRedirector = question.asksRedirector
    request.passesCaches = question.passesCaches
    guard context.settings.routes.helpers != nil else { return start(.success(request), question) }
    waits += 1
    context.driver.addCredentials(to: request, isOfMirror: question.rewritten != nil) {
      [weak self, waits, own = request.headers.count] request in
      guard let self, case .asking(nil) = state, self.waits == waits else { return }
      routed.isPrivate = (try? request.get().headers.count) != own
      start(request, question)
    }
  }

  private func start(_ request: Result<ExchangeRequest, FailureCause>, _ question: FetchQuestion) {
    // Only now every secret is known that may be in it.
    routed.mirroredURL = question.rewritten.map { _ in context.manifest.secrets.mask(question.url.shown) }
    do throws(FailureCause) {
      var request = try request.get()
      request.mirroredResource = routed.mirroredURL
      state = .asking(try context.driver.openNetwork().start(request, client: self))
    } catch {
      end(.failed(error))
    }
  }

  private func end(_ end: ExchangeEnd, cost: ExchangeTotals = ExchangeTotals()) {
    state = .idle
    receiver?.sourceEnded(end, cost: cost)
  }

  // MARK: A file as the source

  private func askFile(_ path: String, _ question: FetchQuestion) {
    do throws(FailureCause) {
      let file = try context.root.openSource(path)
      let stamp = Validators(
        fileStamp: "\(file.signature.size)-\(file.signature.modified.nanoseconds)",
        url: context.manifest.secrets.mask(question.url.shown))
      lastURL = stamp.url
      let isOwnOutput = context.root.observe(target.path) == .file(file.signature)
      let size = file.signature.size
      let pump = unsafe FilePump(file) { [weak self] bytes in
        unsafe self?.receiver?.sourceSent(bytes) ?? .stop
      } ended: { [weak self] ending in
        self?.fileEnded(ending, size: size)
      }
      state = .opened(pump)
      receiver?.sourceOpened(path, stamp, size: size, isOwnOutput: isOwnOutput)
    } catch {
      end(.failed(error))
    }
  }

  private func fileEnded(_ ending: FilePump.Ending, size: Int64) {
    guard case .reading = state else { return }
    switch ending {
    // The file did not change while it was read, so that its end is the body's end.
    case .whole: end(.complete(lengthIsProven: receiver?.acceptedBytes == size))
    case .stopped: end(.stopped)
    case .failed(let cause): end(.failed(cause))
    }
  }
}

extension SourceExchange: ExchangeClient {
  private func isCurrent(_ id: ExchangeID) -> Bool {
    if case .asking(id) = state { true } else { false }
  }

  func exchange(_ id: ExchangeID, note: ExchangeNote) {
    guard isCurrent(id) else { return }
    if case .response(let status, let url, _) = note {
      lastStatus = status
      lastURL = routed.mirroredURL ?? context.manifest.secrets.mask(url)
    }
    context.report(.note(target.id, note))
  }

  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
    guard isCurrent(id) else { return .drop }
    var head = head
    if routed.isPrivate { head.isPrivate = true }
    return receiver?.sourceReplied(head) ?? .drop
  }

  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception {
    unsafe isCurrent(id) ? receiver?.sourceSent(bytes) ?? .stop : .stop
  }

  func exchange(_ id: ExchangeID, traced trace: RequestTrace) {
    var trace = trace
    trace.url = context.manifest.secrets.mask(trace.url)
    trace.ended = context.clock.monotonic()
    context.report(.requested(target.id, trace))
  }

  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
    self.totals += totals
    guard isCurrent(id) else { return }
    self.end(end, cost: totals)
  }
}
