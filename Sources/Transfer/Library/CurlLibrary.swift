import CCurlShim
import SyncModel

/// libcurl itself, loaded before the first transfer.
enum CurlLibrary {
  /// Why there is none; `nil` once libcurl is loaded and initialised.
  private static let fault: FailureCause? = unsafe curlshim_load().map { words in
    let isMissing = unsafe words == curlshim_file
    let text = unsafe String(cString: words)
    return isMissing ? .libraryMissing(name: text, purpose: "to send requests") : .internalError(text)
  }

  /// Loads libcurl unless that is done; whether it is there.
  static var isLoaded: Bool { fault == nil }

  /// Loads libcurl unless it is loaded; throws if it cannot be.
  static func load() throws(FailureCause) {
    if let fault { throw fault }
  }
}
