import ContentPipeline
import Planning
import SyncModel

/// Fetches each sidecar and signature once per run, conditionally if an earlier run stored its text (contract,
/// section 3).
///
/// Targets share one only if they use the same headers and credentials: otherwise the texts may differ.
final class SidecarShelf {
  /// The longest sidecar (contract, section 4).
  static let longest = 1 << 20

  typealias Answer = (Result<SidecarText, FailureCause>, ExchangeTotals) -> Void

  /// The key of a request.
  private struct Key: Hashable {
    /// Mirrors, tried in order; never empty.
    var urls: [SourceURL]
    var headers: [RequestHeader]
    var authentication: Authentication?
  }

  private unowned let context: RunContext
  private var entries: [Key: Entry] = [:]

  private enum Entry {
    /// The fetch is `nil` for a local file.
    case underWay(SidecarFetch?, Waiting)
    case here(Result<SidecarText, FailureCause>)
  }

  /// The waiting callers, beginning with the one that caused the request; there may be thousands.
  private final class Waiting {
    var answers: [Answer]

    init(_ first: @escaping Answer) { answers = [first] }
  }

  init(_ context: RunContext) { self.context = context }

  /// `done` gets the text from the first of `urls` that has one; the caller that caused the request gets the cost.
  ///
  /// `anew` requests it unconditionally even if the text is present. A request in progress is new enough.
  func fetch(_ urls: [SourceURL], for target: Target, anew: Bool, done: @escaping Answer) {
    guard let first = urls.first else {
      return done(.failure(.internalError("a sidecar without a URL")), ExchangeTotals())
    }
    let asker = SidecarFetch.asker(target, for: first)
    let key = Key(urls: urls, headers: asker.headers, authentication: asker.authentication)
    switch entries[key] {
    case .here(let result) where !anew: done(result, ExchangeTotals())
    case .underWay(_, let waiting): waiting.answers.append(done)
    default: start(key, as: asker, anew: anew, done: done)
    }
  }

  /// Cancels all requests, without further calls.
  func cancelAll() {
    for case .underWay(let fetch, _) in entries.values { fetch?.cancel() }
    entries = [:]
  }

  private func start(_ key: Key, as asker: Target, anew: Bool, done: @escaping Answer) {
    if key.urls.count == 1, case .file(let path, _) = key.urls[0] {
      entries[key] = .underWay(nil, Waiting(done))
      return readFile(path, key)
    }
    let recorded = anew ? nil : recordName(key).flatMap { context.records.sidecar($0) }
    let fetch = SidecarFetch(key.urls, as: asker, recorded: recorded, in: context) {
      [unowned self] fetch, text in
      finish(key, text, fetch.totals)
    }
    entries[key] = .underWay(fetch, Waiting(done))
    fetch.start()
  }

  private func readFile(_ path: String, _ key: Key) {
    let root = context.root
    OutputHasher.read(
      { () throws(FailureCause) -> any OpenedFile in try root.openSource(path) }, limit: Self.longest,
      in: context,
      done: { [unowned self] read in
        let text = read.mapError { cause -> FailureCause in
          guard case .tooLarge = cause else { return cause }
          return .sidecarInvalid(source: masked(key), .tooLarge(limit: Self.longest))
        }
        finish(key, text.map { SidecarFetch.Text(bytes: $0, validators: nil) }, ExchangeTotals())
      })
  }

  private func finish(_ key: Key, _ text: Result<SidecarFetch.Text, FailureCause>, _ totals: ExchangeTotals) {
    guard case .underWay(_, let waiting) = entries[key] else { return }
    let read = text.map { SidecarText($0.bytes) }
    entries[key] = .here(read)
    if case .success(let read) = read, case .success(let text) = text, let validators = text.validators,
      let name = recordName(key), !context.manifest.secrets.finds(in: text.bytes), read.isUseful
    {
      let record = SidecarRecord(url: name, validators: validators, body: text.bytes)
      context.records.store(record)
      context.state.committer?.remember(.sidecar(record))
    }
    for (index, answer) in waiting.answers.enumerated() {
      answer(read, index == 0 ? totals : ExchangeTotals())
    }
  }

