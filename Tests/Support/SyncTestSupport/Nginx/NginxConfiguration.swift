/// The settings of ``NginxServer`` for nginx.
package struct NginxConfiguration: Sendable {
  /// The protocols on a port.
  package enum Listener: Sendable, Hashable {
    case http
    /// HTTP/1.1 over TLS.
    case https
    /// TLS with support for HTTP/2.
    case http2

    package var isSecure: Bool { self != .http }

    // Since 1.25.1 nginx has a directive for HTTP/2, which Debian 12's version does not know; later versions still
    // accept this one.
    fileprivate var options: String {
      switch self {
      case .http: ""
      case .https: " ssl"
      case .http2: " ssl http2"
      }
    }
  }

  /// A path that is answered and not logged.
  static let markPath = "/.mark"

  let folder: String
  let listeners: [Listener]
  let ports: [Listener: UInt16]
  let locations: String
  let directives: String

  /// With a free port for each listener; throws if the system has none.
  init(folder: String, listeners: [Listener], locations: String, directives: String) throws {
    self.folder = folder
    self.listeners = listeners
    self.locations = locations
    self.directives = directives
    var ports: [Listener: UInt16] = [:]
    for listener in listeners { ports[listener] = try LoopbackServer.freePort() }
    self.ports = ports
  }

  /// The file's text.
  ///
  /// One process does everything, so that one signal ends it and its log is in order.
  var text: String {
    """
    daemon off;
    master_process off;
    pid \(folder)/pid;
    error_log stderr notice;
    events { worker_connections 512; }
    http {
      log_format fields '\(NginxRequest.logFormat)';
      access_log \(folder)/access.log fields;
      client_body_temp_path \(folder)/t1;
      proxy_temp_path \(folder)/t2;
      fastcgi_temp_path \(folder)/t3;
      uwsgi_temp_path \(folder)/t4;
      scgi_temp_path \(folder)/t5;
      \(directives)
      \(listeners.map(server).joined(separator: "\n"))
    }

    """
  }

  private func server(_ listener: Listener) -> String {
    """
      server {
        listen 127.0.0.1:\(ports[listener] ?? 0)\(listener.options);
        \(listener.isSecure ? "ssl_certificate \(folder)/cert.pem; ssl_certificate_key \(folder)/key.pem;" : "")
        root \(folder)/files;
        location = \(Self.markPath) { access_log off; return 204; }
        \(locations)
      }
    """
  }
}
