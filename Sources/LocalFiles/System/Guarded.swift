#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A value that one thread at a time may see.
///
/// Not the standard library's `Mutex`: where threads contend, Swift 6.3 waits in code of the library that
/// the thread sanitizer cannot see into, so that it reports races where none are.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` while no other thread is inside; it must not come back here.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
