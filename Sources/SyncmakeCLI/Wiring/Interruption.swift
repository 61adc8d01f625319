import Execution
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Turns SIGINT, SIGTERM and SIGHUP into a clean stop.
///
/// All threads block the signals, and one thread waits for them, so that no code runs inside a signal handler. A
/// second signal ends the program at once, unless it arrives so soon that it is the same request: a shell's Ctrl-C
/// and `timeout` both reach a process in more than one way. The first signal also ends the program, after a moment,
/// if nothing is running that it could stop.
final class Interruption: Sendable {
  let stop = StopSignal()
  private let caught = Caught()

  /// Call before any other thread starts: they inherit the blocked signals.
  init() {
    Self.blockSignals()
    let waiter = Waiter(stop: stop, caught: caught)
    // If no thread can be created, a signal ends the program in the default way.
    guard let thread = SystemThread({ waiter.wait() }) else {
      Self.unblock(Waiter.signals)
      return
    }
    thread.detach()
  }

  /// Blocks the signals that end a run until a thread waits for them; returns their set.
  @discardableResult
  static func blockSignals() -> sigset_t {
    var set = Waiter.signals
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    // SIGCONT continues a stopped process in any case; it stays pending until it is fetched.
    var continuation = continuation
    unsafe pthread_sigmask(SIG_BLOCK, &continuation, nil)
    return set
  }

  /// Whether the process was stopped and continued since the last call.
  static func wasContinued() -> Bool {
    var (pending, number) = (sigset_t(), Int32(0))
    unsafe sigpending(&pending)
    guard unsafe sigismember(&pending, SIGCONT) == 1 else { return false }
    var continuation = continuation
    return unsafe sigwait(&continuation, &number) == 0
  }

  private static var continuation: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGCONT)
    return set
  }

  /// Lets signals end the program in the default way again.
  static func unblock(_ signals: sigset_t) {
    var set = signals
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Whether one of `signals`, which are blocked, has come.
  static func isPending(_ signals: sigset_t) -> Bool {
    var (signals, pending) = (signals, sigset_t())
    unsafe sigpending(&pending)
    return [SIGINT, SIGTERM, SIGHUP].contains {
      unsafe sigismember(&signals, $0) == 1 && sigismember(&pending, $0) == 1
    }
  }

  /// The exit status for the first signal; `nil` if there was none.
  var exitStatus: Int32? { caught.number.map { 128 + $0 } }
}

/// The first signal that came.
private final class Caught: Sendable {
  enum Standing { case first, echo, again }

  private static let echoTime = Duration.milliseconds(500)
  private let first = Monitor<(number: Int32, at: Duration)?>(nil)

  var number: Int32? { first.withLock { $0?.number } }

  func note(_ number: Int32) -> Standing {
    let now = SystemClock.monotonic()
    return first.withLock { first in
      guard let earlier = first else {
        first = (number, now)
        return .first
      }
      return now - earlier.at < Self.echoTime ? .echo : .again
    }
  }
}

private final class Waiter: Sendable {
  /// The signals that end a run, except those that the caller set to be ignored, as `nohup` does.
  static var signals: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { unsafe sigaddset(&set, number) }
    return set
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  let stop: StopSignal
  let caught: Caught

  init(stop: StopSignal, caught: Caught) {
    self.stop = stop
    self.caught = caught
  }

  func wait() {
    var set = Self.signals
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) == 0 {
      switch caught.note(number) {
      case .first:
        stop.stop()
        // Without the thread nothing would end a program that does not hear of the stop.
        guard let thread = SystemThread({ self.watch() }) else { end(number) }
        thread.detach()
      case .echo: break
      case .again: end(number)
      }
    }
  }

  /// Ends the program if no stop handler is installed for the first signal, for example while it waits for a reader or
  /// writer of a pipe.
  private func watch() {
    var unheard = Duration.zero
    var earlier: Int?
    while true {
      usleep(UInt32(Self.pause / .microseconds(1)))
      let write = StreamWrite.underWay
      let isUnread = write != nil && write == earlier
      earlier = write
      unheard = stop.isHeard && !isUnread ? .zero : unheard + Self.pause
      if unheard >= Self.patience, let first = caught.number { end(first) }
    }
  }

  private static let pause = Duration.milliseconds(50)
  /// Less than the two seconds in which a run stops (contract, section 1).
  private static let patience = Duration.milliseconds(1500)

  private func end(_ number: Int32) -> Never {
    stop.abandon()
    _exit(128 + number)
  }
}
