import Foundation

/// A certificate authority for tests, and the valid and invalid certificates that it issues.
package final class TestAuthority: Sendable {
  /// A server's certificate.
  package enum Certificate: String, Sendable, CaseIterable {
    /// For 127.0.0.1 and localhost, and in force.
    case good
    /// The same, but it expired yesterday.
    case expired
    /// For another host.
    case wrongHost = "wrong-host"
    /// Self-signed.
    case selfSigned = "self-signed"
  }

  private static let openssl = "/usr/bin/openssl"

  /// Whether its requirements are installed.
  package static var isHere: Bool { access(openssl, X_OK) == 0 }

  private let folder: TemporaryFolder

  /// Makes the authority's key and certificate, which takes about 50 ms.
  package init() throws {
    folder = try TemporaryFolder()
    try run(Self.newKey("authority") + ["-x509", "-days", "2", "-subj", "/CN=authority of the tests"])
  }

  /// The certificate file for clients that trust the authority.
  package var path: String { folder.path("authority.pem") }

  /// Issues a certificate; returns the files of it and of its key.
  package func issue(_ kind: Certificate) throws -> (certificate: String, key: String) {
    let name = kind.rawValue
    let host = kind == .wrongHost ? "DNS:other.test" : "IP:127.0.0.1,DNS:localhost"
    if kind == .selfSigned {
      try run(
        Self.newKey(name) + ["-x509", "-days", "2", "-subj", "/CN=x", "-addext", "subjectAltName=\(host)"])
    } else {
      try folder.write("subjectAltName=\(host)\n", to: "\(name).ext")
      try run(["req", "-new"] + Self.newKey(name).dropFirst() + ["-subj", "/CN=x"])
      try run([
        "x509", "-req", "-in", "\(name).pem", "-CA", "authority.pem", "-CAkey", "authority.key", "-days",
        kind == .expired ? "-1" : "2", "-set_serial", "2", "-extfile", "\(name).ext", "-out", "\(name).pem",
      ])
    }
    return (folder.path("\(name).pem"), folder.path("\(name).key"))
  }

  private static func newKey(_ name: String) -> [String] {
    [
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key",
      "-out", "\(name).pem",
    ]
  }

  private func run(_ arguments: [String]) throws {
    let result = try runProcess(Self.openssl, arguments, currentDirectory: folder.path)
    guard result.status == 0 else { throw ProcessFailure(call: "openssl: \(result.stderr)", code: EINVAL) }
  }
}
