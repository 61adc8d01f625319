import LocalFiles
import Planning
import SyncModel

/// Fetches each sidecar once per run, conditionally where an earlier run left its text (SPEC section 3).
final class SidecarShelf {
  /// The longest sidecar (SPEC section 4).
  static let longest = 1 << 20

  typealias Answer = (Result<[UInt8], FailureCause>, ExchangeTotals) -> Void

  private unowned let context: RunContext
  private var entries: [SourceURL: Entry] = [:]

  private enum Entry {
    case underWay(SidecarFetch, waiting: [Answer])
    case here(Result<[UInt8], FailureCause>)
  }

  init(_ context: RunContext) { self.context = context }

  /// `done` gets the text; the cost goes to whoever caused the request.
  ///
  /// `anew` asks plainly even if the text is here. One that is under way already is new enough.
  func fetch(_ url: SourceURL, for target: Target, anew: Bool, done: @escaping Answer) {
    switch entries[url] {
    case .here(let result) where !anew: done(result, ExchangeTotals())
    case .underWay(let fetch, let waiting): entries[url] = .underWay(fetch, waiting: waiting + [done])
    default: start(url, for: target, anew: anew, done: done)
    }
  }

  /// Ends what is under way; nobody hears of it.
  func cancelAll() {
    for case .underWay(let fetch, _) in entries.values { fetch.cancel() }
    entries = [:]
  }

  private func start(_ url: SourceURL, for target: Target, anew: Bool, done: @escaping Answer) {
    if case .file(let path, _) = url { return readFile(path, url, done) }
    let recorded = anew ? nil : context.records.sidecars[context.manifest.secrets.mask(url.text)]
    let fetch = SidecarFetch(url, for: target, recorded: recorded, in: context) {
      [unowned self] fetch, result in
      finish(url, result, fetch.totals, first: done)
    }
    entries[url] = .underWay(fetch, waiting: [])
    fetch.start()
  }

  private func readFile(_ path: String, _ url: SourceURL, _ done: @escaping Answer) {
    let root = context.root
    OutputHasher.read(
      { () throws(FailureCause) in try root.openSource(path) }, limit: Self.longest, in: context,
      done: { [unowned self] read in
        let result = read.mapError { [context] cause -> FailureCause in
          guard case .tooLarge = cause else { return cause }
          return .sidecarInvalid(
            source: context.manifest.secrets.mask(url.text), .tooLarge(limit: Self.longest))
        }
        finish(url, result, ExchangeTotals(), first: done)
      })
  }

  private func finish(
    _ url: SourceURL, _ result: Result<SidecarFetch.Text, FailureCause>, _ totals: ExchangeTotals,
    first: Answer
  ) {
    if case .success(let text) = result, let record = text.record {
      context.records.store(record)
      context.committer?.remember(.sidecar(record))
    }
    finish(url, result.map(\.bytes), totals, first: first)
  }

  private func finish(
    _ url: SourceURL, _ result: Result<[UInt8], FailureCause>, _ totals: ExchangeTotals, first: Answer
  ) {
    var waiting: [Answer] = []
    if case .underWay(_, let others) = entries[url] { waiting = others }
    entries[url] = .here(result)
    first(result, totals)
    for answer in waiting { answer(result, ExchangeTotals()) }
  }
}

/// One sidecar on its way into memory.
final class SidecarFetch: FetchReceiver {
  struct Text {
    var bytes: [UInt8]
    /// What to keep for the next run; `nil` where nothing is new.
    var record: SidecarRecord?
  }

  private let maskedURL: String
  private let recorded: SidecarRecord?
  private let id: TargetID
  private let context: RunContext
  private let done: (SidecarFetch, Result<Text, FailureCause>) -> Void
  private var run: FetchRun?
  private var bytes: [UInt8] = []

  init(
    _ url: SourceURL, for target: Target, recorded: SidecarRecord?, in context: RunContext,
    done: @escaping (SidecarFetch, Result<Text, FailureCause>) -> Void
  ) {
    maskedURL = context.manifest.secrets.mask(url.text)
    self.recorded = recorded
    id = target.id
    self.context = context
    self.done = done
    var asker = target
    if !Self.sharesOrigin(url, target) {
      asker.headers = []
      asker.authentication = nil
    }
    let order = FetchOrder(
      mirrors: [url], retries: target.retries, conditions: recorded?.validators, rule: .etag,
      maxSize: Int64(SidecarShelf.longest), secrets: context.manifest.secrets,
      seed: UInt64(truncatingIfNeeded: SystemClock.now().nanoseconds))
    run = FetchRun(order, for: asker, in: context, receiver: self)
  }

  var totals: ExchangeTotals { run?.totals ?? ExchangeTotals() }

  func start() { run?.start() }

  func cancel() { run?.cancel() }

  /// Credentials go to the target's own origin only (SPEC section 5).
  private static func sharesOrigin(_ url: SourceURL, _ target: Target) -> Bool {
    guard case .web(let text) = url, let sidecar = WebURL(text), case .urls(let mirrors) = target.source
    else {
      return false
    }
    return mirrors.contains { mirror in
      if case .web(let text) = mirror, let parts = WebURL(text) {
        parts.hasSameOrigin(as: sidecar)
      } else {
        false
      }
    }
  }

  var fetchAcceptedBytes: Int64 { 0 }

  func fetchTakes(_ reply: FetchReply, continuing: Bool) { bytes = [] }

  func fetchReceived(_ piece: UnsafeRawBufferPointer) -> BodyReception {
    guard bytes.count + piece.count <= SidecarShelf.longest else {
      run?.cancel()
      done(self, .failure(tooLarge))
      return .stop
    }
    bytes += piece
    return .taken
  }

  // A digest proves itself by its length, so that a close-delimited sidecar is as good as any.
  func fetchBodyEnded() { run?.bodyIsWhole(provenByContent: true, size: Int64(bytes.count)) }

  func fetchWantsSidecarsAnew() {}

  func fetchEnded(_ ending: FetchEnding) {
    switch ending {
    case .confirmed:
      done(self, .success(Text(bytes: recorded?.body ?? [], record: nil)))
    case .downloaded(let observed):
      let record = SidecarRecord(url: maskedURL, validators: observed, body: bytes)
      done(self, .success(Text(bytes: bytes, record: record)))
    case .failed(.tooLarge, _): done(self, .failure(tooLarge))
    case .failed(let cause, _): done(self, .failure(cause))
    case .differs: done(self, .failure(.internalError("a sidecar was only probed")))
    }
  }

  func fetchReports(_ event: FetchReport) {
    if case .note(let note) = event { context.report(.note(id, note)) }
  }

  private var tooLarge: FailureCause {
    .sidecarInvalid(source: maskedURL, .tooLarge(limit: SidecarShelf.longest))
  }
}
