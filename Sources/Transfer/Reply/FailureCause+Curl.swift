import CCurlShim
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension FailureCause {
  /// The meaning of libcurl's error for a hop.
  ///
  /// - `text`: its message; three faults have no code of their own, so the text decides.
  /// - `statusOfProxy`: that of its reply to CONNECT, 0 for none.
  /// - `proxy`: the address of the proxy for such URLs, without credentials. Exceptions may still exclude the URL.
  init(
    _ code: CURLcode, text: String, systemError: Int, hop: Hop, statusOfProxy: Int = 0, proxy: String? = nil
  ) {
    let url = hop.url.text
    if Self.isTLS(code) {
      // A connection that breaks during the handshake does not concern certificates; it is retried.
      let isDeath =
        code == CURLE_SSL_CONNECT_ERROR
        && ([ECONNRESET, EPIPE, ETIMEDOUT, ECONNABORTED].contains(Int32(truncatingIfNeeded: systemError))
          || ["SSL_ERROR_SYSCALL", "onnection reset", "unexpected eof"].contains {
            text.contains(literal: $0)
          })
      let culprit = proxy.flatMap { Self.isOnlyTLS($0, for: hop) ? "the proxy \($0) failed: \(text)" : nil }
      self = isDeath ? .connectFailed(url: url, text: culprit ?? text) : .tls(url: url, text: culprit ?? text)
    } else if code == CURLE_READ_ERROR, text.contains(literal: ".netrc") {
      // Its password may be in what libcurl could not make out.
      self = .sourceUnreadable(path: ".netrc", .netrcNotUnderstood)
    } else if hop.sentAt == nil, (300...599).contains(statusOfProxy), text.contains(literal: "CONNECT") {
      self = .proxyRefused(statusOfProxy, proxy: proxy, url: url)
    } else if code == CURLE_URL_MALFORMAT {
      // The URL is one, but the domain name system can have no such host.
      self = .sourceUnreadable(path: url, .hostNotUnderstood)
    } else if Self.isOurs(code) {
      self = .internalError("libcurl: \(text)")
    } else if hop.sentAt == nil || Self.isBeforeRequest(code) {
      let proxy = proxy.flatMap { Self.isOfProxy(code, text, $0) ? $0 : nil }
      self = .connectFailed(url: url, text: proxy.map { "the proxy \($0) failed: \(text)" } ?? text)
    } else {
      self = Self.whileReceiving(code, text: text, hop: hop)
    }
  }

  /// Whether only the connection to the proxy is one by TLS.
  private static func isOnlyTLS(_ proxy: String, for hop: Hop) -> Bool {
    proxy.hasPrefix("https:") && hop.url.origin.scheme == "http"
  }

  private static func whileReceiving(_ code: CURLcode, text: String, hop: Hop) -> FailureCause {
    let url = hop.url.text
    let isHeaderTooLarge =
      code == CURLE_OUT_OF_MEMORY || text.contains(literal: "oo large")
    if !hop.header.isComplete, isHeaderTooLarge {
      return .protocolError(url: url, .headerTooLarge(limit: HeaderBlock.limit))
    }
    switch code {
    // That is what 7.88 says of a header that begins with a blank, and of one with a bare CR.
    case CURLE_BAD_FUNCTION_ARGUMENT:
      return .protocolError(url: url, .malformed("a header line cannot be read"))
    // With TLS 1.3 a server refuses a client without the right certificate after the handshake.
    case CURLE_RECV_ERROR where !hop.header.isComplete && refusesClient(text):
      return .tls(url: url, text: text)
    // 7.88 reports a malformed chunk with the code of a broken connection; 8.x too.
    case CURLE_RECV_ERROR where text.contains(literal: "chunk"):
      return .protocolError(url: url, .malformed(text))
    // A header that HTTP/2 forbids, two unequal Content-Lengths among them, ends its stream before we see any of it.
    case CURLE_HTTP2_STREAM where !hop.header.isComplete && text.contains(literal: "PROTOCOL_ERROR"):
      return .protocolError(url: url, .malformed(text))
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM, CURLE_OPERATION_TIMEDOUT:
      return .truncated(url: url, received: hop.received, expected: hop.announced)
    default:
      return .protocolError(url: url, .malformed(text))
    }
  }

  private static func refusesClient(_ text: String) -> Bool {
    text.contains(literal: " alert ")
      && ["certificate", "unknown ca", "access denied"].contains { text.contains(literal: $0) }
  }

  private static func isBeforeRequest(_ code: CURLcode) -> Bool {
    [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY].contains(
      code)
  }

  /// Whether it is the proxy that failed, and not a server that an exception lets be asked directly: libcurl names whom
  /// it connected to.
  private static func isOfProxy(_ code: CURLcode, _ text: String, _ proxy: String) -> Bool {
    if code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY { return true }
    if text.contains(literal: "CONNECT") { return true }
    guard code == CURLE_COULDNT_CONNECT else { return false }
    let host = proxy.split(separator: "/").last ?? ""
    let name = host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" }
    return !name.isEmpty && text.contains(literal: String(name))
  }

  private static func isTLS(_ code: CURLcode) -> Bool {
    [
      CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED, CURLE_SSL_CLIENTCERT,
    ].contains(code)
  }

  /// Errors that only a bug of ours, or this machine, can cause.
  private static func isOurs(_ code: CURLcode) -> Bool {
    [
      CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_WRITE_ERROR, CURLE_READ_ERROR, CURLE_UNKNOWN_OPTION,
      CURLE_ABORTED_BY_CALLBACK,
    ].contains(code)
  }
}
