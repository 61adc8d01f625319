import CCurlShim
import SyncModel

/// libcurl itself, loaded the first time that anything is to be transferred.
enum CurlLibrary {
  /// What is missing, in words; `nil` once libcurl is loaded and initialised.
  private static let fault: String? = unsafe curlshim_load().map { unsafe String(cString: $0) }

  /// Loads libcurl unless that is done; whether it is there.
  static var isLoaded: Bool { fault == nil }

  /// Loads libcurl unless that is done; ``FailureCause/internalError(_:)`` where it cannot be.
  static func load() throws(FailureCause) {
    if let fault { throw .internalError(fault) }
  }
}
