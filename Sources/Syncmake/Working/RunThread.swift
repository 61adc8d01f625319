import Execution
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread for one run or plan, which blocks while it works.
enum RunThread {
  /// As large as a main thread's usual one.
  private static let stackSize = 8 << 20

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
    var attributes = pthread_attr_t()
    guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, stackSize)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let (old, isMasked) = maskSignals()
    defer { if isMasked { restore(old) } }
    let box = unsafe Unmanaged.passRetained(Box(body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = unsafe pthread_create(&thread, &attributes, { unsafe perform($0) }, box.toOpaque())
    #else
      var thread = pthread_t()
      let status = unsafe pthread_create(
        &thread, &attributes, { raw in unsafe raw.flatMap { unsafe RunThread.perform($0) } }, box.toOpaque())
    #endif
    if status != 0 { unsafe box.release() }
    return status == 0
  }

  private final class Box {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func perform(_ raw: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
    return nil
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
