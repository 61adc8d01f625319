#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A value behind a lock, with a condition to wait for changes.
///
/// It uses pthread instead of the standard library's `Mutex`, because waiting needs a condition beside the lock,
/// and because the thread sanitizer supports it. Code inside must not wait or call out.
@safe package final class Monitor<State>: @unchecked Sendable {
  // `state` is touched only while `mutex` is held; both handles are made and destroyed once.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  /// Protects `state`, which no other code may reference.
  package init(_ state: State) {
    self.state = state
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe changed = .allocate(capacity: 1)
    unsafe changed.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` while no other thread is inside; it must not re-enter.
  package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Asks `body` again after every wake-up until it has an answer.
  package func wait<Result>(until body: (inout State) -> Result?) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      unsafe pthread_cond_wait(changed, mutex)
    }
  }

  /// Wakes one waiting thread.
  package func wakeOne() { unsafe pthread_cond_signal(changed) }
  /// Wakes all waiting threads.
  package func wakeAll() { unsafe pthread_cond_broadcast(changed) }
}
