import CCurlShim
import SyncModel

/// A libcurl multi handle; freed with its last owner, which may be a ``TransferWaker``.
///
/// Only `wake` may be called from another thread than the loop's: libcurl allows this only for curl_multi_wakeup,
/// and the caller's reference keeps the handle alive meanwhile.
@safe final class MultiHandle: @unchecked Sendable {
  /// The longest wait if nothing can end it.
  private static let blindWaitMilliseconds: Int32 = 20

  private let multi: UnsafeMutableRawPointer
  private let canBeWoken: Bool

  init() throws(FailureCause) {
    guard let multi = unsafe curlshim_multi_new() else { throw .internalError("libcurl has no memory") }
    unsafe self.multi = multi
    // With too few descriptors libcurl creates a handle that sleeps in every call, and reports it only here.
    canBeWoken = unsafe curlshim_multi_wakeup(multi) == CURLM_OK
    // This wakeup is only a test: the first wait must not end for it.
    if canBeWoken { _ = unsafe curlshim_multi_poll(multi, 0) }
  }

  /// Set up by `settings`.
  convenience init(_ settings: TransferSettings) throws(FailureCause) {
    try self.init()
    set(CURLMOPT_MAXCONNECTS, max(1, settings.totalConnections))
  }

  deinit { unsafe curlshim_multi_free(multi) }

  func set(_ option: CURLMoption, _ value: Int) { _ = unsafe curlshim_multi_set_long(multi, option, value) }

  func add(_ handle: EasyHandle) -> Bool { unsafe curlshim_multi_add(multi, handle.easy) == CURLM_OK }

  func remove(_ handle: EasyHandle) { _ = unsafe curlshim_multi_remove(multi, handle.easy) }

  /// Does everything that needs no wait; runs the callbacks of every handle with an event.
  func perform() {
    var running: Int32 = 0
    _ = unsafe curlshim_multi_perform(multi, &running)
  }

  /// Waits until there is something to perform, it is woken, or the time is up.
  func wait(milliseconds: Int32) {
    _ = unsafe curlshim_multi_poll(
      multi, canBeWoken ? milliseconds : min(milliseconds, Self.blindWaitMilliseconds))
  }

  func wake() -> Bool { unsafe curlshim_multi_wakeup(multi) == CURLM_OK }

  /// The next transfer that is over, as what its handle was given as owner, and how it ended.
  func nextDone() -> (owner: HopOwner, code: CURLcode)? {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while unsafe curlshim_multi_next_done(multi, &easy, &code) != 0 {
      var owner: UnsafeMutableRawPointer?
      if let easy = unsafe easy, unsafe curlshim_get_pointer(easy, CURLINFO_PRIVATE, &owner) == CURLE_OK,
        let owner = unsafe owner
      {
        return unsafe (Unmanaged<HopOwner>.fromOpaque(owner).takeUnretainedValue(), code)
      }
    }
    return nil
  }
}

/// Ends a ``TransferLoop``'s waiting from any thread.
struct TransferWaker: ExchangeWaker {
  let multi: MultiHandle

  func wake() -> Bool { multi.wake() }
}
