import Foundation

/// TLS in front of a ``LoopbackServer``, with HTTP/2 on request, and with scripted faults.
///
/// It is `Tests/Support/Tools/tls-front.py`, whose head describes the faults that a reply can request by `X-Fault`. It ends
/// with its last reference.
package final class TLSFront: Sendable {
  /// The fault of every connection.
  package enum Fault: String, Sendable, CaseIterable {
    /// HTTP without TLS.
    case plain
    /// Invalid bytes, no bytes, FIN or RST in place of the handshake.
    case junk, silent, close, reset
    /// Everything works, but the connection ends without close_notify.
    case abrupt
    /// Every second connection speaks HTTP/1.1 only, the others HTTP/2 with one stream at a time.
    case mixed
  }

  private static let interpreters = [
    "/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3",
  ]
  private static var interpreter: String? { interpreters.first { access($0, X_OK) == 0 } }
  private static let tool = TestTools.path("tls-front.py")

  /// Whether its and ``TestAuthority``'s requirements are installed.
  package static var isHere: Bool { interpreter != nil && TestAuthority.isHere }

  package let port: UInt16
  private let process: RunningProcess

  /// Starts it, and returns once it listens.
  ///
  /// With `alsoPlain`, the same port also accepts HTTP without TLS.
  package init(
    before upstream: UInt16, certificate: TestAuthority.Certificate = .good, from authority: TestAuthority,
    speaksHTTP2: Bool = false, alsoPlain: Bool = false, fault: Fault? = nil
  ) throws {
    let files = try authority.issue(certificate)
    var arguments = [
      Self.tool, "--upstream", "\(upstream)", "--certificate", files.certificate, "--key", files.key,
    ]
    if speaksHTTP2 { arguments.append("--http2") }
    if alsoPlain { arguments.append("--also-plain") }
    if let fault { arguments += ["--fault", fault.rawValue] }
    process = try startProcess(Self.interpreter ?? "python3", arguments)
    var found: UInt16?
    _ = process.waitForStandardError { text in
      found = text.split(separator: "\n").first.flatMap { UInt16($0.dropFirst("listening ".count)) }
      return text.contains("\n")
    }
    guard let found else {
      throw ProcessFailure(call: "tls-front.py: \(process.standardErrorSoFar)", code: EADDRINUSE)
    }
    port = found
  }

  deinit { process.send(SIGKILL) }

  /// `https://127.0.0.1:PORT` and the path.
  package func url(_ path: String = "", host: String = "127.0.0.1", scheme: String = "https") -> String {
    "\(scheme)://\(host):\(port)\(path)"
  }
}
