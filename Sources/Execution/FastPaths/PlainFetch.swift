import ContentPipeline
import LocalFiles
import Planning
import SyncModel
import Transfer

/// A small file without an old output, as long as everything is as usual (docs/decisions/0016).
///
/// One request, a 200 with a body of known, small size that passes, and the publication: a ``TargetDriver`` has the
/// same result. Anything else creates a ``TargetDriver``, which gets all earlier events and continues.
final class PlainFetch {
  let target: Target
  private let way: PlainWay
  private let began: Duration
  /// `nil` before the exchange starts, and after it has ended or was handed over.
  private var exchange: ExchangeID?
  private var result: TargetResult
  /// The reply's, once it was taken.
  private var head: ResponseHead?
  private var body: [UInt8] = []
  private var file: (any HeldFile)?
  /// The receiver of all later events.
  private var heir: SourceExchange?

  /// For a target that may go that way; `began` is when it was first looked at.
  init(_ target: Target, began: Duration, on way: PlainWay) {
    self.target = target
    self.began = began
    self.way = way
    result = TargetResult(id: target.id, name: target.name, outcome: .failed, output: target.output)
    result.isOptional = target.isOptional
  }

  func begin(asking url: String, over network: any ExchangeNetwork) {
    let reason = Reason.stale(.outputMissing)
    result.reason = reason
    way.context.report(.decided(target.id, reason))
    let request = ExchangeRequest(
      url: url, headers: target.headers, authentication: target.authentication, timeouts: target.timeouts)
    exchange = network.start(request, client: self)
  }

  // MARK: The full path

  /// Has the full path take over all that came so far, and whatever comes; `nil` if the target is over then.
  private func handOver() -> SourceExchange? {
    // Called once: the heir gets all later events.
    guard let exchange = exchange.take() else { return nil }
    let (head, body) = (head, body)
    self.head = nil
    self.body = []
    file = nil
    let heir = way.handOver(
      target.id,
      AdoptedExchange(id: exchange, status: result.httpStatus, url: result.url, began: began))
    self.heir = heir
    guard let head else { return heir }
    guard heir.exchange(exchange, received: head) == .take else { return heir }
    if !body.isEmpty { _ = unsafe body.withUnsafeBytes { unsafe heir.exchange(exchange, received: $0) } }
    return heir
  }

  // MARK: Putting it in place

  /// The body's digests; `nil` if it does not match its target's demands.
  private func passed() -> ContentIdentity? {
    let demanded = BodyDemands.algorithms(of: target)
    var digester = Digester(where: { $0 == .sha256 || demanded.contains($0) })
    unsafe body.withUnsafeBytes { unsafe digester.update($0) }
    let identity = digester.identity(size: Int64(body.count))
    return BodyDemands.meetsLiteral(identity, target) ? identity : nil
  }

  private func publish(_ content: ContentIdentity, _ head: ResponseHead, _ file: any HeldFile) {
    let context = way.context
    let observed = Validators(etag: head.etag, lastModified: head.lastModified, url: head.url)
    let now = context.clock.now()
    // The committer sets the file's own attributes.
    let unsigned = FileSignature(size: content.size, modified: now, changed: now, inode: 0)
    let body = BodyContent(download: content, output: content)
    let question = FreshnessQuestion(
      target: target, definition: Definition.fields(of: target, in: context.manifest), record: nil,
      output: .missing, now: now)
    let record = RecordRules(question, [], BodyDemands.none, now: now).fetched(
      body, observed, hasServerDigest: false, unsigned, since: nil)
    let job = PublishJob(
      body: file, record: record, over: .missing, mode: target.output.mode,
      modified: RecordRules.time(of: target, observed, now: now))
    let ticket = context.driver.expectOne { [self] letter in
      guard case .published(let published) = letter else { return }
      switch published {
      case .success: succeed(with: content)
      case .failure(let failure): fail(failure.cause, keptPartial: failure.keptPartial)
      }
    }
    way.committer.publish(job, ticket)
    way.closing(target.id)
  }

  private func succeed(with content: ContentIdentity) {
    result.content = content
    way.context.settle(target.id, content: content)
    end(.updated)
  }

  private func fail(_ cause: FailureCause, keptPartial: Int64 = 0) {
    result.failure = TargetFailure(cause, keptPartial: keptPartial)
    end(.failed)
  }

  private func end(_ outcome: Outcome) {
    result.outcome = outcome
    result.duration = way.context.clock.monotonic() - began
    way.done(result)
  }
}

extension PlainFetch: ActiveTarget {
  func interrupt() {
    guard let id = exchange else { return }
    exchange = nil
    if let cost = way.context.driver.network?.cancel(id) { result.totals += cost }
    result.reason = nil
    result.skipped = .runStopped
    end(.skipped)
  }
}

extension PlainFetch: ExchangeClient {
  func exchange(_ id: ExchangeID, note: ExchangeNote) {
    if let heir { return heir.exchange(id, note: note) }
    if case .response(let status, let url, _) = note {
      result.httpStatus = status
      result.url = url
    }
    way.context.report(.note(target.id, note))
  }

  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
    if let heir { return heir.exchange(id, received: head) }
    if let size = way.sizeOfPlainBody(head, for: target), let file = way.file(for: target) {
      self.file = file
      self.head = head
      body.reserveCapacity(size)
      return .take
    }
    return handOver()?.exchange(id, received: head) ?? .drop
  }

  func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception {
    if let heir { return unsafe heir.exchange(id, received: bytes) }
    guard body.count + bytes.count <= StagedFile.mostHeld else {
      return unsafe handOver()?.exchange(id, received: bytes) ?? .stop
    }
    unsafe body.append(contentsOf: bytes)
    return .taken
  }

  func exchange(_ id: ExchangeID, traced trace: RequestTrace) { heir?.exchange(id, traced: trace) }

  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
    if let heir { return heir.exchange(id, ended: end, totals: totals) }
    guard end == .complete(lengthIsProven: true), let head, let file, let content = passed(),
      (try? file.fill(body)) != nil
    else {
      handOver()?.exchange(id, ended: end, totals: totals)
      return
    }
    exchange = nil
    body = []
    result.totals = totals
    // All at once: the receiver of the replay reports the events.
    if way.context.settings.reports.hasProgress {
      let progress = BodyProgress(here: content.size, more: content.size, total: content.size)
      way.context.report(.received(target.id, progress))
    }
    publish(content, head, file)
  }
}
