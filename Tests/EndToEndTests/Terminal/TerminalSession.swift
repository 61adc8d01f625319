import Foundation
import SyncTestSupport
import Testing

/// A real terminal in tmux, in which a shell runs one script; it ends with its last reference.
final class TerminalSession {
  /// The path of tmux; `nil` if it is missing.
  static let tmux: String? = ["/usr/bin/tmux", "/usr/local/bin/tmux", "/opt/homebrew/bin/tmux"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private let socket: String
  private let folder: TemporaryFolder

  /// Starts `script` in `folder`; after its end the terminal stays as it is.
  ///
  /// The machine's settings have no effect: there are a separate socket, no configuration file and few variables.
  init(_ script: String, columns: Int, rows: Int = 24, in root: String, environment: [String: String] = [:])
    throws
  {
    folder = try TemporaryFolder()
    socket = folder.path("tmux")
    // The shell survives a Ctrl-C; its children get it as usual.
    try folder.write("trap : INT\n\(script)\nexec sleep 600\n", to: "script")
    let usual = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_PROXY": "*",
    ]
    let started = try runProcess(
      Self.tmux ?? "tmux",
      [
        "-u", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
        "exec sh '\(folder.path("script"))'",
      ], environment: usual.merging(environment) { $1 }, currentDirectory: root)
    try #require(started.status == 0, "tmux: \(started.stderr)")
  }

  deinit { _ = try? tmux("kill-server") }

  /// The screen's text, without differences between runs (see ``normalised(_:)``).
  func screen() throws -> String { Self.normalised(try tmux("capture-pane", "-p")) }

  /// Types keys by tmux's names, such as `C-c`.
  func type(_ keys: String...) throws { _ = try tmux(["send-keys"] + keys) }

  /// Stores from now on every byte that the terminal receives in a file of this name.
  func copyBytes(to name: String) throws { _ = try tmux("pipe-pane", "cat > '\(folder.path(name))'") }

  /// The content that ``copyBytes(to:)`` has kept so far.
  func copiedBytes(_ name: String) -> String? { folder.text(name) }

  /// Sets the terminal's width.
  func resize(columns: Int, rows: Int = 24) throws {
    _ = try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// Whether the cursor is visible.
  func showsCursor() throws -> Bool { try tmux("display-message", "-p", "#{cursor_flag}").hasPrefix("1") }

  /// Polls until the screen is as expected, for at most twenty seconds; returns the last screen.
  ///
  /// A terminal has no event for a finished drawing; only the final screen matters.
  func wait(until isWanted: (String) -> Bool) throws -> String {
    var shown = ""
    let deadline = ContinuousClock.now + .seconds(20)
    repeat {
      shown = try screen()
      if isWanted(shown) { return shown }
      usleep(30_000)
    } while ContinuousClock.now < deadline
    return shown
  }

  /// Waits until the lines of these targets show that no more data arrive.
  func waitForStandstill(of names: String...) throws {
    _ = try wait { _ in
      let lines = ((try? tmux("capture-pane", "-p")) ?? "").split(separator: "\n")
      return names.allSatisfy { name in lines.contains { $0.hasPrefix("  \(name)") && $0.contains("  0 B/s") }
      }
    }
  }

  /// A screen without the parts that depend on the clock and the port: rates become `(rate)`, the remaining time is
  /// removed, a run's time becomes `(time)`, a port `NNNNN`; there are no spaces at line ends and no empty lines at
  /// the end.
  static func normalised(_ screen: String) -> String {
    var lines = screen.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var line = String(line)
      line = line.replacing(#/ +about [0-9hms ]+ left/#, with: "")
      line = line.replacing(#/[0-9.]+ [kMGT]?B/s(  ([0-9]+ s|[0-9hms]+))?/#, with: "(rate)")
      line = line.replacing(#/ in ([0-9.]+ m?s|[0-9hms]+)(;|$)/#) { " in (time)\($0.2)" }
      line = line.replacing(#/127\.0\.0\.1:[0-9]{5}/#, with: "127.0.0.1:NNNNN")
      while line.last == " " { line.removeLast() }
      return line
    }
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n") + "\n"
  }

  private func tmux(_ arguments: String...) throws -> String { try tmux(arguments) }

  private func tmux(_ arguments: [String]) throws -> String {
    let result = try runProcess(
      Self.tmux ?? "tmux", ["-u", "-S", socket] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
    return result.stdout
  }
}

/// An approved screen: a text file in `Screens`.
struct GoldenScreen {
  private let name: String
  private let text: String?

  init(_ name: String) {
    self.name = name
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Screens")
    text = try? String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8)
  }

  /// Waits for this text.
  func appears(in session: TerminalSession, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let shown = try session.wait { $0 == text }
    #expect(
      shown == text, "the screen is not \(name).txt but:\n\(shown)", sourceLocation: sourceLocation)
  }
}
