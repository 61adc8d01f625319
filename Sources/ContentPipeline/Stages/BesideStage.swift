import Platform
import SyncModel

/// A stage whose work is done in the order in which it was added, and may run parallel to the stage before it.
///
/// If no thread of the pool has begun with added work, the thread that adds work also does it. So a thread only
/// waits for a running thread, and pipelines cannot block each other, whatever the pool's size.
class BesideStage<Item>: @unchecked Sendable {
  fileprivate struct State {
    /// The number of items that justify waking a thread; fewer wait for more, or for `settle`.
    let worthWaking: Int
    var items = Queue<Item>()
    /// A thread works on an item; only that one may use what ``BesideStage/perform(_:)`` uses.
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

  /// In items that wait.
  private static var limit: Int { 4 }

  let pool: WorkerPool
  private let state: Monitor<State>

  /// `worthWaking` is the number of items that justify waking a thread.
  init(pool: WorkerPool, worthWaking: Int) {
    self.pool = pool
    state = Monitor(State(worthWaking: worthWaking))
  }

  // MARK: For subclasses

  /// Does the work of `item`; never on two threads at once.
  func perform(_ item: Item) throws(FailureCause) {}

  /// Adds `next` to `item` if both are better done as one; returns whether it did.
  func join(_ item: inout Item, _ next: Item) -> Bool { false }

  /// Frees what `items`, which are not performed, hold.
  func recycle(_ items: [Item]) {}

  // MARK: For its user

  /// Takes `item` over; `beside`: on another thread, if one is free. Throws what failed before, too.
  final func add(_ item: Item, beside: Bool) throws(FailureCause) {
    while true {
      let turn: Turn = state.wait { state in
        if let failure = state.failure { return .failed(failure) }
        guard state.items.count >= Self.limit else { return state.add(item, beside: beside) }
        return state.isBusy ? nil : begin(&state)
      }
      switch turn {
      case .perform(let earlier): work(on: earlier)
      case .failed(let cause):
        recycle([item])
        throw cause
      case .done(let mustSchedule):
        if mustSchedule { pool.submit { self.run() } }
        return beside ? () : try settle()
      }
    }
  }

  /// Does or waits for all that was added; throws what went wrong in it.
  func settle() throws(FailureCause) {
    while true {
      let turn: Turn = state.wait { state in
        if state.isBusy { return nil }
        return begin(&state) ?? state.failure.map { .failed($0) } ?? .done(mustSchedule: false)
      }
      switch turn {
      case .perform(let item): work(on: item)
      case .failed(let cause): throw cause
      case .done: return
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
  }

  // MARK: The work

  /// A job's share of the work, repeated until there is none, or other jobs of the pool want their turn.
  private func run() {
    repeat {
      for _ in 0..<Self.limit {
        let turn: Turn? = state.withLock { state in
          if !state.isBusy, let turn = begin(&state) { return turn }
          state.isScheduled = false
          return nil
        }
        guard case .perform(let item) = turn else { return }
        work(on: item)
      }
    } while !pool.isWanted
    pool.submit { self.run() }
  }

  private func work(on item: Item) {
    var failure: FailureCause?
    do throws(FailureCause) { try perform(item) } catch { failure = error }
    let dropped = state.withLock { state in
      state.isBusy = false
      guard let failure else { return [Item]() }
      state.failure = failure
      return state.items.removeAll()
    }
    state.wakeAll()
    recycle(dropped)
  }

  /// The next item, with what it is joined with.
  private func begin(_ state: inout State) -> Turn? {
    guard var item = state.items.popFirst() else { return nil }
    state.isBusy = true
    while let next = state.items.first, join(&item, next) { _ = state.items.popFirst() }
    return .perform(item)
  }
}

extension BesideStage.State {
  fileprivate mutating func add(_ item: Item, beside: Bool) -> BesideStage<Item>.Turn {
    items.append(item)
    let mustSchedule = beside && !isBusy && !isScheduled && items.count >= worthWaking
    if mustSchedule { isScheduled = true }
    return .done(mustSchedule: mustSchedule)
  }
}
