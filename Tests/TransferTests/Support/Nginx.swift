import Foundation
import SyncTestSupport

/// A real web server with TLS on a free port of 127.0.0.1; it ends with its last reference.
final class Nginx {
  private static let programs = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"]
  private static var program: String? { programs.first { access($0, X_OK) == 0 } }

  /// Whether it and openssl are installed.
  static var isHere: Bool { program != nil && access("/usr/bin/openssl", X_OK) == 0 }

  let folder: TemporaryFolder
  let port: UInt16
  /// Speaks HTTP/1.1 only, over TLS too.
  let plainPort: UInt16
  private let process: RunningProcess

  /// The certificate, which is its own authority: a caller must name it to be satisfied.
  var certificate: String { folder.path("cert.pem") }

  /// `locations` are nginx's `location` blocks; files lie in `files/` of the folder.
  init(locations: String, names: String = "IP:127.0.0.1,DNS:localhost", files: [String: [UInt8]] = [:]) throws
  {
    let folder = try TemporaryFolder()
    self.folder = folder
    port = try LoopbackServer.deadPort()
    plainPort = try LoopbackServer.deadPort()
    for (name, bytes) in files { try folder.write(bytes, to: "files/\(name)") }
    try folder.write(Self.configuration(folder.path, port, plainPort, locations), to: "nginx.conf")
    try runProcess(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", folder.path("key.pem"), "-out",
        folder.path("cert.pem"),
      ])
    process = try startProcess(
      Self.program ?? "nginx",
      ["-p", folder.path, "-c", folder.path("nginx.conf"), "-e", folder.path("error.log")])
    // It writes its number once it listens.
    let end = ContinuousClock.now + .seconds(10)
    while !folder.exists("pid"), process.isRunning, ContinuousClock.now < end { usleep(5000) }
  }

  deinit { kill() }

  /// Ends it at once; its connections with it.
  func kill() { process.send(SIGKILL) }

  func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

  private static func configuration(
    _ folder: String, _ port: UInt16, _ plainPort: UInt16, _ locations: String
  )
    -> String
  {
    func server(_ port: UInt16, _ protocols: String) -> String {
      """
        server {
          listen 127.0.0.1:\(port) \(protocols);
          ssl_certificate \(folder)/cert.pem;
          ssl_certificate_key \(folder)/key.pem;
          root \(folder)/files;
          \(locations)
        }
      """
    }
    return """
      daemon off;
      master_process off;
      pid \(folder)/pid;
      error_log \(folder)/error.log;
      events { worker_connections 512; }
      http {
        access_log off;
        client_body_temp_path \(folder)/t1;
        proxy_temp_path \(folder)/t2;
        fastcgi_temp_path \(folder)/t3;
        uwsgi_temp_path \(folder)/t4;
        scgi_temp_path \(folder)/t5;
        keepalive_requests 100000;
      \(server(port, "ssl http2"))
      \(server(plainPort, "ssl"))
      }
      """
  }
}
