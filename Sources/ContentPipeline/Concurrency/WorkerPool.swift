import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A fixed set of threads that run jobs.
///
/// Plain threads: an actor hop costs more than a whole small request. The threads block all signals, so that
/// these reach the thread that waits for them. The pool also keeps the spare blocks of its pipelines.
package final class WorkerPool: Sendable {
  let blocks = BlockStore()
  private let crew: Crew

  /// At most `threads` (at least 1) at once; each starts when the first job needs it.
  ///
  /// With `tokens` a job begins only with a place; several pools may share them.
  package init(threads: Int, tokens: JobTokens? = nil) {
    crew = Crew(limit: max(1, threads), tokens: tokens)
    tokens?.onPlace { [weak crew] in crew?.tryAgain() }
  }

  /// Runs `job` on one of the threads; jobs start in the order of submission.
  ///
  /// After `shutDown`, or if no thread can be created, `job` runs on the caller's thread: no job is dropped.
  package func submit(_ job: @escaping @Sendable () -> Void) { crew.submit(job) }

  /// Whether a long job should end and be submitted again, because others wait for a thread, or make counts the
  /// jobs.
  ///
  /// A job that continues keeps its processor and its caches.
  var isWanted: Bool { crew.isWanted }

  /// Runs all submitted jobs to their end, then ends the threads; must not be called from a job.
  package func shutDown() { crew.shutDown() }

  deinit { crew.abandon() }
}

/// The threads' shared data; it outlives the pool while a thread runs.
private final class Crew: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var jobs = Queue<Job>()
    var threads: [SystemThread] = []
    /// Threads that have not left their loop.
    var live = 0
    /// Threads that wait for a job.
    var idle = 0
    var isStopping = false
  }

  private let state = Monitor(State())
  private let limit: Int
  private let tokens: JobTokens?

  init(limit: Int, tokens: JobTokens?) {
    self.limit = limit
    self.tokens = tokens
  }

  /// There may be a place for a job that waits for one.
  func tryAgain() {
    // A thread that found no job is waiting now, or is about to look again.
    state.withLock { _ in }
    state.wakeAll()
  }

  func submit(_ job: @escaping Job) {
    let runsHere = state.withLock { state in
      if !state.isStopping, state.idle <= state.jobs.count, state.threads.count < limit { addThread(&state) }
      guard state.live > 0 else { return true }
      state.jobs.append(job)
      return false
    }
    if runsHere { job() } else { state.wakeOne() }
  }

  var isWanted: Bool { tokens != nil || state.withLock { $0.jobs.count > $0.idle } }

  func shutDown() {
    for thread in stop() { thread.join() }
  }

  /// Lets the threads end by themselves: the pool may be released by a job, which cannot wait for itself.
  func abandon() {
    for thread in stop() { thread.detach() }
  }

  private func stop() -> [SystemThread] {
    defer { state.wakeAll() }
    return state.withLock { state in
      state.isStopping = true
      defer { state.threads = [] }
      return state.threads
    }
  }

  private func addThread(_ state: inout State) {
    let thread = SystemThread { [self] in
      Self.blockSignals()
      work()
    }
    guard let thread else { return }
    state.live += 1
    state.threads.append(thread)
  }

  private static func blockSignals() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func work() {
    while let job = nextJob() {
      job()
      tokens?.end()
    }
    // Others may be waiting for a place for what this one did.
    state.wakeAll()
  }

  /// `nil` when the thread is to end.
  private func nextJob() -> Job? {
    var wasIdle = false
    var leavesWork = false
    let job = state.wait { state -> Job?? in
      if wasIdle { state.idle -= 1 }
      wasIdle = false
      if !state.jobs.isEmpty, tokens?.begin() ?? true, let job = state.jobs.popFirst() {
        leavesWork = !state.jobs.isEmpty
        return .some(job)
      }
      if state.jobs.isEmpty, state.isStopping {
        state.live -= 1
        return .some(nil)
      }
      state.idle += 1
      wasIdle = true
      return nil
    }
    // Jobs that found no place when they were submitted may find one now.
    if tokens != nil, leavesWork { state.wakeOne() }
    return job
  }
}
