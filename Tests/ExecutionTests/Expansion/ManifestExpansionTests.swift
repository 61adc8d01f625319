import ContentPipeline
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Lists are asked before the graph is built, and what they name becomes targets like any others (contract, section 11).
@Suite struct ManifestExpansionTests {
  private let folder: TemporaryFolder
  private let server: LoopbackServer

  init() throws {
    folder = try TemporaryFolder()
    server = try LoopbackServer()
  }

  // MARK: Entries and what they say

  @Test func `each entry of a list becomes a target, and its digest decides without a request`() throws {
    let files = ["a.bin": "one", "b.bin": "two"]
    serve(files)
    serve(sums: files)
    let first = try run(sums)
    #expect(outcomes(first) == ["sum/a.bin updated", "sum/b.bin updated"])
    #expect(folder.text("out/a.bin") == "one")
    server.clearLog()
    let second = try run(sums)
    #expect(outcomes(second) == ["sum/a.bin fresh", "sum/b.bin fresh"])
    #expect(second.results.map { $0.reason?.code } == [.listUnchanged, .listUnchanged])
    #expect(server.requests.map(\.path) == ["/SUMS"])
  }

  @Test func `another digest in the list makes its entry stale, and no other one`() throws {
    serve(["a.bin": "one", "b.bin": "two"])
    serve(sums: ["a.bin": "one", "b.bin": "two"])
    _ = try run(sums)
    serve(["b.bin": "TWO"])
    serve(sums: ["a.bin": "one", "b.bin": "TWO"])
    server.clearLog()
    let planned = try plan(sums)
    #expect(planned.targets.map(\.action) == [.fresh, .update])
    let outcome = try run(sums)
    #expect(outcomes(outcome) == ["sum/a.bin fresh", "sum/b.bin updated"])
    #expect(outcome.results[1].reason?.code == .listChanged)
    #expect(folder.text("out/b.bin") == "TWO")
    #expect(!server.requests.contains { $0.path == "/a.bin" })
  }

  @Test func `a download that has not the list's digest is refused, and the old file stays`() throws {
    serve(["a.bin": "one"])
    serve(sums: ["a.bin": "one"])
    _ = try run(sums)
    serve(["a.bin": "other"])
    serve(sums: ["a.bin": "new"])
    let outcome = try run(sums)
    #expect(outcomes(outcome) == ["sum/a.bin failed"])
    #expect(outcome.results[0].failure?.cause.code == .digestMismatch)
    #expect(folder.text("out/a.bin") == "one")
  }

