import Foundation

/// A real web server on free ports of 127.0.0.1, in its own folder; it ends with its last reference.
///
/// It serves `files/` in its folder, and its `locations`.
package final class NginxServer: Sendable {
  private static let programs = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"]
  private static var program: String? { programs.first { access($0, X_OK) == 0 } }

  /// Whether nginx is installed, with openssl and curl.
  package static var isHere: Bool {
    program != nil && ["openssl", "curl"].allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }
  }

  /// Its `files/` is served; the rest belongs to the server.
  package let folder: TemporaryFolder
  private let configuration: NginxConfiguration
  private let process: RunningProcess

  /// The certificate, which is its own authority: clients that trust it must name it.
  package var certificate: String { folder.path("cert.pem") }

  /// Starts it, and returns once it listens; throws its message if it does not within ten seconds.
  ///
  /// The first of `listeners` is the default of ``url(_:over:host:)``. `locations` are nginx's `location` blocks,
  /// `directives` the other content of its `http` block; relative paths in both start in its folder.
  /// `certificateNames` is in the form of openssl's `subjectAltName`.
  package init(
    _ listeners: [NginxConfiguration.Listener] = [.http], locations: String = "", directives: String = "",
    certificateNames: String = "IP:127.0.0.1,DNS:localhost", files: [String: [UInt8]] = [:]
  ) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("files"), withIntermediateDirectories: false)
    for (name, bytes) in files { try folder.write(bytes, to: "files/\(name)") }
    if listeners.contains(where: \.isSecure) { try Self.makeCertificate(in: folder, certificateNames) }
    var complaint = "not installed"
    // Another process may take a free port before it is used.
    for _ in 0..<(Self.program == nil ? 0 : 5) {
      let configuration = try NginxConfiguration(
        folder: folder.path, listeners: listeners, locations: locations, directives: directives)
      try folder.write(configuration.text, to: "nginx.conf")
      let process = try startProcess(
        Self.program ?? "nginx", ["-p", folder.path, "-c", folder.path("nginx.conf"), "-e", "stderr"])
      // It reports its version once it listens.
      if process.waitForStandardError(until: { $0.contains("[notice]") && $0.contains(": nginx/") }) {
        self.folder = folder
        self.configuration = configuration
        self.process = process
        return
      }
      complaint = process.standardErrorSoFar
    }
    throw ProcessFailure(call: "nginx: \(complaint)", code: EADDRINUSE)
  }

  deinit { kill() }

  /// Ends it at once, and its connections with it.
  package func kill() { process.send(SIGKILL) }

  /// The address of a path on a listener, by default the first.
  package func url(
    _ path: String = "", over listener: NginxConfiguration.Listener? = nil, host: String = "127.0.0.1"
  ) -> String {
    let listener = listener ?? configuration.listeners[0]
    let port = configuration.ports[listener] ?? 0
    return "\(listener.isSecure ? "https" : "http")://\(host):\(port)\(path)"
  }

  /// Serves a file, with this modification time if given, in seconds since 1970; nginx makes its ETag from that
  /// time and the length.
  package func serve(_ bytes: [UInt8], as name: String, modified: Int? = nil) throws {
    try folder.write(bytes, to: "files/\(name)")
    guard let modified else { return }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(modified))],
      ofItemAtPath: folder.path("files/\(name)"))
  }

  /// The requests that have ended so far, in the order in which they did.
  package func requests() throws -> [NginxRequest] {
    try settle()
    return (folder.text("access.log") ?? "").split(separator: "\n").compactMap(NginxRequest.init)
  }

  /// Forgets the requests so far; connections and their numbers continue.
  package func clearLog() throws {
    try settle()
    guard truncate(folder.path("access.log"), 0) == 0 else {
      throw ProcessFailure(call: "truncate", code: errno)
    }
  }

  /// Makes one more request, which is not logged: once it is answered, everything before it is.
  ///
  /// One process serves all connections in turn, and logs a request as it sends the last of its reply.
  private func settle() throws {
    let url = url(NginxConfiguration.markPath)
    let result = try runProcess(
      "/usr/bin/curl", ["-sS", "--insecure", "--noproxy", "*", "--max-time", "10", url])
    guard result.status == 0 else { throw ProcessFailure(call: "curl: \(result.stderr)", code: EPIPE) }
  }

  private static func makeCertificate(in folder: TemporaryFolder, _ names: String) throws {
    let result = try runProcess(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", folder.path("key.pem"), "-out",
        folder.path("cert.pem"),
      ])
    guard result.status == 0 else { throw ProcessFailure(call: "openssl: \(result.stderr)", code: EINVAL) }
  }
}
