import ContentPipeline
import Planning
import SyncModel

/// One document on its way into memory, such as a sidecar or a page of a list.
final class DocumentFetch {
  struct Text {
    var bytes: [UInt8]
    /// The validators of the reply with the text; `nil` if the text was present before.
    var validators: Validators?
  }

  /// What is wanted.
  struct Order {
    /// Mirrors, tried in order; never empty.
    var urls: [SourceURL]
    /// Gives headers, credentials and limits; see ``Target/asking(for:)``.
    var asker: Target
    /// What an earlier run has read there; `nil` asks without conditions.
    var recorded: Text?
    /// The most bytes.
    var limit: Int
    /// The failure of a longer document.
    var tooLarge: FailureCause
    /// Whether a reply may end without a proof that this is all; `nil`: as `unproven_length` of the asker says.
    var acceptsUnprovenLength: Bool?
    /// Whether caches on the way are to ask the server.
    var passesCaches = false
  }

  private let order: Order
  private let done: (DocumentFetch, Result<Text, FailureCause>) -> Void
  private var machine: FetchMachine
  private var exchange: SourceExchange?
  private let context: RunContext
  private var bytes: [UInt8] = []
  /// The texts of the header `Link` of the last reply; `nil` if it does not say which there are.
  private(set) var links: [String]?
  /// The number of tries, if they have failed.
  private(set) var tries = 0
  private var phase = Phase.asking
  /// The URL of a body with a content encoding, and the encoding.
  private var encoded: (url: String, coding: String)?

  private enum Phase {
    case asking, taking, over
  }

  init(
    _ order: Order, in context: RunContext,
    done: @escaping (DocumentFetch, Result<Text, FailureCause>) -> Void
  ) {
    self.order = order
    self.done = done
    let asker = order.asker
    var question = FetchOrder(
      mirrors: order.urls, retries: asker.retries, conditions: order.recorded?.validators,
      recordedSize: order.recorded.map { Int64($0.bytes.count) }, rule: .etag, maxSize: Int64(order.limit),
      acceptsUnprovenLength: order.acceptsUnprovenLength ?? (asker.unprovenLength == .accept),
      secrets: context.manifest.secrets,
      seed: UInt64(truncatingIfNeeded: context.clock.now().nanoseconds))
    question.isDocument = true
    question.passesCaches = order.passesCaches
    question.rewrites = context.settings.routes.rewrites
    question.usesServerDigests = asker.serverDigest == .use
    self.context = context
    machine = FetchMachine(question)
    exchange = SourceExchange(for: asker, in: context, receiver: self)
  }

  private var id: TargetID { order.asker.id }
  var totals: ExchangeTotals { exchange?.totals ?? ExchangeTotals() }
  /// Of the last reply, as ``SourceExchange`` has it.
  var lastReply: (status: Int?, url: String?) { (exchange?.lastStatus, exchange?.lastURL) }

  func start() { follow(machine.start()) }

  func cancel() {
    phase = .over
    exchange?.hangUp()
  }

  private func follow(_ action: FetchAction) {
    switch action {
    case .ask(let question):
      phase = .asking
      if let givenUp = question.gaveUp {
        let url = context.manifest.secrets.mask(givenUp.url.shown)
        context.report(.nextMirror(id, url: url, cause: givenUp.cause))
      }
      exchange?.ask(question)
    case .wait(let delay, let attempt, let cause):
      context.report(.retrying(id, attempt: attempt, after: delay, cause: cause))
      exchange?.pause(delay)
    case .refreshSidecars: follow(machine.sidecarsRefreshed())
    case .finish(let ending):
      phase = .over
      end(ending)
    }
  }

  /// Checks a complete body.
  private func judge(isProvenByFraming: Bool) {
    let size = Int64(bytes.count)
    func fail(_ cause: FailureCause) {
      follow(
        machine.bodyFailed(
          cause, provenByFraming: isProvenByFraming, endedEarly: false, mayBeOutOfStep: false, received: size)
      )
    }
    if let encoded, EncodedFile.beginsLikeGzip(bytes) {
      return fail(.protocolError(url: encoded.url, .contentEncoding(encoded.coding)))
    }
    var isProvenByContent = false
    if !machine.announced.isEmpty {
      var digester = Digester(machine.announced.algorithms)
      unsafe bytes.withUnsafeBytes { unsafe digester.update($0) }
      switch machine.announced.judge(digester.identity(size: size)) {
      case .unknown: break
      case .matches: isProvenByContent = true
      case .differs(let told, let actual):
        return fail(.serverDigestMismatch(url: machine.observedURL, told, actual: actual))
      }
    }
    follow(
      machine.bodyIsWhole(
        provenByFraming: isProvenByFraming, provenByContent: isProvenByContent, size: size))
  }

  private func end(_ ending: FetchEnding) {
    switch ending {
    case .confirmed:
      done(self, .success(Text(bytes: order.recorded?.bytes ?? [], validators: nil)))
    case .downloaded(let observed):
      done(self, .success(Text(bytes: bytes, validators: observed)))
    case .failed(.tooLarge, _): done(self, .failure(order.tooLarge))
    case .failed(let cause, let tries):
      self.tries = tries
      done(self, .failure(cause))
    case .differs: done(self, .failure(.internalError("a document was only probed")))
    }
  }
}

extension DocumentFetch: SourceExchangeReceiver {
  var acceptedBytes: Int64 { Int64(bytes.count) }

  func sourceReplied(_ head: ResponseHead) -> BodyDisposition {
    let head = context.manifest.secrets.withoutSecrets(head)
    let judgement = machine.judge(head, now: context.clock.now())
    for note in machine.heard.notes { context.report(.note(id, note)) }
    // What a 304 has replaces what was stored, and what it lacks stays (RFC 9111, sections 3.2 and 4.3.4).
    links = head.status == 304 && head.links.isEmpty ? nil : head.links
    guard judgement != .drop else { return .drop }
    phase = .taking
    bytes = []
    encoded = head.contentEncoding.map { (head.url, $0) }
    return .take
  }

  func sourceOpened(_ path: String, _ stamp: Validators, size: Int64, isOwnOutput: Bool) {
    guard machine.judge(file: stamp, size: size, now: context.clock.now()) != .drop else {
      return sourceEnded(.stopped, cost: ExchangeTotals())
    }
    phase = .taking
    (bytes, encoded) = ([], nil)
    exchange?.readFile()
  }

  func sourceSent(_ piece: UnsafeRawBufferPointer) -> BodyReception {
    guard bytes.count + piece.count <= order.limit else {
      cancel()
      done(self, .failure(order.tooLarge))
      return .stop
    }
    unsafe bytes += piece
    return .taken
  }

  func sourceEnded(_ end: ExchangeEnd, cost: ExchangeTotals) {
    switch (phase, end) {
    case (.over, _), (.taking, .stopped): break
    case (.taking, .complete(let isProven)): judge(isProvenByFraming: isProven)
    default: follow(machine.ended(end, accepted: 0))
    }
  }

  func sourcePauseEnded() { follow(machine.waited()) }
}

extension Target {
  /// The target as it may ask for something at `url`: its headers and credentials go to its own origins only, and for
  /// an entry of a list to the list's only (contract, sections 5 and 11).
  func asking(for url: SourceURL) -> Target {
    guard !self.headers.isEmpty || self.authentication != nil else { return self }
    if case .web(let text) = url, let origin = WebURL(text)?.origin, gives(to: origin) { return self }
    var asker = self
    asker.headers = []
    asker.authentication = nil
    return asker
  }
}
