import LocalFiles
import SyncModel

/// The last part of a body's way, which may run beside the part before it: digest of what was unpacked, file.
///
/// Whoever adds work also does it when no thread of the pool has come to it yet, so that waiting is only ever
/// for a thread that is at work: pipelines cannot lock each other out, whatever the size of the pool.
final class Tail: @unchecked Sendable {
  fileprivate enum Item {
    case bytes(Block)
    case checkpoint(PartialDownload.Checkpoint)
  }

  fileprivate struct State {
    var items = Queue<Item>()
    /// A thread works on an item; only that one touches `stretch`, `meter` and the files.
    var isBusy = false
    /// A job for the items is on its way in the pool.
    var isScheduled = false
    var failure: FailureCause?
  }

  /// What a thread that has come to the tail is to do.
  fileprivate enum Turn {
    case perform(Item)
    case done(mustSchedule: Bool)
    case failed(FailureCause)
  }

  /// 1 MiB: enough to keep both sides at work.
  private static let limit = 4

  /// The bytes that come out, when they are others than those that come in; to be looked at after `settle`.
  private(set) var stretch: Stretch?
  /// Of the tail's own work; to be looked at after `settle`, `nil` where nobody asked.
  private(set) var meter: StepMeter?
  private let partial: PartialDownload?
  private let output: StagedFile?
  private let pool: WorkerPool
  private let state = Monitor(State())

  init(
    stretch: Stretch?, partial: PartialDownload?, output: StagedFile?, pool: WorkerPool, meter: StepMeter?
  ) {
    self.stretch = stretch
    self.meter = meter
    self.partial = partial
    self.output = output
    self.pool = pool
  }

  /// Takes `block` over; `beside`: on another thread, if one is free. Throws what failed before, too.
  func take(_ block: Block, beside: Bool) throws(FailureCause) { try add(.bytes(block), beside: beside) }

  /// Notes `checkpoint` in the partial after what was taken before.
  func note(_ checkpoint: PartialDownload.Checkpoint, beside: Bool) throws(FailureCause) {
    try add(.checkpoint(checkpoint), beside: beside)
  }

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
      case .done: return
      }
    }
  }

  /// Drops what was added and waits until nothing is touched any more; forgets a failure.
  func stop() {
    let dropped: [Item] = state.wait { state in
      if state.isBusy { return nil }
      state.failure = nil
      return state.items.removeAll()
    }
    recycle(dropped)
  }

  /// Forgets the bytes; only after `stop`.
  func restart() { stretch?.restart() }

  private func add(_ item: Item, beside: Bool) throws(FailureCause) {
    while true {
      let turn: Turn = state.wait { state in
        if let failure = state.failure { return .failed(failure) }
        guard state.items.count >= Tail.limit else { return state.add(item, beside: beside) }
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

  /// A job's share of the work; then others of the pool have theirs.
  private func run() {
    for _ in 0..<2 * Tail.limit {
      let turn: Turn? = state.withLock { state in
        if !state.isBusy, let turn = state.begin() { return turn }
        state.isScheduled = false
        return nil
      }
      guard case .perform(let item) = turn else { return }
      perform(item)
    }
    pool.submit { self.run() }
  }

  private func perform(_ item: Item) {
    var failure: FailureCause?
    do throws(FailureCause) {
      switch item {
      case .bytes(let block): try write(block)
      case .checkpoint(let checkpoint): try partial?.note(checkpoint)
      }
    } catch {
      failure = error
    }
    recycle([item])
    let dropped = state.withLock { state in
      state.isBusy = false
      guard let failure else { return [Item]() }
      state.failure = failure
      return state.items.removeAll()
    }
    state.wakeAll()
    recycle(dropped)
  }

  private func write(_ block: Block) throws(FailureCause) {
    let began = meter?.start()
    try stretch?.update(block.bytes)
    meter?.add(\.verifying, since: began)
    let verified = meter?.start()
    try partial?.append(block.bytes)
    try output?.write(block.bytes)
    meter?.add(\.writing, since: verified)
  }

  private func recycle(_ items: [Item]) {
    for case .bytes(let block) in items { pool.blocks.give(block) }
  }
}

extension Tail.State {
  fileprivate mutating func begin() -> Tail.Turn? {
    guard let item = items.popFirst() else { return nil }
    isBusy = true
    return .perform(item)
  }

  fileprivate mutating func add(_ item: Tail.Item, beside: Bool) -> Tail.Turn {
    items.append(item)
    let mustSchedule = beside && !isBusy && !isScheduled
    if mustSchedule { isScheduled = true }
    return .done(mustSchedule: mustSchedule)
  }
}
