import ContentPipeline
import LocalFiles
import SyncModel

/// The path of one body from the network to a file that can be published: pipeline, staged file, partial download.
///
/// A small body has no pipeline: it is digested when it is complete, and its file waits in memory until it is
/// published. A body that starts over gets a new intake; one that continues keeps its own.
final class BodyIntake {
  enum News {
    case hasRoom
    case restored(offset: Int64)
    case finished(PipelineResult)
    indirect case refused(FailureCause, download: ContentIdentity)
    case failed(FailureCause)
  }

  private(set) var partial: PartialDownload?
  private var staged: StagedFile?
  /// A body that is processed here as it arrives, without a pipeline.
  private var small: SmallBody?
  private var pipeline: Pipeline?
  private var ticket: Ticket?
  private let news: (News) -> Void
  private let driver: Driver

  /// A new body of `size` bytes, `nil` if unknown; `partialFacts` are set if it can be resumed by them. `replacing`
  /// tells whether there is a file that it may turn out to equal.
  convenience init(
    _ target: Target, spec: PipelineSpec, size: Int64?, partialFacts: PartialFacts?, replacing: Bool,
    in context: RunContext,
    news: @escaping (News) -> Void
  ) throws(FailureCause) {
    guard let folder = context.state.folder else {
      throw context.state.fault
    }
    var partial: PartialDownload?
    if let partialFacts {
      partial = try PartialDownload.create(key: Self.key(of: target), facts: partialFacts, in: folder)
    }
    try self.init(
      target, spec: spec, size: size, partial: partial, folder: folder, replacing: replacing, in: context,
      news: news)
  }

  /// Goes on with what an earlier run left; `restored` comes once it was read back.
  static func restoring(
    _ partial: PartialDownload, _ target: Target, _ spec: PipelineSpec, replacing: Bool,
    in context: RunContext, news: @escaping (News) -> Void
  ) throws(FailureCause) -> BodyIntake {
    guard let folder = context.state.folder else { throw context.state.fault }
    let intake = try BodyIntake(
      target, spec: spec, size: nil, partial: partial, folder: folder, replacing: replacing, in: context,
      news: news)
    intake.pipeline?.restore()
    return intake
  }

  private init(
    _ target: Target, spec: PipelineSpec, size: Int64?, partial: PartialDownload?, folder: StateFolder,
    replacing: Bool, in context: RunContext, news: @escaping (News) -> Void
  ) throws(FailureCause) {
    self.partial = partial
    self.news = news
    driver = context.driver
    // Bytes that nothing transforms are written once: the partial download becomes the output.
    if partial == nil || spec.transforms {
      staged = try StagedFile.create(
        in: folder, for: target.output.path, root: context.root, replacing: replacing,
        withheld: context.state.withheld != nil)
    }
    if partial == nil, let staged { small = SmallBody(spec, size: size, output: staged) }
    if small == nil { beginPipeline(spec) }
  }

  private func beginPipeline(_ spec: PipelineSpec) {
    let (mailbox, news) = (driver.mailbox, news)
    let ticket = driver.expect { letter in
      if case .pipeline(let event) = letter { news(News(event)) }
    }
    self.ticket = ticket
    pipeline = Pipeline(spec: spec, output: staged, partial: partial, pool: driver.pool) { event in
      mailbox.post(ticket, .pipeline(event))
    }
  }

  var acceptedBytes: Int64 { pipeline?.acceptedBytes ?? small?.acceptedBytes ?? 0 }

  func push(_ bytes: UnsafeRawBufferPointer) -> BodyReception {
    if unsafe small?.take(bytes) == true { return .taken }
    growOutOfSmall()
    return unsafe pipeline?.push(bytes) ?? true ? .taken : .full
  }

  /// A file that grows while it is read is larger than it was.
  private func growOutOfSmall() {
    guard let grown = small else { return }
    small = nil
    beginPipeline(grown.spec)
    // There is always room for the first.
    _ = unsafe grown.bytes.withUnsafeBytes { unsafe pipeline?.push($0) }
  }

  /// There are no more bytes: `finished` or `failed` follows, for a small body before this returns.
  func finish() {
    guard let small else { return pipeline?.finish() ?? () }
    do throws(FailureCause) {
      news(News(try small.finish()))
    } catch {
      news(.failed(error))
    }
  }

  /// The files to publish from; call once, after `finished`, and nothing else after it.
  func handOver() -> FinishedBody {
    forget()
    return FinishedBody(staged: staged, partial: partial)
  }

  /// Throws away everything, also what an earlier run left.
  func discard() {
    pipeline?.cancel()
    forget()
    staged?.discard()
    partial?.discard()
  }

  /// Accepts no more letters.
  private func forget() {
    if let ticket { driver.forget(ticket) }
  }

  /// Keeps what can be resumed; `done` gets its size once it is written, 0 when nothing is kept.
  func keepPartial(_ done: @escaping (Int64) -> Void) {
    forget()
    guard let partial, let pipeline else {
      discard()
      return done(0)
    }
    let mailbox = driver.mailbox
    var flushTicket = Ticket(number: -1)
    flushTicket = driver.expect { [self] _ in
      driver.forget(flushTicket)
      pipeline.cancel()
      staged?.discard()
      done(partial.keep())
    }
    pipeline.flush { [flushTicket] in mailbox.post(flushTicket, .flushed) }
  }

  /// Continues with the received part of a truncated body; `nil` if nothing of it is kept.
  ///
  /// Call it after `failed`; this intake is useless afterwards, and the new one reports `restored`.
  func salvaged(
    _ target: Target, spec: PipelineSpec, replacing: Bool, in context: RunContext,
    news: @escaping (News) -> Void
  ) throws(FailureCause) -> BodyIntake? {
    guard let partial, partial.size > 0 else {
      discard()
      return nil
    }
    pipeline?.cancel()
    forget()
    staged?.discard()
    return try .restoring(partial, target, spec, replacing: replacing, in: context, news: news)
  }

  /// A partial download's name: the output's path, digested, so that any path makes a file name.
  static func key(of target: Target) -> String { key(of: target.output.path) }

  /// The same for any output.
  static func key(of output: RelativePath) -> String {
    String(Digester.digest(Array(output.text.utf8), .sha256).text.prefix(32))
  }
}

extension BodyIntake.News {
  fileprivate init(_ event: PipelineEvent) {
    switch event {
    case .drained: self = .hasRoom
    case .restored(let offset): self = .restored(offset: offset)
    case .finished(let result): self = .finished(result)
    case .refused(let cause, let download): self = .refused(cause, download: download)
    case .failed(let cause): self = .failed(cause)
    }
  }
}
