import LocalFiles
import Platform
import SyncModel

/// A stage that may run parallel to the stage before it: it digests bytes, and writes a file or passes them to the
/// next stage.
///
/// If no thread of the pool has begun with added work, the thread that adds work also does it. So a thread only
/// waits for a running thread, and pipelines cannot block each other, whatever the pool's size.
final class AsyncSink: @unchecked Sendable {
  fileprivate enum Item {
    case bytes([Block], beside: Bool)
    case checkpoint(PartialDownload.Checkpoint)
    /// A checkpoint at the present position of the digest of this stage.
    case checkpointHere
  }

  fileprivate struct State {
    /// Few large writes are faster on the disk; bytes to digest should be passed on at once.
    let gathers: Bool
    /// The number of items that justify waking a thread; fewer wait for more, or for `settle`.
    let worthWaking: Int
    var items = Queue<Item>()
    /// A thread works on an item; only that one touches `stretch`, `meter` and the file.
    var isBusy = false
    /// A job for the items is on its way in the pool.
    var isScheduled = false
    var failure: FailureCause?
  }

  /// The work of a thread on this stage.
  fileprivate enum Turn {
    case perform(Item)
    case done(mustSchedule: Bool)
    case failed(FailureCause)
  }

  /// In items, mostly blocks: 2 MiB in the queue, and as much in work if blocks are gathered.
  private static let limit = 4

  /// The destination of the bytes.
  enum Goal {
    case partial(PartialDownload)
    case output(StagedFile)
    /// They are only digested.
    case nowhere
  }

  /// The bytes that this stage digests; read it after `settle`.
  private(set) var stretch: ByteSegment?
  /// The sums of the decompressed members; `nil` if the bytes were not decompressed.
  private var proof: GzipTrailerCheck?
  private var meter: StepMeter?
  private let goal: Goal
  /// The next stage for digested bytes; `nil` if this stage has the file.
  private let next: AsyncSink?
  private let pool: WorkerPool
  private let state: Monitor<State>

  /// A stage that writes to `goal`, and digests the bytes first if there is a `stretch`.
  ///
  /// With `inPairs` a block waits for a second one. Not for a partial: a kill loses waiting bytes.
  init(
    _ stretch: ByteSegment? = nil, to goal: Goal, pool: WorkerPool, meter: StepMeter?, inPairs: Bool = false
  ) {
    self.stretch = stretch
    self.goal = goal
    self.pool = pool
    self.meter = meter
    next = nil
    proof = nil
    state = Monitor(State(gathers: true, worthWaking: inPairs ? 2 : 1))
  }

  /// A stage that checks and digests decompressed bytes, followed by one that writes to `goal`: one waits for the
  /// processor, the other for the disk.
  init(unpacked stretch: ByteSegment, to goal: Goal, pool: WorkerPool, meter: StepMeter?) {
    self.stretch = stretch
    self.goal = .nowhere
    proof = GzipTrailerCheck()
    self.pool = pool
    self.meter = meter
    next = AsyncSink(to: goal, pool: pool, meter: meter, inPairs: true)
    state = Monitor(State(gathers: false, worthWaking: 2))
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

  /// Continues to digest from the position of `stretch`; only before the first bytes.
  func adopt(_ stretch: ByteSegment) { self.stretch = stretch }

  /// Does or waits for all that was added; throws what went wrong in it.
  func settle() throws(FailureCause) {
    while true {
      let turn: Turn = state.wait { state in
        if state.isBusy { return nil }
        return state.begin() ?? state.failure.map { .failed($0) } ?? .done(mustSchedule: false)
      }
      switch turn {
      case .perform(let item): perform(item)
      case .failed(let cause): throw cause
      case .done: return try next?.settle() ?? ()
      }
    }
  }

  /// Drops the queue and waits until nothing is used; forgets a failure.
  func stop() {
    let dropped: [Item] = state.wait { state in
      if state.isBusy { return nil }
      state.failure = nil
      return state.items.removeAll()
    }
    recycle(dropped)
    next?.stop()
  }

  /// Forgets the bytes; only after `stop`.
  func restart() {
    stretch?.restart()
    proof?.restart()
  }

  private func add(_ item: Item, beside: Bool) throws(FailureCause) {
    while true {
      let turn: Turn = state.wait { state in
        if let failure = state.failure { return .failed(failure) }
        guard state.items.count >= AsyncSink.limit else { return state.add(item, beside: beside) }
        return state.isBusy ? nil : state.begin()
      }
      switch turn {
      case .perform(let earlier): perform(earlier)
      case .failed(let cause):
        recycle([item])
        throw cause
      case .done(let mustSchedule):
        if mustSchedule { pool.submit { self.run() } }
        return beside ? () : try settle()
      }
    }
  }

  /// A job's share of the work, repeated until there is none, or other jobs of the pool want their turn.
  private func run() {
    repeat {
      for _ in 0..<AsyncSink.limit {
        let turn: Turn? = state.withLock { state in
          if !state.isBusy, let turn = state.begin() { return turn }
          state.isScheduled = false
          return nil
        }
        guard case .perform(let item) = turn else { return }
        perform(item)
      }
    } while !pool.isWanted
    pool.submit { self.run() }
  }

  private func perform(_ item: Item) {
    var failure: FailureCause?
    do throws(FailureCause) {
      switch item {
      case .bytes(let blocks, let beside): try pass(blocks, beside: beside)
      case .checkpoint(let checkpoint): try note(checkpoint)
      case .checkpointHere: try note(stretch?.checkpoint)
      }
    } catch {
      failure = error
    }
    let dropped = state.withLock { state in
      state.isBusy = false
      guard let failure else { return [Item]() }
      state.failure = failure
      return state.items.removeAll()
    }
    state.wakeAll()
    recycle(dropped)
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
    guard stretch != nil else { return }
    let began = meter?.start()
    try proof?.take(block)
    try unsafe stretch?.update(block.bytes)
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

  private func recycle(_ items: [Item]) {
    for case .bytes(let blocks, _) in items { blocks.forEach(pool.blocks.give) }
  }
}

extension AsyncSink.State {
  /// The next item; if it gathers, all bytes up to the next checkpoint as one.
  fileprivate mutating func begin() -> AsyncSink.Turn? {
    guard var item = items.popFirst() else { return nil }
    isBusy = true
    while gathers, case .bytes(let blocks, let beside) = item, case .bytes(let more, _)? = items.first {
      _ = items.popFirst()
      item = .bytes(blocks + more, beside: beside)
    }
    return .perform(item)
  }

  fileprivate mutating func add(_ item: AsyncSink.Item, beside: Bool) -> AsyncSink.Turn {
    items.append(item)
    let mustSchedule = beside && !isBusy && !isScheduled && items.count >= worthWaking
    if mustSchedule { isScheduled = true }
    return .done(mustSchedule: mustSchedule)
  }
}
