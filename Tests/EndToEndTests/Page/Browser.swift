import Foundation
import SyncTestSupport
import Testing

/// A headless Chromium that opens one file and may load nothing else.
enum Browser {
  /// Its program; `nil` if this machine has none.
  static let path: String? = {
    let names = ["chromium-headless-shell", "chromium", "google-chrome", "chrome-headless-shell"]
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    let paths = folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// A page after its script has run.
  struct Opened {
    var document: String
    /// The page's messages in the browser's console, including errors.
    var console: [String]
    /// Every requested address except the page's own.
    var requests: [String]

    /// The visible names in the table's first column, from top to bottom.
    var shownNames: [String] {
      let table = document.components(separatedBy: "<tbody>").dropFirst().first ?? ""
      let shown = table.components(separatedBy: "</tbody>").first ?? ""
      return shown.matches(of: /<th scope="row">([^<]*)/).map { String($0.1) }
    }

    /// The title and the `aria-sort` of each sorted column.
    var sorting: [String] {
      document.matches(of: /<th scope="col"[^>]*aria-sort="(\w+)"[^>]*><button type="button">([^<]*)/)
        .map { "\($0.2) \($0.1)" }
    }
  }

  /// Opens `file` with `fragment`, which begins with `#` or is empty.
  static func open(_ file: String, _ fragment: String = "") throws -> Opened {
    let folder = try TemporaryFolder()
    let log = folder.path("net.json")
    let result = try run(
      folder, ["--dump-dom", "--enable-logging=stderr", "--log-net-log=\(log)"], file, fragment)
    let requests = (folder.text("net.json") ?? "").matches(of: /"url":"([^"]*)"/).map { String($0.1) }
    return Opened(
      document: result.stdout,
      console: result.stderr.split(separator: "\n").filter { $0.contains("CONSOLE") }.map(String.init),
      requests: Set(requests.filter { !$0.hasPrefix("file://\(file)") }).sorted())
  }

  /// A picture of `file`, as the bytes of a PNG; empty if there is none.
  static func picture(_ file: String, _ fragment: String, width: Int, height: Int) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let options = ["--screenshot=\(folder.path("page.png"))", "--window-size=\(width),\(height)"]
    _ = try run(folder, options, file, fragment)
    return folder.read("page.png") ?? []
  }

  private static func run(
    _ folder: TemporaryFolder, _ options: [String], _ file: String, _ fragment: String
  ) throws -> ProcessResult {
    let usual = [
      // Root may not use the sandbox, and the opened files are ours.
      "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update", "--user-data-dir=\(folder.path("profile"))",
      "--host-resolver-rules=MAP * ~NOTFOUND", "--timeout=20000",
    ]
    return try runProcess(
      try #require(path), usual + options + ["file://\(file)\(fragment)"],
      environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], timeoutSeconds: 90)
  }
}
