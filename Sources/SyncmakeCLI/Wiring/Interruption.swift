import Execution
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Turns SIGINT, SIGTERM and SIGHUP into a clean stop.
///
/// The signals are blocked in every thread and waited for by one, so that no code ever runs inside a
/// signal handler. A second signal ends the program at once.
final class Interruption: Sendable {
  let stop = StopSignal()
  private let caught = Caught()

  /// Call before any other thread starts: they inherit the blocked signals.
  init() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let box = Unmanaged.passRetained(Waiter(stop: stop, caught: caught))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    #if canImport(Darwin)
      pthread_create(&thread, nil, { startWaiting($0) }, box.toOpaque())
    #else
      pthread_create(&thread, nil, { raw in raw.flatMap { startWaiting($0) } }, box.toOpaque())
    #endif
  }

  /// The exit status that the first signal asks for; `nil` where none came.
  var exitStatus: Int32? { caught.number.map { 128 + $0 } }
}

private func startWaiting(_ raw: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Unmanaged<Waiter>.fromOpaque(raw).takeRetainedValue().wait()
  return nil
}

/// The first signal that came.
private final class Caught: Sendable {
  private let first = Mutex<Int32?>(nil)

  var number: Int32? { first.withLock { $0 } }

  /// Whether this is the first.
  func note(_ number: Int32) -> Bool {
    first.withLock { first in
      guard first == nil else { return false }
      first = number
      return true
    }
  }
}

private final class Waiter: Sendable {
  let stop: StopSignal
  let caught: Caught

  init(stop: StopSignal, caught: Caught) {
    self.stop = stop
    self.caught = caught
  }

  func wait() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
    var number: Int32 = 0
    while sigwait(&set, &number) == 0 {
      if caught.note(number) { stop.stop() } else { _exit(128 + number) }
    }
  }
}
