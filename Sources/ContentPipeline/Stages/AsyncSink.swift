import LocalFiles
import SyncModel

/// The work of an ``AsyncSink``.
enum SinkItem {
  case bytes([Block], beside: Bool)
  case checkpoint(PartialDownload.Checkpoint)
  /// A checkpoint at the present position of the digest of this stage.
  case checkpointHere
}

/// A stage that digests bytes, and writes a file or passes them to the next stage.
///
/// In items, mostly blocks: 2 MiB wait, and as much is in work if blocks are gathered.
final class AsyncSink: BesideStage<SinkItem>, @unchecked Sendable {
  /// The destination of the bytes.
  enum Goal {
    case partial(PartialDownload)
    case output(StagedFile)
    /// They are only digested.
    case nowhere
  }

  /// The bytes that this stage digests; read it after `settle`.
  private(set) var segment: ByteSegment?
  /// The sums of the decompressed members; `nil` if the bytes were not decompressed.
  private var proof: GzipTrailerCheck?
  private var meter: StepMeter?
  private let goal: Goal
  /// The next stage for digested bytes; `nil` if this stage has the file.
  private let next: AsyncSink?

  /// A stage that writes to `goal`, and digests the bytes first if there is a `segment`.
  ///
  /// With `inPairs` a block waits for a second one. Not for a partial: a kill loses waiting bytes.
  init(
    _ segment: ByteSegment? = nil, to goal: Goal, pool: WorkerPool, meter: StepMeter?, inPairs: Bool = false
  ) {
    self.segment = segment
    self.goal = goal
    self.meter = meter
    next = nil
    proof = nil
    super.init(pool: pool, worthWaking: inPairs ? 2 : 1)
  }

  /// A stage that checks and digests decompressed bytes, followed by one that writes to `goal`: one waits for the
  /// processor, the other for the disk.
  init(unpacked segment: ByteSegment, to goal: Goal, pool: WorkerPool, meter: StepMeter?) {
    self.segment = segment
    self.goal = .nowhere
    proof = GzipTrailerCheck()
    self.meter = meter
    next = AsyncSink(to: goal, pool: pool, meter: meter, inPairs: true)
    super.init(pool: pool, worthWaking: 2)
  }

  /// The times of this stage and the next one; read it after `settle`, empty if not requested.
  var meters: [StepMeter] { [meter].compactMap { $0 } + (next?.meters ?? []) }

  /// Takes `block` over; `beside`: on another thread, if one is free. Throws what failed before, too.
  func take(_ block: Block, beside: Bool) throws(FailureCause) {
    try add(.bytes([block], beside: beside), beside: beside)
  }

  /// Records `checkpoint` in the partial after the bytes taken before.
  func note(_ checkpoint: PartialDownload.Checkpoint, beside: Bool) throws(FailureCause) {
    try add(.checkpoint(checkpoint), beside: beside)
  }

  /// Records in the partial the position after the bytes taken before, if this stage digests them.
  func noteHere(beside: Bool) throws(FailureCause) { try add(.checkpointHere, beside: beside) }

  /// Throws the fault of `block` as the next decompressed bytes, without taking it; only after `settle`.
  func prove(_ block: Block) throws(FailureCause) {
    var proof = proof
    try proof?.take(block)
  }

  /// Continues to digest from the position of `segment`; only before the first bytes.
  func adopt(_ segment: ByteSegment) { self.segment = segment }

  override func settle() throws(FailureCause) {
    try super.settle()
    try next?.settle()
  }

  override func stop() {
    super.stop()
    next?.stop()
  }

  /// Forgets the bytes; only after `stop`.
  func restart() {
    segment?.restart()
    proof?.restart()
  }

  // MARK: The work

  override func perform(_ item: SinkItem) throws(FailureCause) {
    switch item {
    case .bytes(let blocks, let beside): try pass(blocks, beside: beside)
    case .checkpoint(let checkpoint): try note(checkpoint)
    case .checkpointHere: try note(segment?.checkpoint)
    }
  }

  /// Few large writes are faster on the disk; bytes to pass on should be passed on at once.
  override func join(_ item: inout SinkItem, _ next: SinkItem) -> Bool {
    guard self.next == nil, case .bytes(let blocks, let beside) = item, case .bytes(let more, _) = next else {
      return false
    }
    item = .bytes(blocks + more, beside: beside)
    return true
  }

  override func recycle(_ items: [SinkItem]) {
    for case .bytes(let blocks, _) in items { blocks.forEach(pool.blocks.give) }
  }

  /// Digests `blocks`, and hands them on, or writes them and gives them back.
  private func pass(_ blocks: [Block], beside: Bool) throws(FailureCause) {
    guard let next else {
      defer { blocks.forEach(pool.blocks.give) }
      for block in blocks { try digest(block) }
      return try unsafe write(blocks.map(unsafe \.bytes))
    }
    for block in blocks {
      do throws(FailureCause) { try digest(block) } catch {
        pool.blocks.give(block)
        throw error
      }
      try next.take(block, beside: beside)
    }
  }

  private func note(_ checkpoint: PartialDownload.Checkpoint?) throws(FailureCause) {
    guard case .partial(let file) = goal, let checkpoint else { return }
    try file.note(checkpoint)
  }

  private func digest(_ block: Block) throws(FailureCause) {
    guard segment != nil else { return }
    let began = meter?.start()
    try proof?.take(block)
    try unsafe segment?.update(block.bytes)
    meter?.add(\.verifying, since: began)
  }

  private func write(_ pieces: [UnsafeRawBufferPointer]) throws(FailureCause) {
    let began = meter?.start()
    switch goal {
    case .partial(let file): try unsafe file.append(pieces)
    case .output(let file): try unsafe file.write(pieces)
    case .nowhere: break
    }
    meter?.add(\.writing, since: began)
  }
}
