import Execution
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread for one run or plan, which blocks while it works.
enum RunThread {
  /// Performs `work` on a new thread; stops it if the task is cancelled, and waits for its end all the same.
  static func perform<Value: Sendable>(
    stop: StopSignal, _ work: @escaping @Sendable () -> Value
  ) async throws(SyncError) -> Value {
    let value: Value? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isStarted = start { continuation.resume(returning: work()) }
        if !isStarted { continuation.resume(returning: nil) }
      }
    } onCancel: {
      stop.stop()
    }
    guard let value else { throw noThread }
    return value
  }

  static var noThread: SyncError {
    SyncError(SyncError.Code(rawValue: "internal"), "the system starts no further thread", isTemporary: true)
  }

  /// Starts a thread with `body`; `false` if the system refuses.
  ///
  /// It and the threads that it starts take no signals, which are the app's: neither are they interrupted, nor does a
  /// connection that its server has closed end the app.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let (old, isMasked) = maskSignals()
    defer { if isMasked { restore(old) } }
    guard let thread = SystemThread(body) else { return false }
    thread.detach()
    return true
  }

  // MARK: Signals

  /// Blocks all signals on this thread, which new threads inherit, except those of faults in the program itself.
  private static func maskSignals() -> (old: sigset_t, isMasked: Bool) {
    var (all, old) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
      unsafe sigdelset(&all, fault)
    }
    return (old, unsafe pthread_sigmask(SIG_SETMASK, &all, &old) == 0)
  }

  private static func restore(_ signals: sigset_t) {
    var signals = signals
    unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
  }
}
