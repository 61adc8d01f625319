import ContentPipeline
import LocalFiles
import SyncModel

/// A body in files: pipeline, staged file, partial download.
///
/// A small body has no pipeline: it is digested when it is complete, and its file waits in memory until it is
/// published.
final class BodyIntake: TargetBody {
  private let partial: PartialDownload?
  private var staged: StagedFile?
  /// Whether ``staged`` has its bytes already: then they are only digested.
  private var isWhole = false
  /// The folder that the body's files go into; then there is no ``staged``.
  private var tree: StagedTree?
  /// A body that is processed here as it arrives, without a pipeline.
  private var small: SmallBody?
  private var pipeline: Pipeline?
  private var ticket: Ticket?
  private let order: BodyOrder
  private let bodies: FolderBodies

  /// A new body of `size` bytes, `nil` if unknown; `facts` are set if it can be resumed by them.
  convenience init(
    _ order: BodyOrder, size: Int64?, resumableBy facts: PartialFacts?, in bodies: FolderBodies
  ) throws(FailureCause) {
    var partial: PartialDownload?
    if let facts {
      if order.tree != nil, let size { try bodies.folder.requireRoom(forDownload: size) }
      partial = try PartialDownload.create(key: Self.key(of: order.output), facts: facts, in: bodies.folder)
    }
    try self.init(order, size: size, partial: partial, in: bodies)
  }

  /// Goes on with what an earlier run left; `restored` comes once it was read back.
  static func restoring(
    _ partial: PartialDownload, _ order: BodyOrder, in bodies: FolderBodies
  ) throws(FailureCause) -> BodyIntake {
    let intake = try BodyIntake(order, size: nil, partial: partial, in: bodies)
    intake.pipeline?.restore()
    return intake
  }

  private init(
    _ order: BodyOrder, size: Int64?, partial: PartialDownload?, in bodies: FolderBodies
  ) throws(FailureCause) {
    self.partial = partial
    self.bodies = bodies
    self.order = order
    // Bytes that nothing transforms are written once: the partial download becomes the output.
    if let treeOrder = order.tree {
      tree = try bodies.stagedTree(order.output, treeOrder)
    } else if partial == nil || order.spec.transforms {
      staged = try StagedFile.create(
        in: bodies.folder, for: order.output, root: bodies.root, replacing: order.isReplacing,
        withheld: order.isWithheld)
    }
    if let hit = order.hit, let staged, !order.spec.transforms, !order.isWithheld {
      isWhole = hit.becomes(staged)
    }
    if partial == nil, let staged {
      small = SmallBody(order.spec, size: size, output: isWhole ? nil : staged)
    }
    if small == nil {
      var spec = order.spec
      spec.scratch = bodies.folder
      spec.tree = tree
      if tree == nil {
        spec.requireRoom = { [bodies, output = order.output] size throws(FailureCause) in
          try bodies.folder.requireRoom(for: output, of: size, root: bodies.root)
        }
      }
      beginPipeline(spec)
    }
  }

  private func beginPipeline(_ spec: PipelineSpec) {
    let (mailbox, news, tree) = (order.driver.mailbox, order.news, tree)
    let ticket = order.driver.expect { letter in
      if case .pipeline(let event) = letter { news(BodyNews(event, tree: tree?.facts)) }
    }
    self.ticket = ticket
    let output = isWhole ? nil : staged
    pipeline = Pipeline(spec: spec, output: output, partial: partial, pool: order.driver.pool) { event in
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

  func finish() {
    guard let small else { return pipeline?.finish() ?? () }
    do throws(FailureCause) {
      order.news(BodyNews(try small.finish()))
    } catch {
      order.news(.failed(error))
    }
  }

  func handOver() -> any FinishedBody {
    forget()
    if let tree {
      return FinishedTree(
        tree, for: order.output, partial: partial, shelf: bodies.shelf, outputs: bodies.trees,
        withheld: order.isWithheld ? WithheldFolders(bodies.folder, for: bodies.root) : nil)
    }
    return FinishedFile(
      staged: staged, partial: partial, isWithheld: order.isWithheld, demandsMode: order.demandsMode,
      in: bodies)
  }

  func discard() {
    pipeline?.cancel()
    forget()
    dropStaged()
    partial?.discard()
  }

  private func dropStaged() {
    staged?.discard()
    tree?.discard()
  }

  /// Accepts no more letters.
  private func forget() {
    if let ticket { order.driver.forget(ticket) }
  }

  func keepPartial(lengthIsKnown: Bool, _ done: @escaping (Int64) -> Void) {
    forget()
    guard let partial, let pipeline else {
      discard()
      return done(0)
    }
    let mailbox = order.driver.mailbox
    let flushTicket = order.driver.expectOne { [self] _ in
      pipeline.cancel()
      dropStaged()
      done(partial.keep())
    }
    pipeline.flush(lengthIsKnown: lengthIsKnown) { mailbox.post(flushTicket, .flushed) }
  }

  func salvaged(_ order: BodyOrder) throws(FailureCause) -> (any TargetBody)? {
    guard let partial, partial.size > 0 else {
      discard()
      return nil
    }
    pipeline?.cancel()
    forget()
    dropStaged()
    return try Self.restoring(partial, order, in: bodies)
  }

  /// A partial download's name: the output's path, digested, so that any path makes a file name.
  static func key(of target: Target) -> String { key(of: target.path) }

  /// The same for any output.
  static func key(of output: RelativePath) -> String {
    String(Digester.digest(Array(output.text.utf8), .sha256).text.prefix(32))
  }
}

extension BodyNews {
  /// What a pipeline tells; `tree` has the facts of a folder that it has unpacked.
  init(_ event: PipelineEvent, tree: @autoclosure () -> TreeFacts? = nil) {
    switch event {
    case .drained: self = .hasRoom
    case .restored(let offset): self = .restored(offset: offset)
    case .finished(let result): self = .finished(result, tree())
    case .refused(let cause, let download): self = .refused(cause, download: download)
    case .failed(let cause): self = .failed(cause)
    }
  }
}
