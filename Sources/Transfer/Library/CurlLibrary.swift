import CCurlShim
import SyncModel

/// libcurl itself, loaded before the first transfer.
enum CurlLibrary {
  /// The missing part, in words; `nil` once libcurl is loaded and initialised.
  private static let fault: String? = unsafe curlshim_load().map { unsafe String(cString: $0) }

  /// Loads libcurl unless that is done; whether it is there.
  static var isLoaded: Bool { fault == nil }

  /// Loads libcurl unless it is loaded; throws ``FailureCause/internalError(_:)`` if it cannot be.
  static func load() throws(FailureCause) {
    if let fault { throw .internalError(fault) }
  }
}