  @Test func `a download is compared with whatever digest the list gives`() throws {
    serve(["a.bin": "one"])
    let digest = Digester.digest(Array("one".utf8), .md5)
    server.on("/list.json", .text(#"[{"k": "a", "u": "/a.bin", "d": "md5:\#(digest)"}]"#))
    let digested = json.replacing("version: /v", with: "digest: /d")
    let first = try run(digested)
    #expect(outcomes(first) == ["j/a updated"], "\(first.results.map { $0.failure?.cause })")
    #expect(try run(digested).results[0].reason?.code == .listUnchanged)
    server.on(
      "/list.json",
      .text(#"[{"k": "a", "u": "/a.bin", "d": "md5:\#(digest.text.reversed().map(String.init).joined())"}]"#))
    #expect(try run(digested).results[0].failure?.cause.code == .digestMismatch)
  }

  @Test func `a new URL alone is not a changed definition`() throws {
    serve(["a.bin": "one"])
    server.on("/list.json", .text(#"[{"k": "a", "u": "/a.bin", "v": "1"}]"#))
    _ = try run(json)
    server.on("/list.json", .text(#"[{"k": "a", "u": "/moved/a.bin", "v": "1"}]"#))
    let outcome = try run(json)
    #expect(outcomes(outcome) == ["j/a fresh"])
    #expect(outcome.results[0].reason?.code == .listUnchanged)
  }

  @Test func `a list that gives only names leaves the decision to the rule`() throws {
    server.on("/a.bin", .file(Array("one".utf8), etag: "\"1\""))
    server.on("/list.json", .text(#"[{"k": "a", "u": "/a.bin"}]"#))
    _ = try run(json)
    let outcome = try run(json)
    #expect(outcome.results[0].reason?.code == .notModified)
    #expect(server.requests(to: "/a.bin").last?.header("If-None-Match") == "\"1\"")
  }

  // MARK: Asking

  @Test func `a list is asked conditionally, once for all templates, and remembered for offline`() throws {
    serve(["a.bin": "one"])
    server.on("/SUMS", .file(Array(sumsText(["a.bin": "one"]).utf8), etag: "\"s\""))
    let two =
      sums + """
          two/${entry.key}:
            list: {url: \(server.url("/SUMS")), format: checksums}
            output: two/${entry.key}

        """
    _ = try run(two)
    #expect(server.requests(to: "/SUMS").count == 1)
    _ = try run(two)
    #expect(server.requests(to: "/SUMS").last?.header("If-None-Match") == "\"s\"")
    server.clearLog()
    let outcome = try run(two) { $0.questions.isOffline = true }
    #expect(outcomes(outcome) == ["sum/a.bin fresh", "two/a.bin fresh"])
    #expect(server.requests.isEmpty)
  }

  @Test func `templates that read other fields of one document have entries of their own`() throws {
    serve(["a.bin": "one", "b.bin": "two"])
    server.on("/list.json", .text(#"[{"k": "a", "u": "/a.bin", "w": "/b.bin"}]"#))
    let two =
      json + """
          k/${entry.key}:
            list: {url: \(server.url("/list.json")), format: json, fields: {key: /k, url: /w}}
            output: k/${entry.key}

        """
    #expect(outcomes(try run(two)) == ["j/a updated", "k/a updated"])
    #expect(folder.text("j/a") == "one")
    #expect(folder.text("k/a") == "two")
  }

  @Test(arguments: ["", #", "d": null"#, #", "d": 12"#, #", "d": "blake3:00""#])
  func `rows need a digest if the manifest says where it is, at least one of them`(_ digest: String) throws {
    serve(["a.bin": "one", "b.bin": "two"])
    let withDigest = json.replacing("version: /v", with: "digest: /d")
    let next = HeaderField("Link", "<\(server.url("/list.json?page=2"))>; rel=\"next\"")
    server.on("/list.json", .text(#"[{"k": "a", "u": "/a.bin"\#(digest)}]"#))
    #expect(outcomes(try run(withDigest)) == ["j/${entry.key} failed"])
    let other = #"[{"k": "b", "u": "/b.bin", "d": "\#(Digester.digest(Array("two".utf8), .md5).text)"}]"#
    server.on("/list.json", .text(#"[{"k": "a", "u": "/a.bin"\#(digest)}]"#, headers: [next]))
    server.on("/list.json?page=2", .text(other))
    #expect(outcomes(try run(withDigest)) == ["j/a updated", "j/b updated"])
  }

  @Test func `a plan stores nothing`() throws {
    serve(["a.bin": "one"])
    serve(sums: ["a.bin": "one"])
    let planned = try plan(sums)
    #expect(planned.targets.map(\.action) == [.update])
    #expect(!folder.exists(".syncmake"))
  }

  @Test func `pages that GitHub names in its header are followed`() throws {
    serve(["a.bin": "one", "b.bin": "two"])
    let next = HeaderField("Link", "<\(server.url("/list.json?page=2"))>; rel=\"next\"")
    server.on("/list.json", .text(#"[{"k": "a", "u": "/a.bin"}]"#, headers: [next]))
    server.on("/list.json?page=2", .text(#"[{"k": "b", "u": "/b.bin"}]"#))
    #expect(outcomes(try run(json)) == ["j/a updated", "j/b updated"])
  }

  @Test func `a page that names itself as the next one ends the list as invalid`() throws {
    let next = HeaderField("Link", "</list.json>; rel=\"next\"")
    server.on("/list.json", .text(#"[{"k": "a", "u": "/a.bin"}]"#, headers: [next]))
    let outcome = try run(json)
    #expect(outcomes(outcome) == ["j/${entry.key} failed"])
    #expect(outcome.results[0].failure?.cause.code == .listInvalid)
    #expect(server.requests.count == 1)
  }

  @Test func `headers and credentials go to the list's origin only`() throws {
    let other = try LoopbackServer(["/b.bin": [.text("two")]])
    serve(["a.bin": "one"])
    server.on(
      "/list.json", .text(#"[{"k": "a", "u": "/a.bin"}, {"k": "b", "u": "\#(other.url("/b.bin"))"}]"#))
    _ = try run(json + "    headers: {X-Team: genomics}\n")
    #expect(server.requests.map { $0.header("X-Team") } == ["genomics", "genomics"])
    #expect(other.requests.count == 1)
    #expect(other.requests[0].header("X-Team") == nil)
  }

  // MARK: Lists that cannot be used

  @Test(arguments: [
    ("<html><body>Please log in</body></html>", FailureCode.listInvalid), ("[", .listInvalid),
    ("[]", .listInvalid),
    (#"[{"k": "..", "u": "/a.bin"}]"#, .listInvalid), (#"[{"k": "a", "u": "ftp://h/a"}]"#, .listInvalid),
    (#"[{"k": "a/b", "u": "/a"}]"#, .listInvalid),
  ])
  func `a list that cannot be used fails the template, and what needs it is skipped`(
    _ text: String, _ code: FailureCode
  ) throws {
    server.on("/list.json", .text(text))
    serve(["x": "x"])
    let outcome = try run(json + "  x: {url: \(server.url("/x")), output: x}\n")
    #expect(outcomes(outcome) == ["x updated", "j/${entry.key} failed"])
    #expect(outcome.results.first { $0.outcome == .failed }?.failure?.cause.code == code)
  }

  @Test func `a list that is not there has the transfer's code`() throws {
    server.on("/list.json", .status(404))
    let outcome = try run(json)
    #expect(outcome.results.map { $0.failure?.cause.code } == [.httpStatus])
    #expect(outcome.status == .failed)
  }

  @Test func `a target that needs one entry fails for several, and is skipped with its dependent`() throws {
    serve(["a.bin": "one", "b.bin": "two"])
    serve(sums: ["a.bin": "one", "b.bin": "two"])
    let outcome = try run(
      """
      version: 1
      targets:
        tool: {list: {url: \(server.url("/SUMS")), format: checksums}, output: tool}
        user: {url: \(server.url("/a.bin")), output: user, needs: [tool]}

      """)
    #expect(outcomes(outcome).sorted() == ["tool failed", "user skipped"])
  }

  @Test func `the newest entry by its version is the one target`() throws {
    serve(["t-1.9.bin": "old", "t-1.10.bin": "new"])
    serve(sums: ["t-1.9.bin": "old", "t-1.10.bin": "new"])
    let outcome = try run(
      """
      version: 1
      targets:
        tool:
          list: {url: \(server.url("/SUMS")), format: checksums, match: "t-${v}.bin", newest: 1}
          output: tool

      """)
    #expect(outcomes(outcome) == ["tool updated"])
    #expect(folder.text("tool") == "new")
  }

  // MARK: The world

  private var sums: String {
    """
    version: 1
    targets:
      sum/${entry.key}: {list: {url: \(server.url("/SUMS")), format: checksums}, output: "out/${entry.key}"}

    """
  }

  private var json: String {
    """
    version: 1
    targets:
      j/${entry.key}:
        list: {url: \(server.url("/list.json")), format: json, fields: {key: /k, url: /u, version: /v}}
        output: j/${entry.key}

    """
  }

  private func serve(_ files: [String: String]) {
    for (name, text) in files { server.on("/\(name)", .text(text)) }
  }

  private func serve(sums files: [String: String]) { server.on("/SUMS", .text(sumsText(files))) }

  private func sumsText(_ files: [String: String]) -> String {
    files.sorted { $0.key < $1.key }
      .map { "\(Digester.digest(Array($0.value.utf8), .sha256))  \($0.key)\n" }.joined()
  }

  private func outcomes(_ outcome: RunOutcome) -> [String] {
    outcome.results.map { "\($0.name) \($0.outcome.rawValue)" }
  }

  private func workspace(
    _ manifest: String, keeps: Bool, _ change: (inout RunSettings) -> Void
  ) throws -> (Workspace, RunSettings) {
    // Pauses are short, but a busy machine must not count as a server that stalls.
    let patient = manifest.replacing("version: 1\n", with: "version: 1\ndefaults: {\(Workbench.timeout)}\n")
    try folder.write(patient, to: "syncmake.yaml")
    let caller = CallerFacts(version: "1") { _ in nil }
    let location = try #require(
      ManifestLocation(file: folder.path("syncmake.yaml"), stateDir: nil, caller: caller))
    var settings = Workbench.settings()
    change(&settings)
    let opened = try OpenedManifest(location)
    let expanded = try ManifestExpansion.perform(
      on: opened, ListOrder(settings: settings, keeps: keeps, locked: .asked), stop: StopSignal())
    return (try #require(expanded.workspace, "\(expanded.diagnostics.map(\.message))"), settings)
  }

  private func run(
    _ manifest: String, _ change: (inout RunSettings) -> Void = { _ in }
  ) throws -> RunOutcome {
    let (workspace, settings) = try workspace(manifest, keeps: true, change)
    let all = workspace.manifest.targets.map(\.id)
    return try Runner.run(all, in: workspace, settings: settings, stop: StopSignal(), report: { _ in })
  }

  private func plan(_ manifest: String) throws -> Plan {
    let (workspace, settings) = try workspace(manifest, keeps: false) { _ in }
    let all = workspace.manifest.targets.map(\.id)
    return try PlanMaker.plan(
      all, in: workspace, settings: settings, stop: StopSignal(), report: { _ in })
  }
}
