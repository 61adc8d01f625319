import CCurlShim

/// A URL taken apart and put together by libcurl's own parser, so that what we decide by is what it asks for.
@safe struct CurlURL: ~Copyable {
  private let url: UnsafeMutableRawPointer

  /// `nil` when there is no memory, or no libcurl.
  init?() {
    guard CurlLibrary.isLoaded, let url = unsafe curlshim_url_new() else { return nil }
    unsafe self.url = url
  }

  deinit { unsafe curlshim_url_free(url) }

  /// Takes the whole URL; relative to the one that is there, where one is. Spaces and other bytes that may
  /// not stand in a URL are percent-encoded, as servers expect of whoever follows them.
  mutating func set(_ text: String) -> Bool {
    unsafe curlshim_url_set(url, CURLUPART_URL, text, UInt32(CURLU_URLENCODE)) == CURLUE_OK
  }

  mutating func remove(_ part: CURLUPart) { _ = unsafe curlshim_url_set(url, part, nil, 0) }

  /// `nil` where the URL has no such part. The port is the scheme's own where none is written.
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
