import Foundation
import SyncTestSupport
import Testing

/// Everything that a run prints or writes is searched for a secret, also if a server repeats it.
@Suite(.waits) struct CanaryTests {
  private static let token = "canary-t0k3n"
  private static let password = "canary-p@ss/w:rd"
  private static let netrc = "canary-n3trc"
  private static let file = "canary-f1le"
  private static let helper = "canary-h3lper"

  /// The secrets as plain text, and in the encodings that programs use.
  private static let traces: [String] = {
    let pairs = ["reader:\(password)", "reader:\(netrc)"]
    let encoded = pairs.map { base64(Array($0.utf8)) }
    return [token, password, "canary-p%40ss%2Fw%3Ard", "canary-p%40ss/w:rd", netrc, file, helper, "canary"]
      + encoded + [TestKey.one.secretPart]
  }()

  private let tally = TortureTally("canary")
  private let server: LoopbackServer
  private let root: ProgramFolder
  /// Files of the user, outside of the root.
  private let user: TemporaryFolder

  /// Targets that send secrets in every way, to servers that succeed and to servers that fail.
  init() throws {
    server = try LoopbackServer()
    user = try TemporaryFolder()
    try Self.write("\(Self.file)\n", to: user.path + "/secret")
    try Self.write(TestKey.one.secretFile, to: user.path + "/key")
    try Self.write(
      """
      credentials: [{host: 127.0.0.1, helper: ./helper}]
      remote_cache: {mode: read-write, trust: writers}

      """, to: user.path + "/config.yaml")
    let helper = "#!/bin/sh\necho '{\"headers\": {\"Authorization\": [\"Bearer \(Self.helper)\"]}}'\n"
    try user.writeProgram(Array(helper.utf8), mode: 0o700, to: "helper")
    let ways = [
      "file": "headers: {X-Key: \"${secret:file:\(user.path)/secret}\"}",
      "helper": "description: by a helper",
      "header": "headers: {X-Key: \"${secret:TOKEN}\"}",
      "basic": "auth: {basic: {user: reader, password: \"${secret:PASSWORD}\"}}",
      "bearer": "auth: {bearer: \"${secret:TOKEN}\"}",
      "netrc": "auth: {netrc: true}",
    ]
    var manifest = "version: 1\nvars: {key: \"${secret:TOKEN}\"}\ndefaults: {retries: 1}\ntargets:\n"
    for (way, keys) in ways.sorted(by: { $0.key < $1.key }) {
      for place in Self.places {
        manifest +=
          "  \(way)-\(place): {url: \"\(server.url("/\(place)/\(way)"))\", output: \(place)/\(way), \(keys)}\n"
      }
    }
    for place in Self.places {
      let url = server.url("/\(place)/query?key=${key}&p=${secret:PASSWORD}")
      manifest += "  query-\(place): {url: \"\(url)\", output: query-\(place), headers: {Accept: text/csv}}\n"
      let sidecar = server.url("/\(place)/sum?key=${key}")
      manifest += "  sidecar-\(place): {url: \"\(url)\", output: sidecar-\(place), "
      manifest += "steps: [verify: {md5: {url: \"\(sidecar)\"}}]}\n"
    }
    manifest +=
      "  dead: {url: \"http://127.0.0.1:\(try LoopbackServer.deadPort())/${secret:TOKEN}\", output: dead}\n"
    root = try ProgramFolder(manifest: manifest)
    try root.folder.write("machine 127.0.0.1 login reader password \(Self.netrc)\n", to: ".netrc")
    server.setScript([
      "*": [Reply(.computed { Self.reply($0.path.split(separator: "/").first.map(String.init) ?? "") })]
    ])
  }

