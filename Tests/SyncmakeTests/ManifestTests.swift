import SyncTestSupport
import Syncmake
import Testing

@Suite struct ManifestTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a file with errors gives all of them with their places`() throws {
    try folder.write(
      """
      version: 1
      targets:
        a: {url: https://example.org/a, freshnes: etag}
        b: {url: https://example.org/b, output: ../b}
      """, to: "syncmake.yaml")
    let error = try #require(throws: SyncError.self) { try Manifest(file: folder.path("syncmake.yaml")) }
    #expect(error.code == .invalid)
    #expect(error.problems.map(\.line) == [3, 4])
    #expect(error.problems.map(\.column) == [35, 43])
    #expect(error.problems.allSatisfy { $0.file == folder.path("syncmake.yaml") && $0.isError })
    #expect(error.problems[0].message.contains("freshnes"))
    #expect(error.problems[0].hint == "did you mean \"freshness\"?")
    #expect(error.description.contains("syncmake.yaml:3:35: error: "))
  }

  @Test func `a missing file is an error with its name`() throws {
    let error = try #require(throws: SyncError.self) { try Manifest(file: folder.path("none.yaml")) }
    #expect(error.code == .invalid)
    #expect(error.message.contains("none.yaml"))
    #expect(error.problems.isEmpty)
  }

  @Test func `a manifest that is built in Swift has the rules of a written one`() throws {
    let error = try #require(throws: SyncError.self) {
      try Manifest(
        [
          Target("a", url: "https://example.org/a", output: ".git/a"),
          Target("b", url: "https://example.org/b", steps: [.verify(Digest(.md5, "12"))]),
          Target("a", from: "c"),
        ], root: folder.path)
    }
    #expect(error.code == .invalid)
    #expect(error.problems.count >= 3)
    #expect(error.problems.allSatisfy { $0.line != nil && $0.file == folder.path("syncmake.yaml") })
  }

  @Test func `what is built in Swift reads as it was written`() throws {
    var genes = Target(
      "genes", url: "https://example.org/$genes.gz", "http://example.net/genes.gz", output: "data/a \"b\" $c",
      rule: .interval(.seconds(90), then: .digest(Digest(.sha256, at: "https://example.org/s", entry: "g*"))),
      steps: [.gunzip, .verify(size: 12), .verify(minisignKey: "K")])
    genes.headers = ["X-Key": "${env:HOME}"]
    genes.credentials = .basic(user: "u", password: "geheim")
    genes.retries = 2
    genes.maximumSize = 4_000
    genes.mode = 0o755
    genes.localChanges = .overwrite
    genes.isOptional = true
    genes.steps.removeLast()
    var index = Target("index", from: "genes", output: "index/", steps: [.unpack])
    index.after = ["genes"]
    let manifest = try Manifest([genes, index], root: folder.path)
    #expect(manifest.targets == ["genes", "index"])
    #expect(
      manifest.text == """
        version: 1
        targets:
          genes:
            url:
              - https://example.org/$$genes.gz
              - http://example.net/genes.gz
            output: "data/a \\"b\\" $$c"
            freshness: {interval: 90000ms, then: {sha256: {url: "https://example.org/s", entry: "g*"}}}
            steps:
              - gunzip
              - {verify: {size: 12}}
            headers:
              X-Key: $${env:HOME}
            auth: {basic: {user: "u", password: "${secret:SYNCMAKE_CREDENTIALS_1}"}}
            retries: 2
            mode: "0755"
            max_size: 4000B
            local_changes: overwrite
            optional: true
          index:
            from: genes
            output: index/
            steps:
              - unpack
            after: ["genes"]

        """)
  }

  @Test func `variables come from what the caller passes, and from nothing else`() throws {
    let text = "version: 1\ntargets: {a: {url: \"https://${env:HOME}/a\"}}\n"
    let error = try #require(throws: SyncError.self) { try Manifest(text: text, root: folder.path) }
    #expect(error.problems.first?.message.contains("HOME") == true)
    #expect(
      try Manifest(text: text, root: folder.path, environment: ["HOME": "example.org"]).targets == ["a"])
  }

  @Test func `no targets are a valid manifest`() async throws {
    let manifest = try Manifest([], root: folder.path)
    #expect(try await manifest.plan().targets == [])
    #expect(try await manifest.run().result().status == .ok)
  }

  @Test func `an unknown name is an error with the nearest one`() async throws {
    let manifest = try Manifest([Target("genes", url: "https://example.org/genes")], root: folder.path)
    await #expect(throws: SyncError.self) { try await manifest.plan(["gene"]) }
    let result = await ended(manifest.run(["gene"]))
    #expect(result?.error?.code == .unknownTarget)
    #expect(result?.error?.hint == "did you mean \"genes\"?")
    #expect(result?.status == .failed)
  }

  @Test func `a state of a later version is not touched`() async throws {
    let server = try LoopbackServer(["/a": [.text("a")]])
    let targets = [Target("a", url: server.url("/a"))]
    _ = try await Manifest(targets, root: folder.path).run().result()
    var state = try #require(folder.read(".syncmake/state.db"))
    state[63] = 200
    try folder.write(state, to: ".syncmake/state.db")
    let error = try #require(throws: SyncError.self) { try Manifest(targets, root: folder.path) }
    #expect(error.code == .unusableState)
    #expect(error.message.contains("later syncmake"))
    #expect(folder.read(".syncmake/state.db") == state)
  }

  @Test func `a folder with something else in it is no state folder`() throws {
    try folder.write("x", to: "mine/precious")
    let error = try #require(throws: SyncError.self) {
      try Manifest([], root: folder.path, state: folder.path("mine"))
    }
    #expect(error.code == .unusableState)
  }
}

/// The result of a run by its events.
func ended(_ run: Run) async -> RunResult? {
  var last: Event?
  for await event in run { last = event }
  if case .ended(let result)? = last { return result }
  return nil
}
