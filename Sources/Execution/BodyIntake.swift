import ContentPipeline
import LocalFiles
import SyncModel

/// One body's way from the wire to a file that can be published: pipeline, staged file, partial download.
///
/// A body that starts over gets a new intake; one that continues keeps its own.
final class BodyIntake {
  /// Bodies up to this size come in one or two pieces; keeping a part of one is not worth two files.
  static let smallestPartial: Int64 = 16 << 10

  enum News {
    case hasRoom
    case restored(offset: Int64)
    case finished(PipelineResult)
    case failed(FailureCause)
  }

  private(set) var partial: PartialDownload?
  private var staged: StagedFile?
  private let pipeline: Pipeline
  private let ticket: Ticket
  private let driver: Driver
  private var isWaitingForFlush = false

  /// A new body; `partialFacts` are set when it could be resumed by them.
  convenience init(
    _ target: Target, spec: PipelineSpec, partialFacts: PartialDownload.Facts?, in context: RunContext,
    news: @escaping (News) -> Void
  ) throws(FailureCause) {
    guard let folder = context.stateFolder else {
      throw context.stateFault
    }
    var partial: PartialDownload?
    if let partialFacts {
      partial = try PartialDownload.create(key: Self.key(of: target), facts: partialFacts, in: folder)
    }
    try self.init(target, spec: spec, partial: partial, folder: folder, in: context, news: news)
  }

  /// Goes on with what an earlier run left; `nil` where there is nothing.
  static func resuming(
    _ target: Target, spec: PipelineSpec, in context: RunContext, news: @escaping (News) -> Void
  ) throws(FailureCause) -> BodyIntake? {
    guard let folder = context.stateFolder, let key = context.partialKey(of: target),
      let partial = PartialDownload.open(key: key, in: folder)
    else { return nil }
    let intake = try BodyIntake(
      target, spec: spec, partial: partial, folder: folder, in: context, news: news)
    intake.pipeline.restore()
    return intake
  }

  private init(
    _ target: Target, spec: PipelineSpec, partial: PartialDownload?, folder: StateFolder,
    in context: RunContext, news: @escaping (News) -> Void
  ) throws(FailureCause) {
    self.partial = partial
    driver = context.driver
    // Bytes that nothing transforms are written once: the partial download becomes the output.
    if partial == nil || spec.steps.contains(.gunzip) {
      staged = try StagedFile.create(in: folder, for: target.output, root: context.root)
    }
    let mailbox = driver.mailbox
    let ticket = driver.expect { letter in
      switch letter {
      case .pipeline(.drained): news(.hasRoom)
      case .pipeline(.restored(let offset)): news(.restored(offset: offset))
      case .pipeline(.finished(let result)): news(.finished(result))
      case .pipeline(.failed(let cause)): news(.failed(cause))
      default: break
      }
    }
    self.ticket = ticket
    pipeline = Pipeline(spec: spec, output: staged, partial: partial, pool: driver.pool) { event in
      mailbox.post(ticket, .pipeline(event))
    }
  }

  var acceptedBytes: Int64 { pipeline.acceptedBytes }

  func push(_ bytes: UnsafeRawBufferPointer) -> BodyReception { pipeline.push(bytes) ? .taken : .full }

  func finish() { pipeline.finish() }

  /// The files to publish from; call once, after `finished`, and nothing else after it.
  func handOver() -> FinishedBody {
    driver.forget(ticket)
    return FinishedBody(staged: staged, partial: partial)
  }

  /// Throws away everything, also what an earlier run left.
  func discard() {
    pipeline.cancel()
    driver.forget(ticket)
    staged?.discard()
    partial?.discard()
  }

  /// Keeps what can be resumed; `done` gets its size once it is written, 0 when nothing is kept.
  func keepPartial(_ done: @escaping (Int64) -> Void) {
    driver.forget(ticket)
    guard let partial else {
      discard()
      return done(0)
    }
    let mailbox = driver.mailbox
    var flushTicket = Ticket(number: -1)
    flushTicket = driver.expect { [self] _ in
      driver.forget(flushTicket)
      pipeline.cancel()
      staged?.discard()
      // Bytes beyond the last checkpoint are nothing to go on from.
      let size = partial.checkpoints.last?.offset ?? 0
      if size > 0 { partial.close() } else { partial.discard() }
      done(size)
    }
    pipeline.flush { [flushTicket] in mailbox.post(flushTicket, .flushed) }
  }

  /// Goes on with what has come of a body that turned out to be cut short; `nil` where nothing of it is kept.
  ///
  /// To be called after `failed`; this intake is of no use afterwards, and the new one says `restored`.
  func salvaged(
    _ target: Target, spec: PipelineSpec, in context: RunContext, news: @escaping (News) -> Void
  ) throws(FailureCause) -> BodyIntake? {
    guard let folder = context.stateFolder, let partial, partial.size > 0 else {
      discard()
      return nil
    }
    pipeline.cancel()
    driver.forget(ticket)
    staged?.discard()
    let intake = try BodyIntake(target, spec: spec, partial: partial, folder: folder, in: context, news: news)
    intake.pipeline.restore()
    return intake
  }

  /// A partial download's name: the output's path, digested, so that any path makes a file name.
  static func key(of target: Target) -> String {
    String(Digester.digest(Array(target.output.text.utf8), .sha256).text.prefix(32))
  }
}
