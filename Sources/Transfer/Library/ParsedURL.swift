import CCurlShim
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A plain URL in the form into which libcurl would parse it, made again for each request of one handle.
///
/// libcurl parses the text of a URL, and then makes a text of it again, which takes a sixth of its work for a small
/// request. Where requests go to one server in turn, only the path changes here.
@safe final class ParsedURL {
  /// What `CURLOPT_CURLU` takes; libcurl copies from it when a request begins.
  let handle: UnsafeMutableRawPointer
  /// Scheme, host and port as the URL in ``handle`` has them, up to the path.
  private var server: [CChar] = []

  /// `nil` when libcurl has no memory.
  init?() {
    guard let handle = unsafe curlshim_url_new() else { return nil }
    unsafe self.handle = handle
  }

  deinit { unsafe curlshim_url_free(handle) }

  /// Makes it `text`; `false` where that is not plain, or libcurl does not take it.
  func set(_ text: UnsafePointer<CChar>) -> Bool {
    let length = server.count
    if length > 0, unsafe strncmp(text, server, length) == 0,
      unsafe text[length] == CChar(bitPattern: UInt8(ascii: "/"))
    {
      let path = unsafe text + length
      return unsafe WebURL.isPlain(path: UnsafeRawBufferPointer(start: path, count: strlen(path)))
        && curlshim_url_set(handle, CURLUPART_PATH, path, 0) == CURLUE_OK
    }
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
    server = []
    guard let end = unsafe WebURL.authorityEnd(of: bytes), unsafe WebURL.isPlain(bytes),
      unsafe curlshim_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK
    else { return false }
    server = unsafe Array(UnsafeBufferPointer(start: text, count: end))
    return true
  }
}