  /// The key of its record, its URL; `nil` if it is not recorded: the state must not contain secrets, and with
  /// other headers or credentials the same date may belong to another text.
  private func recordName(_ key: Key) -> String? {
    let name = masked(key)
    return key.headers.isEmpty && key.authentication == nil && name.hasSameBytes(as: key.urls[0].shown)
      ? name : nil
  }

  private func masked(_ key: Key) -> String { context.manifest.secrets.mask(key.urls[0].shown) }
}

/// One sidecar on its way into memory.
final class SidecarFetch {
  struct Text {
    var bytes: [UInt8]
    /// The validators of the reply with the text; `nil` if the text was present before.
    var validators: Validators?
  }

  private let maskedURL: String
  private let recorded: SidecarRecord?
  private let done: (SidecarFetch, Result<Text, FailureCause>) -> Void
  private var machine: FetchMachine
  private var exchange: SourceExchange?
  private let context: RunContext
  private let id: TargetID
  private var bytes: [UInt8] = []
  private var phase = Phase.asking
  /// The URL of a body with a content encoding, and the encoding.
  private var encoded: (url: String, coding: String)?

  private enum Phase {
    case asking, taking, over
  }

  init(
    _ urls: [SourceURL], as asker: Target, recorded: SidecarRecord?, in context: RunContext,
    done: @escaping (SidecarFetch, Result<Text, FailureCause>) -> Void
  ) {
    maskedURL = context.manifest.secrets.mask(urls[0].shown)
    self.recorded = recorded
    self.done = done
    var order = FetchOrder(
      mirrors: urls, retries: asker.retries, conditions: recorded?.validators,
      recordedSize: recorded.map { Int64($0.body.count) }, rule: .etag,
      maxSize: Int64(SidecarShelf.longest),
      acceptsUnprovenLength: asker.unprovenLength == .accept, secrets: context.manifest.secrets,
      seed: UInt64(truncatingIfNeeded: context.clock.now().nanoseconds))
    order.isSidecar = true
    order.usesServerDigests = asker.serverDigest == .use
    self.context = context
    id = asker.id
    machine = FetchMachine(order)
    exchange = SourceExchange(for: asker, in: context, receiver: self)
  }

  var totals: ExchangeTotals { exchange?.totals ?? ExchangeTotals() }

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

  /// The target as it may ask for a sidecar: its headers and credentials go to its own origin only (contract,
  /// section 5).
  static func asker(_ target: Target, for url: SourceURL) -> Target {
    guard !sharesOrigin(url, target) else { return target }
    var asker = target
    asker.headers = []
    asker.authentication = nil
    return asker
  }

  private static func sharesOrigin(_ url: SourceURL, _ target: Target) -> Bool {
    guard case .web(let text) = url, let sidecar = WebURL(text), case .urls(let mirrors) = target.source
    else {
      return false
    }
    return mirrors.contains { mirror in
      if case .web(let text) = mirror, let parts = WebURL(text) {
        parts.origin == sidecar.origin
      } else {
        false
      }
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
      done(self, .success(Text(bytes: recorded?.body ?? [], validators: nil)))
    case .downloaded(let observed):
      done(self, .success(Text(bytes: bytes, validators: observed)))
    case .failed(.tooLarge, _): done(self, .failure(tooLarge))
    case .failed(let cause, _): done(self, .failure(cause))
    case .differs: done(self, .failure(.internalError("a sidecar was only probed")))
    }
  }

  private var tooLarge: FailureCause {
    .sidecarInvalid(source: maskedURL, .tooLarge(limit: SidecarShelf.longest))
  }
}

extension SidecarFetch: SourceExchangeReceiver {
  var acceptedBytes: Int64 { 0 }

  func sourceReplied(_ head: ResponseHead) -> BodyDisposition {
    let head = context.manifest.secrets.withoutSecrets(head)
    let judgement = machine.judge(head, now: context.clock.now())
    for note in machine.heard.notes { context.report(.note(id, note)) }
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
    guard bytes.count + piece.count <= SidecarShelf.longest else {
      cancel()
      done(self, .failure(tooLarge))
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
