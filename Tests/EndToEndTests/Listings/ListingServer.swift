import Foundation
import SyncTestSupport

/// A web server that lists the folders below `files/` of its own folder; it stops with its last reference.
final class ListingServer {
  enum Kind: String, CaseIterable, Sendable {
    case nginx, nginxJSON, apache, lighttpd, caddy, python

    /// Whether the server is installed.
    var isHere: Bool {
      switch self {
      case .nginx, .nginxJSON: NginxServer.isHere
      case .apache: ApacheServer.isHere
      case .lighttpd, .caddy, .python: access(program, X_OK) == 0
      }
    }

    /// Whether it states exact sizes and times, so that unchanged files need no request.
    var isExact: Bool { self == .nginxJSON || self == .caddy }

    fileprivate var program: String {
      switch self {
      case .lighttpd: "/usr/sbin/lighttpd"
      case .caddy: "/usr/bin/caddy"
      default: "/usr/bin/python3"
      }
    }

    /// Those that are installed.
    static let here = allCases.filter(\.isHere)
  }

  /// `files/` of it is served.
  let folder: TemporaryFolder
  private let address: String
  /// What keeps the server running.
  private let server: AnyObject

  init(_ kind: Kind) throws {
    switch kind {
    case .nginx, .nginxJSON:
      let format = kind == .nginx ? "html" : "json"
      let nginx = try NginxServer(directives: "autoindex on; autoindex_format \(format); charset utf-8;")
      (folder, address, server) = (nginx.folder, nginx.url(), nginx)
    case .apache:
      let apache = try ApacheServer(
        directives: """
          LoadModule autoindex_module /usr/lib/apache2/modules/mod_autoindex.so
          IndexOptions FancyIndexing
          <Location "/">
            Options +Indexes
          </Location>
          """, files: ["root.txt": []])
      (folder, address, server) = (apache.folder, apache.url(""), apache)
    case .lighttpd, .caddy, .python:
      let folder = try TemporaryFolder()
      let port = try LoopbackServer.freePort()
      let files = folder.path("files")
      try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: false)
      try folder.write(
        """
        server.bind = "127.0.0.1"
        server.port = \(port)
        server.document-root = "\(files)"
        server.modules = ("mod_dirlisting")
        mimetype.assign = ("" => "application/octet-stream")
        server.stat-cache-engine = "disable"
        dir-listing.activate = "enable"

        """, to: "lighttpd.conf")
      let arguments =
        switch kind {
        case .lighttpd: ["-D", "-f", folder.path("lighttpd.conf")]
        case .caddy: ["file-server", "--browse", "--root", files, "--listen", "127.0.0.1:\(port)"]
        default: ["-m", "http.server", "--bind", "127.0.0.1", "--directory", files, "\(port)"]
        }
      let process = try startProcess(
        kind.program, arguments, environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"])
      (self.folder, address, server) = (folder, "http://127.0.0.1:\(port)", EndedProcess(process))
      guard Self.waitForPort(port, of: process) else {
        throw ProcessFailure(call: "\(kind): \(process.standardErrorSoFar)", code: EADDRINUSE)
      }
    }
  }

  /// The address of a path.
  func url(_ path: String) -> String { address + path }

  /// Serves a file, as of a time in seconds since 1970.
  func serve(_ text: String, as name: String, modified: Int) throws {
    try folder.write(text, to: "files/\(name)")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(modified))],
      ofItemAtPath: folder.path("files/\(name)"))
  }

  /// Removes a file.
  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: folder.path("files/\(name)"))
  }

  /// Returns whether the process listens within ten seconds.
  private static func waitForPort(_ port: UInt16, of process: RunningProcess) -> Bool {
    // Not each of them says that it is ready.
    for _ in 0..<2000 {
      if listens(port) { return true }
      guard process.isRunning else { return false }
      usleep(5000)
    }
    return false
  }

  private static func listens(_ port: UInt16) -> Bool {
    let probe = try? runProcess("/bin/bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"])
    return probe?.status == 0
  }
}

/// A process that is killed with its last reference.
private final class EndedProcess {
  private let process: RunningProcess

  init(_ process: RunningProcess) { self.process = process }

  deinit { process.send(SIGKILL) }
}
