import ContentPipeline
import Planning
import SyncModel

/// The body of one target: its present bytes, their source, and the server's encoding.
final class TargetIntake {
  /// The identity of a body that passed its steps.
  private(set) var result: PipelineResult?
  /// Whether the bytes of the reply that came last are wanted.
  private(set) var takesReply = false
  private unowned let target: TargetDriver
  private var body: (any TargetBody)?
  private var partial: (any KeptBody)?
  /// What is read as the body in place of a source's reply: another target's output, or a file of a cache.
  private var copied: (any CopiedBody)?
  /// What the cache gets, or gives.
  private var sharing = Sharing.nothing
  /// The digests of the last reply's part, if one of that part was announced.
  private var partDigester: Digester?
  /// The length of the last reply's body, in bytes; `nil` if unknown.
  private var replyLength: Int64?
  /// The whole body's length; `nil` if unknown.
  private var total: Int64?

  init(_ target: TargetDriver) { self.target = target }

  private var context: RunContext { target.context }
  var acceptedBytes: Int64 { body?.acceptedBytes ?? 0 }

  /// A reply with a body of `length` bytes arrived.
  func expect(_ length: Int64?) {
    replyLength = length
    takesReply = false
  }

  // MARK: Beginning

  func openPartial() {
    if let key = context.state.partialKey(of: target.target) { partial = context.state.bodies?.kept(key) }
    target.tell(.partialOpened(partial?.facts))
  }

  func restore(_ spec: PipelineSpec) {
    guard let partial = partial.take() else { return }
    attempt { () throws(FailureCause) in
      try partial.restore(order(spec))
    }
  }

  func salvage(_ spec: PipelineSpec) {
    guard let old = body.take() else { return target.tell(.bodySalvaged(offset: nil)) }
    attempt { () throws(FailureCause) in
      try old.salvaged(order(spec))
    }
    // Otherwise the failure was reported, or the bytes are being read back.
    if body == nil { target.tell(.bodySalvaged(offset: nil)) }
  }

  func take(
    _ size: Int64?, _ facts: PartialFacts?, _ spec: PipelineSpec, part: Set<DigestAlgorithm>
  ) {
    body?.discard()
    attempt { () throws(FailureCause) in
      guard let bodies = context.state.bodies else { throw context.state.fault }
      return try bodies.body(order(spec), size: size, resumableBy: facts)
    }
    total = replyLength
    sharing = body == nil ? .nothing : sharing.begun(newFile(size: size))
    listen(part)
  }

  /// The reply brings the rest of the body.
  func goOn(part: Set<DigestAlgorithm>) {
    total = replyLength.map { $0 + acceptedBytes }
    listen(part)
  }

  private func order(_ spec: PipelineSpec) -> BodyOrder {
    BodyOrder(
      output: target.target.path, spec: spec, isReplacing: target.isReplacing,
      tree: target.target.treeOrder(context.settings),
      isWithheld: context.terms.withholds(target.target.id), demandsMode: target.target.mode != nil,
      hit: sharing.hit,
      driver: context.driver,
      news: { [weak self] in self?.hear($0) })
  }

  private func listen(_ part: Set<DigestAlgorithm>) {
    takesReply = body != nil
    partDigester = part.isEmpty ? nil : Digester(part)
  }

  private func attempt(_ make: () throws(FailureCause) -> (any TargetBody)?) {
    result = nil
    do throws(FailureCause) { body = try make() } catch {
      body = nil
      target.tell(.failed(error))
    }
  }

  // MARK: What the body's own work tells

  private func hear(_ news: BodyNews) {
    switch news {
    case .hasRoom:
      target.exchange.resume()
      copied?.resume()
    case .restored(let offset):
      sharing.copy?.goOn(from: offset)
      target.tell(.bodyRestored(offset: offset))
    case .finished(let result, let tree):
      self.result = result
      if let times = result.times { context.report(.stepped(target.target.id, times)) }
      target.bodyFinished(
        BodyContent(
          download: result.download,
          output: tree.map { ContentIdentity(size: $0.size, sha256: result.output.sha256) } ?? result.output,
          lengthIsProvenByContent: result.lengthIsProvenByContent, stepDigests: result.stepDigests,
          partDigests: partDigester?.finish() ?? [:], tree: tree))
    case .refused(let cause, let download):
      target.tell(
        .bodyRefused(RefusedBody(cause, download: download, partDigests: partDigester?.finish() ?? [:])))
    case .failed(let cause): target.tell(.bodyFailed(cause, accepted: acceptedBytes))
    }
  }

  // MARK: Bytes

  func push(_ bytes: UnsafeRawBufferPointer) -> BodyReception {
    guard let body else { return .stop }
    let reception = unsafe body.push(bytes)
    if reception == .taken {
      unsafe partDigester?.update(bytes)
      unsafe sharing.copy?.append(bytes)
    }
    if context.settings.reports.hasProgress {
      let progress = BodyProgress(here: body.acceptedBytes, more: Int64(bytes.count), total: total)
      context.report(.received(target.target.id, progress))
    }
    return reception
  }

