import Foundation
import SyncTestSupport

/// Apache on a free port of 127.0.0.1 with its own folder; it stops with its last reference.
final class ApacheServer: Sendable {
  private static let program = "/usr/sbin/apache2"
  private static let modules = "/usr/lib/apache2/modules"

  /// Whether it, and the modules that it needs, are installed.
  static var isHere: Bool {
    access(program, X_OK) == 0 && access("\(modules)/mod_mime.so", R_OK) == 0
  }

  /// `files/` of it is served.
  let folder: TemporaryFolder
  private let process: RunningProcess
  private let port: UInt16

  /// Starts it and returns when it listens. `directives` are added to its configuration.
  init(directives: String, files: [String: [UInt8]]) throws {
    let folder = try TemporaryFolder()
    for (name, bytes) in files { try folder.write(bytes, to: "files/\(name)") }
    // Its worker may run as another user than the tests.
    chmod(folder.path, 0o755)
    var complaint = ""
    for _ in 0..<5 {
      let port = try LoopbackServer.freePort()
      let text = """
        ServerName 127.0.0.1
        Listen 127.0.0.1:\(port)
        PidFile \(folder.path)/pid
        DefaultRuntimeDir \(folder.path)
        LoadModule mpm_event_module \(Self.modules)/mod_mpm_event.so
        LoadModule authz_core_module \(Self.modules)/mod_authz_core.so
        LoadModule mime_module \(Self.modules)/mod_mime.so
        User nobody
        Group nogroup
        TypesConfig /dev/null
        ErrorLog /dev/stderr
        DocumentRoot \(folder.path)/files
        <Directory \(folder.path)/files>
          Require all granted
        </Directory>
        \(directives)

        """
      try folder.write(text, to: "apache.conf")
      let process = try startProcess(
        Self.program, ["-X", "-d", folder.path, "-f", folder.path("apache.conf")])
      if Self.waitForFile(folder.path("pid"), of: process) {
        self.folder = folder
        self.process = process
        self.port = port
        return
      }
      complaint = process.standardErrorSoFar
    }
    throw ProcessFailure(call: "apache2: \(complaint)", code: EADDRINUSE)
  }

  deinit { process.send(SIGKILL) }

  /// Waits for the file that it writes once it listens; returns whether it appeared within ten seconds.
  private static func waitForFile(_ path: String, of process: RunningProcess) -> Bool {
    // As one process it does not report when it is ready.
    for _ in 0..<2000 {
      if access(path, F_OK) == 0 { return true }
      guard process.isRunning else { return false }
      usleep(5000)
    }
    return false
  }

  /// The address of a path.
  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}