  private static func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    chmod(path, 0o700)
  }

  private static let places = ["good", "missing", "busy", "loop", "away", "cut", "odd", "html", "tag"]

  private static func reply(_ place: String) -> Reply {
    switch place {
    case "good": .file(Array("one\n".utf8), etag: "\"1\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
    case "missing": .text("no", status: 404)
    case "busy": .status(503, headers: [HeaderField("Retry-After", "3600")])
    // The server repeats the request, as many error pages do.
    case "loop": echo { .redirect("?\($0)") }
    case "away": echo { .redirect("ftp://127.0.0.1/\($0)") }
    case "cut": Reply.text("0123456789").cut(after: 5)
    case "odd": echo { .raw("HTTP/1.1 200 \($0)\r\nContent-Encoding: \($0)\r\nContent-Length: 1\r\n\r\nx") }
    case "tag":
      echo {
        .raw("HTTP/1.1 200 OK\r\nETag: \"\($0)\"\r\nLast-Modified: \($0)\r\nContent-Length: 1\r\n\r\nx")
      }
    default: .text("<html>log in</html>\n")
    }
  }

  private static func echo(_ make: @escaping @Sendable (String) -> Reply) -> Reply {
    Reply(
      .computed { request in
        let query = request.target.split(separator: "?").dropFirst().joined()
        // Only libcurl knows the content of .netrc: syncmake could not mask it.
        let names = request.path.hasSuffix("/netrc") ? [] : ["X-Key", "Authorization"]
        let sent = names.compactMap { request.header($0) }.joined(separator: " ")
        return make((sent + query).replacingOccurrences(of: " ", with: "+"))
      })
  }

  private func check(
    _ arguments: [String], status: Set<Int32>, environment more: [String: String] = [:]
  ) throws {
    let environment = [
      "TOKEN": Self.token, "PASSWORD": Self.password, "SYNCMAKE_CONFIG": user.path + "/config.yaml",
      // The helper has a second, also on a busy machine.
      "SYNCMAKE_SIGN_KEY": user.path + "/key", "SYNCMAKE_TEST_TIME_SCALE": "0.1",
    ].merging(more) { $1 }
    let result = try root.start(arguments, environment: environment).wait(seconds: 60)
    #expect(status.contains(result.status ?? -1), "\(arguments): \(result.status ?? -1) \(result.stderr)")
    for trace in Self.traces {
      for (name, text) in [("stdout", result.stdout), ("stderr", result.stderr)] {
        let lines = text.split(separator: "\n").filter { $0.contains(trace) }.prefix(3).joined(
          separator: "\n")
        tally.count()
        if !lines.isEmpty { tally.violation("\(arguments) shows \(trace) on \(name): \(lines)") }
      }
    }
  }

  /// The bytes and name of every file, except the manifest and .netrc, which the user wrote.
  private func searchFiles() {
    for path in FileTree(root.folder.path).entries.keys where ![".netrc", "syncmake.yaml"].contains(path) {
      let bytes = Data(root.folder.read(path) ?? [])
      for trace in Self.traces {
        tally.count()
        if path.contains(trace) || bytes.range(of: Data(trace.utf8)) != nil {
          tally.violation("\(path) holds \(trace)")
        }
      }
    }
  }

  @Test func `no command prints a secret, and none is in any file`() throws {
    for arguments in [["plan"], ["plan", "--json", "-v"], ["status", "--json"], ["graph"], ["validate"]] {
      try check(arguments, status: [0, 2])
    }
    try check(["-k", "-v", "--json"], status: [2])
    searchFiles()
    #expect(root.folder.text("good/basic") == "one\n" && root.folder.text("html/basic") != nil)
    try check(["-k"], status: [2])
    try check(["-k", "-B", "-v", "--color", "always", "--progress", "plain"], status: [2])
    let reports = ["--events", "events", "--junit", "junit", "--trace", "trace"]
    let summary = ["GITHUB_STEP_SUMMARY": root.folder.path("summary")]
    try check(["-k", "-B", "--ci", "github"] + reports, status: [2], environment: summary)
    searchFiles()
    for (report, mask) in [("events", "***"), ("junit", "***"), ("trace", "***"), ("summary", "\\*\\*\\*")] {
      #expect(root.folder.text(report)?.contains(mask) == true, "\(report)")
    }
    // A cache gets credentials, too, and repeats them.
    for place in ["good", "loop", "odd", "tag"] {
      server.clearLog()
      let cache = ["SYNCMAKE_REMOTE_CACHE": server.url("/\(place)")]
      try check(["-k", "-v", "--json", "--trace", "trace"], status: [2], environment: cache)
      let asked = server.requests.filter { $0.path.contains("/ac/") }
      #expect(!asked.isEmpty, "\(place)")
      #expect(asked.allSatisfy { $0.header("Authorization") == "Bearer \(Self.helper)" }, "\(place)")
      searchFiles()
    }
    try check(["-k", "-B", "--events", "-", "--ci", "gitlab"], status: [2])
    for arguments in [
      ["plan", "-v"], ["plan", "--json"], ["status"], ["status", "--json"], ["graph", "--format", "json"],
      ["graph", "--format", "mermaid"], ["-n"], ["-q"], ["--offline", "-k"], ["-t"], ["clean"],
    ] { try check(arguments, status: [0, 1, 2]) }
    for name in [
      "header-good", "file-good", "helper-good", "helper-away", "query-good", "query-missing", "basic-loop",
      "netrc-away", "sidecar-html", "dead",
    ] {
      try check(["explain", name], status: [0, 2])
      try check(["explain", "-v", name], status: [0, 2, 64])
    }
    searchFiles()
    #expect(tally.close(), "\(tally.firstViolations)")
  }

  @Test func `an error in the manifest beside a secret does not print the secret`() throws {
    try root.folder.write(
      """
      version: 1
      targets:
        a: {url: "${secret:TOKEN}", output: a}
        b: {url: "ftp://${secret:TOKEN}/x", output: "${secret:TOKEN}/../../b"}
        c: {url: "http://u:${secret:PASSWORD}@h/x", freshness: "${secret:TOKEN}"}
        d: {url: "http://h/x", steps: [verify: {md5: "${secret:TOKEN}"}], timeout: {stall: "${secret:TOKEN}"}}
        e: {url: "http://h/${secret:TOKEN}"}
        f: {url: "http://g/${secret:TOKEN}"}
        g: {url: "http://h/y", headers: {"X-${secret:TOKEN}": "a\\nb${secret:TOKEN}"}, max_size: "${secret:TOKEN}"}
        h: {url: "http://h/z", needs: ["${secret:TOKEN}"], mode: "${secret:TOKEN}", tags: ["${secret:TOKEN}"]}
        i: {url: "http://h/w", colour: "${secret:TOKEN}", auth: {bearer: "a\\tb${secret:TOKEN}"}}
      """, to: "syncmake.yaml")
    for arguments in [
      ["validate"], ["-k"], ["plan", "--json"], ["status"], ["explain", "a"], ["graph"],
      ["-k", "--ci", "github"],
    ] {
      try check(arguments, status: [3])
    }
    #expect(tally.firstViolations.isEmpty, "\(tally.firstViolations)")
  }
}