  func finish() { body?.finish() }

  /// Reads another target's output as the body.
  func copy(_ id: TargetID) {
    do throws(FailureCause) {
      copy(try context.opener(of: context.manifest[id].path)()) { .failed($0) }
    } catch {
      target.tell(.failed(error))
    }
  }

  /// Reads a file of the cache as the body.
  func copy(_ file: CachedFile) {
    let output = target.target.output
    let mayBeLinked = output.mode == nil && target.target.freshness?.traits.setsTime != true
    guard let hit = context.state.caches?.local?.open(file, mayBeLinked: mayBeLinked) else {
      return target.tell(.cacheFailed)
    }
    sharing = .taking(hit)
    copy(hit) { _ in .cacheFailed }
  }

  private func copy(_ file: some OpenedFile, failing: @escaping (FailureCause) -> TargetEvent) {
    expect(file.signature.size)
    let pump = unsafe FilePump(file) { [weak self] bytes in
      unsafe self?.body?.push(bytes) ?? .stop
    } ended: { [weak self] ending in
      switch ending {
      case .whole:
        self?.stopCopying()
        self?.finish()
      case .stopped: break
      case .failed(let cause): self?.target.tell(failing(cause))
      }
    }
    copied = pump
    target.tell(.copyOpened(size: file.signature.size))
    context.driver.add(pump)
  }

  /// Takes the body from a request to the cache on a server, which has `size` bytes.
  func copy(_ request: RemoteRequest, size: Int64) {
    if let free = roomMissing(for: size) {
      request.cancel()
      return target.tell(
        .cacheRefused(.roomMissing(path: target.target.path.text, needed: size, free: free)))
    }
    expect(size)
    copied = request
    unsafe request.attach(
      .init { [weak self] bytes in
        unsafe self?.push(bytes) ?? .stop
      } ended: { [weak self] isWhole in
        if isWhole { self?.finish() } else { self?.target.tell(.cacheFailed) }
      })
    target.tell(.copyOpened(size: size))
  }

  /// The free bytes, if a file of a server's cache cannot become the output for want of room. What a server announces may be
  /// no file at all, which would show only when the disk is full.
  private func roomMissing(for size: Int64) -> Int64? {
    guard size > Self.worthALook, !target.target.steps.contains(where: \.transforms),
      let free = context.root.freeBytes(at: target.target.path), size > free
    else { return nil }
    return free
  }

  /// In bytes: smaller files are written without a look at the disk.
  private static let worthALook: Int64 = 16 << 20

  func stopCopying() {
    copied?.cancel()
    copied = nil
    // What comes next is not the cache's file.
    if case .taking = sharing { sharing = .nothing }
  }

  // MARK: Keeping for the cache

  private enum Sharing {
    case nothing
    /// The body comes from the cache.
    case taking(CacheHit)
    /// The body that comes next.
    case next
    case body(CacheCopy)

    var copy: CacheCopy? { if case .body(let copy) = self { copy } else { nil } }

    var hit: CacheHit? { if case .taking(let hit) = self { hit } else { nil } }

    func begun(_ copy: @autoclosure () -> CacheCopy?) -> Sharing {
      if case .next = self, let copy = copy() { .body(copy) } else { .nothing }
    }
  }

  /// A file that the caches get; `nil` if none of them wants it.
  private func newFile(size: Int64?) -> CacheCopy? {
    context.state.caches?.newFile(
      size: size, isForServer: target.target.cache == .share && !(copied is RemoteRequest))
  }

  /// The body that comes next is kept for the cache, too.
  func keepNext() { sharing = .next }

  /// Puts the body, which has become the output, into the cache; nothing if it was not kept whole.
  func store(_ entry: CacheEntry) {
    if let copy = sharing.copy {
      context.state.caches?.store(entry, copy, isShared: target.target.cache == .share)
    }
    sharing = .nothing
  }

  // MARK: Ending

  /// The files to publish; `nil` if there is no body. The body then belongs to the caller.
  func handOver() -> (any FinishedBody)? { body.take()?.handOver() }

  func discard() {
    takesReply = false
    body.take()?.discard()
  }

  func keepPartial() {
    guard let body = body.take() else { return target.tell(.partialKept(0)) }
    // A body that has passed its steps has no checkpoint at its end, so it gets one. If nothing proves its length it gets
    // none: the next run asks for the last bytes again, and the reply has the length.
    if let result, result.lengthIsProvenByContent || total == result.download.size {
      return target.tell(.partialKept(body.handOver().giveUp(result.download)))
    }
    body.keepPartial(lengthIsKnown: total != nil) { [target] in target.tell(.partialKept($0)) }
  }
}

/// The source of a body that is no reply of the target's own source.
protocol CopiedBody: AnyObject {
  /// There is room again.
  func resume()
  /// No more is wanted.
  func cancel()
}

extension FilePump: CopiedBody {}
extension RemoteRequest: CopiedBody {}
