#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of the system. It takes the signals that its creator's thread takes.
@safe package struct SystemThread: @unchecked Sendable {
  /// As large as a main thread's usual one; other threads have less on some systems.
  private static let stackSize = 8 << 20

  private let handle: pthread_t

  /// Starts a thread with `body`; `nil` if the system refuses. Either join it or detach it.
  package init?(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    guard unsafe pthread_attr_init(&attributes) == 0 else { return nil }
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, Self.stackSize)
    let box = unsafe Unmanaged.passRetained(Box(body))
    #if canImport(Darwin)
      var started: pthread_t?
      let status = unsafe pthread_create(
        &started, &attributes, { raw in unsafe SystemThread.perform(raw) }, box.toOpaque())
      guard status == 0, let started = unsafe started else {
        unsafe box.release()
        return nil
      }
      unsafe handle = started
    #else
      var started = pthread_t()
      let status = unsafe pthread_create(
        &started, &attributes, { raw in unsafe raw.flatMap { unsafe SystemThread.perform($0) } },
        box.toOpaque())
      guard status == 0 else {
        unsafe box.release()
        return nil
      }
      handle = started
    #endif
  }

  /// Waits for its end, once.
  package func join() {
    #if canImport(Darwin)
      unsafe pthread_join(handle, nil)
    #else
      pthread_join(handle, nil)
    #endif
  }

  /// Lets it end by itself.
  package func detach() {
    #if canImport(Darwin)
      unsafe pthread_detach(handle)
    #else
      pthread_detach(handle)
    #endif
  }

  private final class Box {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func perform(_ raw: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
    return nil
  }
}
