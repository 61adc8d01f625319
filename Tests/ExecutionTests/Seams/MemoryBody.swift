import LocalFiles
import Platform
import SyncModel

@testable import ContentPipeline
@testable import Execution

/// A partial download of ``MemoryOutputs``.
struct MemoryPartial: Sendable {
  var facts: PartialFacts
  var bytes: [UInt8] = []
  var changed: Timestamp
}

extension MemoryOutputs: BodyStore {
  func body(
    _ order: BodyOrder, size: Int64?, resumableBy facts: PartialFacts?
  ) throws(FailureCause) -> any TargetBody {
    let key = BodyIntake.key(of: order.output)
    if let facts {
      state.withLock { $0.partials[key] = MemoryPartial(facts: facts, changed: clock.now()) }
    }
    return MemoryBody(order, size: size, key: facts.map { _ in key }, in: self)
  }

  func heldFile(for output: RelativePath) -> (any HeldFile)? {
    state.withLock { $0.heldFiles += 1 }
    return MemoryFinishedBody([], key: nil, in: self)
  }

  func sync(_ bodies: [any FinishedBody]) throws(FailureCause) -> Set<UInt64> {
    for body in bodies { try body.sync() }
    if !bodies.isEmpty { state.withLock { $0.steps.append(.synced(bodies.count)) } }
    return []
  }

  var isFull: FailureCause { .stateDiskFull(folder: "memory", largest: nil) }

  var partialKeys: Set<String> { state.withLock { Set($0.partials.keys) } }

  func kept(_ key: String) -> (any KeptBody)? {
    state.withLock { $0.partials[key]?.facts }.map { MemoryKept(facts: $0, key: key, outputs: self) }
  }

  func removePartials(unusedSince moment: Timestamp, except keys: Set<String>) {
    state.withLock { state in
      state.partials = state.partials.filter { keys.contains($0.key) || $0.value.changed >= moment }
    }
  }

  func removePartial(_ key: String, ifUnusedSince moment: Timestamp) {
    state.withLock { state in
      if let partial = state.partials[key], partial.changed < moment { state.partials[key] = nil }
    }
  }
}

private final class MemoryKept: KeptBody {
  let facts: PartialFacts
  private let key: String
  private let outputs: MemoryOutputs

  init(facts: PartialFacts, key: String, outputs: MemoryOutputs) {
    self.facts = facts
    self.key = key
    self.outputs = outputs
  }

  func restore(_ order: BodyOrder) throws(FailureCause) -> any TargetBody {
    let body = MemoryBody(order, size: nil, key: key, in: outputs)
    body.restore()
    return body
  }
}

/// A body in memory that is digested and compared as a small one on the disk; none is decompressed.
private final class MemoryBody: TargetBody {
  private let order: BodyOrder
  private let outputs: MemoryOutputs
  /// `nil` if it cannot be resumed.
  private let key: String?
  private let isSmall: Bool
  private var bytes: [UInt8] = []
  /// `nil` after the end, or a fault.
  private var segment: ByteSegment?
  private var ticket: Ticket?
  private var hadRoom = false

  init(_ order: BodyOrder, size: Int64?, key: String?, in outputs: MemoryOutputs) {
    self.order = order
    self.outputs = outputs
    self.key = key
    isSmall = key == nil && size.map { $0 <= StagedFile.mostHeld } ?? false
    segment = order.spec.segments().first
    let news = order.news
    ticket = order.driver.expect { letter in
      if case .pipeline(let event) = letter { news(BodyNews(event)) }
    }
    if order.spec.transforms { fail(.internalError("in memory nothing is decompressed")) }
  }

  /// The driver's thread hears of it in its next turn.
  private func tell(_ event: PipelineEvent) {
    if let ticket { order.driver.mailbox.post(ticket, .pipeline(event)) }
  }

  private func fail(_ cause: FailureCause) {
    segment = nil
    tell(.failed(cause))
  }

  func restore() {
    let kept = key.flatMap { key in outputs.state.withLock { $0.partials[key]?.bytes } } ?? []
    bytes = kept
    update(kept)
    tell(.restored(offset: Int64(bytes.count)))
  }

  var acceptedBytes: Int64 { Int64(bytes.count) }

  func push(_ piece: UnsafeRawBufferPointer) -> BodyReception {
    if outputs.state.withLock({ $0.isCramped }) {
      hadRoom.toggle()
      guard hadRoom else {
        tell(.drained)
        return .full
      }
    }
    guard segment != nil else { return .taken }
    bytes += piece
    if let key {
      outputs.state.withLock { state in
        state.partials[key]?.bytes = bytes
        state.partials[key]?.changed = outputs.clock.now()
      }
    }
    update(Array(piece))
    return .taken
  }

  private func update(_ piece: [UInt8]) {
    guard var changed = segment.take() else { return }
    var fault: FailureCause?
    piece.withUnsafeBytes { bytes in
      do throws(FailureCause) { try changed.update(bytes) } catch { fault = error }
    }
    if let fault { return fail(fault) }
    segment = changed
  }

