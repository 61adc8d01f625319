import Foundation
import SyncTestSupport
import Testing

/// The built program in a real terminal, with a server that stops on request, so that each screen stays until it
/// was checked.
@Suite(.waits, .serialized, .enabled(if: TerminalSession.tmux != nil, "needs tmux"))
struct TerminalTests {
  private let server = try? LoopbackServer()
  private let folder = try? TemporaryFolder()

  /// Four targets: two whose bodies stop midway, one that is not answered, one that has to wait for its turn.
  private func session(
    _ arguments: String = "-j 3", columns: Int = 90, before: String = "", behind: String = "",
    environment: [String: String] = [:], hasMissing: Bool = true
  ) throws -> (TerminalSession, LoopbackServer) {
    let (server, folder) = (try #require(server), try #require(folder))
    func held(_ size: Int, after part: Int, _ gate: String) -> Reply {
      .file([UInt8](repeating: 65, count: size), etag: "\"1\"").held(afterBody: part, until: gate)
    }
    server.setScript([
      "/genes": [held(4_000_000, after: 1_000_000, "genes")],
      "/taxa": [held(2_000_000, after: 1_500_000, "taxa")],
      "/names": [.file([UInt8](repeating: 66, count: 300), etag: "\"1\"").held(until: "names")],
      "/index": [.file([UInt8](repeating: 67, count: 40), etag: "\"1\"")],
    ])
    try folder.write(
      """
      version: 1
      defaults: {retries: 0}
      targets:
        genes: {url: "\(server.url())/genes", output: data/genes.tsv}
        a-target-with-a-rather-long-name-2026.11: {url: "\(server.url())/taxa", output: 分類/名前.tsv}
        names: {url: "\(server.url())/names"}
        index: {url: "\(server.url())/index", needs: [genes]}
        \(hasMissing ? "missing: {url: \"\(server.url())/missing\", tags: [broken]}" : "")
      groups: {most: [genes, a-target-with-a-rather-long-name-2026.11, names, index]}
      """, to: "syncmake.yaml")
    let session = try start(
      arguments, columns: columns, before: before, behind: behind, environment: environment)
    return (session, server)
  }

  /// The program with the manifest that is in the folder.
  private func start(
    _ arguments: String, columns: Int = 90, before: String = "", behind: String = "",
    environment: [String: String] = [:]
  ) throws -> TerminalSession {
    let folder = try #require(folder)
    let program = try #require(SyncmakeProgram.path, "build the program, or name it in SYNCMAKE_BINARY")
    let script = "\(before)printf '$ syncmake\\n'\n'\(program)' \(arguments)\(behind)\nprintf 'exit %s\\n' $?"
    return try TerminalSession(script, columns: columns, in: folder.path, environment: environment)
  }

  /// Releases them one after another, so that they finish in this order.
  private func finish(_ server: LoopbackServer, _ session: TerminalSession) throws {
    for (gate, output) in [("taxa", "a-target"), ("names", "names"), ("genes", "index")] {
      server.release(gate)
      _ = try session.wait { $0.contains("new        \(output)") }
    }
  }

  @Test func `a run in progress, its end, and a second run without work are shown`() throws {
    let (session, server) = try session("-j 3 most")
    try GoldenScreen("in-progress").appears(in: session)
    try finish(server, session)
    try GoldenScreen("finished").appears(in: session)
    #expect(try session.showsCursor())
    let (second, _) = try self.session("most")
    try GoldenScreen("all-fresh").appears(in: second)
  }

  @Test func `a failure is printed above the live lines`() throws {
    let (session, _) = try session("-k -j 4 genes names missing")
    try GoldenScreen("failure").appears(in: session)
    try session.type("C-c")
    try GoldenScreen("failure-ended").appears(in: session)
  }

  @Test func `however many targets finish, the live lines are drawn at most ten times a second`() throws {
    let (server, folder) = (try #require(server), try #require(folder))
    let small = Reply.file([UInt8](repeating: 67, count: 40), etag: "\"1\"")
    server.setScript([
      "/first": [small.held(until: "first")], "/last": [small.held(until: "last")], "*": [small],
    ])
    try folder.write(
      """
      version: 1
      targets:
        last: {url: "\(server.url())/last"}
        first: {url: "\(server.url())/first"}
        t${n}:
          matrix: {n: [1..200]}
          url: "\(server.url())/${n}"
          output: out/${n}
          needs: [first]
      """, to: "syncmake.yaml")
    let session = try start("-j 3")
    _ = try session.wait { $0.contains("[0/202]") }
    try session.copyBytes(to: "bytes")
    let began = ContinuousClock.now
    server.release("first")
    _ = try session.wait { $0.contains("[201/202]") }
    server.release("last")
    _ = try session.wait { _ in session.copiedBytes("bytes")?.contains("exit 0") == true }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    let bytes = Harmless.withoutColours(try #require(session.copiedBytes("bytes")))
    let drawings = bytes.matches(of: #/\[[0-9]+/202\]/#).count
    #expect(Double(drawings) <= 10 * seconds + 5)
    // No line is lost that waited for a drawing.
    #expect((1...200).allSatisfy { bytes.contains(" out/\($0) ") })
    #expect(try session.screen().hasSuffix("\n202 new in (time)\nexit 0\n"))
  }

  @Test(arguments: ["lock", "update"])
  func `lock and update show what is in progress, and then no live lines`(command: String) throws {
    let (session, server) = try session("\(command) -j 3", hasMissing: false)
    try GoldenScreen("in-progress").appears(in: session)
    server.release("taxa")
    // An update has no result yet, but nothing more is done for the target.
    let isCounted = { (screen: String) in screen.contains("[1/4]") && !screen.contains("\n  a-target") }
    let shown = try session.wait(until: isCounted)
    #expect(isCounted(shown), "\(shown)")
    for gate in ["names", "genes"] { server.release(gate) }
    let lines = try session.wait { $0.contains("exit ") }.split(separator: "\n").map(String.init)
    #expect(lines.count { $0.hasPrefix("new ") } == 4)
    #expect(
      lines.filter { !$0.hasPrefix("new ") } == [
        "$ syncmake", "4 new in (time)", "wrote syncmake.lock: 4 added", "exit 0",
      ])
  }

  @Test func `after Ctrl-C in an update no live lines remain`() throws {
    let (session, _) = try session("update -j 3", hasMissing: false)
    try GoldenScreen("in-progress").appears(in: session)
    try session.type("C-c")
    let lines = try session.wait { $0.contains("exit ") }.split(separator: "\n")
    #expect(
      lines == [
        "$ syncmake", "interrupted: 4 skipped in (time); run again to continue",
        "syncmake: no syncmake.lock was written, and all outputs are unchanged", "exit 130",
      ])
  }

  @Test(arguments: ["run", "lock"])
  func `a warning about a list takes the place of the list's live lines`(command: String) throws {
    let (server, folder) = (try #require(server), try #require(folder))
    server.setScript([
      "/list": [.text(#"[{"key": "a", "url": "/a"}]"#).held(until: "list")],
      "/index": [.file([UInt8](repeating: 67, count: 40), etag: "\"1\"")],
    ])
    try folder.write(
      """
      version: 1
      targets:
        x/${entry.key}:
          list: {url: "\(server.url())/list", format: json, include: ["^b.*"]}
          output: ${entry.key}
        index: {url: "\(server.url())/index"}
      """, to: "syncmake.yaml")
    let session = try start(command)
    _ = try session.wait { $0.contains("  x/${entry.key}  asking") }
    server.release("list")
    let shown = try session.wait { $0.contains("exit 0") }
    #expect(shown.contains("$ syncmake\nsyncmake.yaml:3:3: warning: x/${entry.key}: "), "\(shown)")
    #expect(shown.contains("\nhint: "), "\(shown)")
    #expect(!shown.contains("asking") && !shown.contains("[0/"), "\(shown)")
  }

  /// Ports without a size, which serial lines and some containers have, are 0 by 0.
  @Test(arguments: ["", "stty columns 0 rows 0\n"])
  func `a terminal without a size is taken for one of eighty columns`(before: String) throws {
    let (session, _) = try session("-j 3 most", columns: 80, before: before)
    try GoldenScreen("in-progress-80").appears(in: session)
  }

  @Test func `fifty columns are enough`() throws {
    let (session, server) = try session("-j 3 most", columns: 50)
    try GoldenScreen("in-progress-50").appears(in: session)
    try finish(server, session)
    try GoldenScreen("finished-50").appears(in: session)
  }

  @Test func `a terminal that becomes narrower and wider during a run is redrawn`() throws {
    // tmux scrolls lines off the top even if there is room below: earlier lines therefore remain.
    let (session, server) = try session("-j 3 most", before: "seq 1 6\n")
    // Once no rate changes, only resizing causes drawing.
    try session.waitForStandstill(of: "genes", "a-target")
    try session.resize(columns: 50)
    try GoldenScreen("resized-50").appears(in: session)
    try session.resize(columns: 90)
    try GoldenScreen("resized-90").appears(in: session)
    try finish(server, session)
    try GoldenScreen("resized-finished").appears(in: session)
  }

  @Test func `after Ctrl-C no live lines remain`() throws {
    let (session, _) = try session("-j 3 most", before: "printf 'a line of before\\n'\n")
    _ = try session.wait { $0.contains("1.5 MB of 2.0 MB") && $0.contains("names") }
    try session.type("C-c")
    try GoldenScreen("interrupted").appears(in: session)
    #expect(try session.showsCursor())
  }

  @Test func `after Ctrl-Z and fg, text that was printed in between stays`() throws {
    let (session, server) = try session(
      "-j 3 most", before: "set -m\n", behind: "; printf 'one\\ntwo\\nthree\\nfour\\nfive\\n'; fg")
    try session.waitForStandstill(of: "genes", "a-target")
    try session.type("C-z")
    _ = try session.wait { $0.contains("five") }
    try finish(server, session)
    let shown = try session.wait { $0.contains("exit 0") }
    #expect(shown.contains("one\ntwo\nthree\nfour\nfive\n"), "\(shown)")
    #expect(shown.contains("4 new"))
  }

  @Test(arguments: [
    ("dumb", "-j 3 most", "", ["TERM": "dumb"]), ("progress-none", "-j 3 --progress none most", "", [:]),
    ("pipe", "-j 3 most", " 2>&1 | cat", [:]),
  ])
  func `no live lines are drawn if they could not be redrawn`(
    screen: String, arguments: String, behind: String, environment: [String: String]
  ) throws {
    // tmux sets its own TERM for its children.
    let term = environment["TERM"].map { "TERM=\($0); export TERM\n" } ?? ""
    let (session, server) = try session(
      arguments, before: "stty -echo; read start; stty echo\n\(term)", behind: behind)
    try session.copyBytes(to: "bytes")
    try session.type("Enter")
    #expect(
      server.wait(seconds: 20) {
        $0.bytesSent(to: "/taxa") == 1_500_000 && $0.requests(to: "/names").count == 1
      })
    // Long enough for a drawing to appear.
    usleep(600_000)
    for gate in ["taxa", "names", "genes"] { server.release(gate) }
    let shown = try session.wait { $0.contains("exit ") }
    // The order of the ends is not determined.
    let lines = shown.split(separator: "\n").map(String.init)
    let golden =
      screen == "progress-none"
      ? []
      : [
        "new        a-target-with-a-rather-long-name-2026.11  分類/名前.tsv     2.0 MB",
        "new        genes                                     data/genes.tsv    4.0 MB",
        "new        index                                     index               40 B",
        "new        names                                     names              300 B",
      ]
    #expect(lines.filter { $0.hasPrefix("new ") }.sorted() == golden)
    #expect(
      lines.filter { !$0.hasPrefix("new ") } == [
        "$ syncmake", "4 new in (time)", "exit 0",
      ])
    _ = try session.wait { _ in session.copiedBytes("bytes")?.contains("exit 0") == true }
    let bytes = try #require(session.copiedBytes("bytes"))
    #expect(bytes.contains("exit 0"))
    #expect(!bytes.replacing("\r\n", with: "\n").contains("\r"))
    #expect(!Harmless.withoutColours(bytes).contains("\u{1B}"), "\(bytes.debugDescription)")
  }
}

private enum Harmless {
  static func withoutColours(_ text: String) -> String { text.replacing(#/\x1B\[[0-9;]*m/#, with: "") }
}
