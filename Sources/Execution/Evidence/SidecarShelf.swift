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
    case underWay(DocumentFetch?, Waiting)
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
    let asker = target.asking(for: first)
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
    var order = DocumentFetch.Order(
      urls: key.urls, asker: asker,
      recorded: recorded.map { DocumentFetch.Text(bytes: $0.body, validators: $0.validators) },
      limit: Self.longest, tooLarge: tooLarge(key))
    order.passesCaches = anew
    let fetch = DocumentFetch(order, in: context) { [unowned self] fetch, text in
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
          return tooLarge(key)
        }
        finish(key, text.map { DocumentFetch.Text(bytes: $0, validators: nil) }, ExchangeTotals())
      })
  }

  private func finish(
    _ key: Key, _ text: Result<DocumentFetch.Text, FailureCause>, _ totals: ExchangeTotals
  ) {
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
  /// other headers, credentials or parameters that may sign the same date may belong to another text.
  private func recordName(_ key: Key) -> String? {
    let name = masked(key)
    return key.headers.isEmpty && key.authentication == nil && name.hasSameBytes(as: key.urls[0].text)
      ? name : nil
  }

  private func tooLarge(_ key: Key) -> FailureCause {
    .sidecarInvalid(source: masked(key), .tooLarge(limit: Self.longest))
  }

  private func masked(_ key: Key) -> String { context.manifest.secrets.mask(key.urls[0].shown) }
}
