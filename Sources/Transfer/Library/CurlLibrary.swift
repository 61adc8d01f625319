import CCurlShim
import SyncModel

/// libcurl itself, loaded before the first transfer.
enum CurlLibrary {
  /// Why there is none; `nil` once libcurl is loaded and initialised.
  private static let fault: FailureCause? = unsafe curlshim_load().map { words in
    if unsafe words == curlshim_old { return tooOld }
    let isMissing = unsafe words == curlshim_file
    let text = unsafe String(cString: words)
    return isMissing ? .libraryMissing(name: text, purpose: "to send requests") : .internalError(text)
  }

  /// libcurl lacks something that the program needs: 7.80 has all of it.
  static var tooOld: FailureCause {
    .libraryMissing(
      name: unsafe String(cString: curlshim_file), purpose: "in version 7.80 or later to send requests")
  }

  /// Whether a handle of this libcurl is good for one transfer only, because of a fault.
  static let handlesServeOnce = curlshim_serves_once() != 0

  /// Loads libcurl unless that is done; whether it is there.
  static var isLoaded: Bool { fault == nil }

  /// Loads libcurl unless it is loaded; throws if it cannot be.
  static func load() throws(FailureCause) {
    if let fault { throw fault }
  }
}
