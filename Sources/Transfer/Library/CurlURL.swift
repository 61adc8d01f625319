import CCurlShim

/// A URL, parsed and built by libcurl's own parser, so that decisions use the same URL as requests.
@safe struct CurlURL: ~Copyable {
  private let url: UnsafeMutableRawPointer

  /// `nil` if there is no memory, or no libcurl.
  init?() {
    guard CurlLibrary.isLoaded, let url = unsafe curlshim_url_new() else { return nil }
    unsafe self.url = url
  }

  deinit { unsafe curlshim_url_free(url) }

  /// Sets the whole URL, relative to the present one, if any. Spaces and other invalid bytes are percent-encoded,
  /// as servers expect.
  mutating func set(_ text: String) -> Bool {
    unsafe curlshim_url_set(url, CURLUPART_URL, text, UInt32(CURLU_URLENCODE)) == CURLUE_OK
  }

  mutating func remove(_ part: CURLUPart) { _ = unsafe curlshim_url_set(url, part, nil, 0) }

  /// `nil` if the URL has no such part. The default is the scheme's port.
  func get(_ part: CURLUPart) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags = part == CURLUPART_PORT ? UInt32(CURLU_DEFAULT_PORT) : 0
    guard unsafe curlshim_url_get(url, part, &text, flags) == CURLUE_OK, let text = unsafe text else {
      return nil
    }
    defer { unsafe curlshim_text_free(text) }
    return unsafe String(cString: text)
  }
}