  func finish() {
    guard let segment = segment.take() else { return }
    let event = end(segment)
    if isSmall { order.news(BodyNews(event)) } else { tell(event) }
  }

  private func end(_ segment: ByteSegment) -> PipelineEvent {
    let identity = segment.identity
    do throws(FailureCause) { try segment.verify(identity) } catch {
      guard order.spec.digestsRefusedDownload, error.traits.contains(.refusedByStep) else {
        return .failed(error)
      }
      return .refused(error, download: identity)
    }
    return .finished(
      PipelineResult(
        download: identity, output: identity, lengthIsProvenByContent: order.spec.provesLength,
        stepDigests: segment.stepDigests(identity), signedContents: segment.signedContents))
  }

  private func forget() {
    if let ticket { order.driver.forget(ticket) }
    ticket = nil
  }

  func handOver() -> any FinishedBody {
    forget()
    return MemoryFinishedBody(bytes, key: key, in: outputs)
  }

  func discard() {
    forget()
    if let key { outputs.state.withLock { $0.partials[key] = nil } }
  }

  func keepPartial(lengthIsKnown: Bool, _ done: @escaping (Int64) -> Void) {
    forget()
    guard key != nil, !bytes.isEmpty else {
      discard()
      return done(0)
    }
    let driver = order.driver
    let count = acceptedBytes
    var ticket = Ticket(number: -1)
    ticket = driver.expect { _ in
      driver.forget(ticket)
      done(count)
    }
    driver.mailbox.post(ticket, .flushed)
  }

  func salvaged(_ order: BodyOrder) throws(FailureCause) -> (any TargetBody)? {
    forget()
    guard key != nil, !bytes.isEmpty else {
      discard()
      return nil
    }
    let body = MemoryBody(order, size: nil, key: key, in: outputs)
    body.restore()
    return body
  }
}

/// A complete body in memory; it must be prepared and synced before it is published.
final class MemoryFinishedBody: HeldFile, @unchecked Sendable {
  private var bytes: [UInt8]
  private let key: String?
  private let outputs: MemoryOutputs
  private var output = ""
  /// `nil` before it was prepared, and after its end.
  private var signature: FileSignature?
  private var isSynced = false
  private let isEmpty: Bool

  /// With a `key` its bytes are those of a partial download.
  init(_ bytes: [UInt8], key: String?, in outputs: MemoryOutputs, isEmpty: Bool = false) {
    self.bytes = bytes
    self.key = key
    self.outputs = outputs
    self.isEmpty = isEmpty
  }

  func fill(_ bytes: [UInt8]) throws(FailureCause) { self.bytes = bytes }

  func prepare(
    for output: RelativePath, over expected: OutputObservation, mode: UInt16?, modified: Timestamp?
  ) throws(FailureCause) -> FileSignature {
    if isEmpty { throw .internalError("a body without a file") }
    self.output = output.text
    let made = outputs.state.withLock { state in
      let now = state.stamp(outputs.clock)
      return FileSignature(
        size: Int64(bytes.count), modified: modified ?? now, changed: now, inode: state.newInode())
    }
    signature = made
    return made
  }

  func sync() throws(FailureCause) { isSynced = true }

  var isBegun: Bool { outputs.state.withLock { $0.isBegun } }

  func publish(
    over expected: OutputObservation, mode: UInt16?, modified: Timestamp?, expectedDigest: HexDigest?,
    in group: PublishedGroup
  ) throws(FailureCause) -> FileSignature {
    guard var signature, isSynced else { throw .internalError("\(output) is published too early or twice") }
    let wasPartial = key != nil
    let result = outputs.state.withLock { state -> Result<FileSignature, FailureCause> in
      if let fault = state.fault { return .failure(fault) }
      if case .unusable(let fault) = expected { return .failure(.outputUnwritable(path: output, fault)) }
      switch state.observe(output) {
      case .unusable(let fault): return .failure(.outputUnwritable(path: output, fault))
      case .file(let now) where .file(now) != expected:
        return .failure(.outputModified(expected: expectedDigest, actual: nil))
      case .file, .missing, .incomplete: break
      }
      let now = state.stamp(outputs.clock)
      if let modified {
        signature.modified = modified
      } else if expected != .missing || wasPartial {
        signature.modified = now
      }
      signature.changed = now
      let mode = mode ?? state.files[output]?.mode ?? 0o644
      state.files[output] = MemoryOutputs.Entry(bytes: bytes, signature: signature, mode: mode)
      state.steps.append(.published(output))
      return .success(signature)
    }
    let published = try result.get()
    self.signature = nil
    return published
  }

  func withhold(as key: String) throws(FailureCause) -> FileSignature {
    throw .internalError("in memory nothing is withheld")
  }

  func dropPartial() {
    if let key { outputs.state.withLock { $0.partials[key] = nil } }
  }

  func giveUp(_ download: ContentIdentity?) -> Int64 {
    signature = nil
    return key != nil && download != nil ? Int64(bytes.count) : 0
  }
}
