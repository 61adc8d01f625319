import Foundation
import SyncTestSupport
import Syncmake
import Testing

@Suite struct TrustTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let text = "version: 1\ntargets: {a: {url: \"http://127.0.0.1:9/a\"}}\n"

  @Test func `a stranger's manifest may not do what a trusted one may`() throws {
    #expect(try Manifest(text: text, root: folder.path).targets == ["a"])
    let error = try #require(throws: SyncError.self) {
      try Manifest(text: text, root: folder.path, trust: .stranger)
    }
    #expect(error.code == .invalid)
    #expect(error.problems.first?.line == 2)
    #expect(error.problems.allSatisfy { $0.code == "invalid" })
  }

  @Test func `a policy allows hosts, and a host's address is judged when it is asked`() async throws {
    let https = "version: 1\ntargets: {a: {url: \"https://localhost/a\", retries: 0}}\n"
    let trust = try Trust(policy: "hosts: [data.example.org]")
    #expect(throws: SyncError.self) { try Manifest(text: https, root: folder.path, trust: trust) }
    let local = try Trust(policy: "hosts: [localhost]")
    let run = try Manifest(text: https, root: folder.path, trust: local).run()
    // Each run has the whole budget, and the same answer.
    for _ in 1...2 {
      let error = try await run.result().targets[0].error
      #expect(error?.code.rawValue == "address-refused")
      #expect(error?.hint?.contains("--") == false)
    }
  }

  @Test func `the errors of a policy are values`() throws {
    let error = try #require(throws: SyncError.self) { try Trust(policy: "host: [a.example]\nenv: 3\n") }
    #expect(error.code == .invalid)
    #expect(error.problems.map(\.line) == [1, 2])
    #expect(error.problems.first?.hint == "did you mean \"hosts\"?")
  }
}

@Suite struct CacheTests {
  @Test func `a cache gives the bytes that a digest names to another root`() async throws {
    let (one, other, cache) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
    let bytes = TestData.random(300_000, seed: 3)
    let server = try LoopbackServer(["/a": [.file(bytes)]])
    var options = RunOptions()
    options.cache = cache.path("shared")
    let rule = Rule.digest(Digest(.sha256, try TestData.digest("sha256", bytes)))
    var results: [TargetResult] = []
    for folder in [one, other] {
      var file = FileSync(server.url("/a"), to: "a", in: folder.path)
      file.rule = rule
      results.append(try await file.run(options: options))
    }
    #expect(server.requests.count == 1)
    #expect(other.read("a") == bytes)
    #expect(results.map(\.bytesFromCache) == [0, 300_000] && results.map(\.bytesReceived) == [300_000, 0])
  }

  @Test func `a cache that cannot be used is a warning with a code and a hint of the library`()
    async throws
  {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer(["/a": [.file(Array("a".utf8), etag: "\"1\"")]])
    try folder.write("no folder", to: "cache")
    var options = RunOptions()
    options.cache = folder.path("cache")
    let result = try await FileSync(server.url("/a"), to: "a", in: folder.path).run(options: options)
    #expect(result.outcome == .updated)
    #expect(result.warnings.map(\.code) == ["cache-unusable"])
    #expect(result.warnings.first?.hint?.contains("`cache`") == true)
  }

  @Test func `a hint names the library's option`() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer(["/a": [.file(Array("a".utf8), etag: "\"1\"")]])
    let file = FileSync(server.url("/a"), to: "a", in: folder.path)
    _ = try await file.run()
    try folder.write("edited", to: "a")
    server.on("/a", .file(Array("b".utf8), etag: "\"2\""))
    let error = try await #require(throws: SyncError.self) { try await file.run() }
    #expect(error.code.rawValue == "output-modified")
    #expect(error.hint?.contains("`overwritesEdits` replaces it") == true)
  }
}

@Suite struct ConfigurationTests {
  private func ending(_ folder: TemporaryFolder, _ url: String, _ text: String) async throws -> TargetResult {
    var options = RunOptions()
    options.configuration = try Configuration(text, in: folder.path)
    return try await FileSync(url, to: "a", in: folder.path).run(
      options: options, environment: ["PATH": "/usr/bin:/bin"])
  }

  @Test func `a cache on a server gives bytes, and gets them`() async throws {
    let folder = try TemporaryFolder()
    let bytes = Array("a\n".utf8)
    let digest = try TestData.digest("sha256", bytes)
    let (origin, cache) = (
      try LoopbackServer(["/a": [.file(bytes)]]), try LoopbackServer(["/sm/cas/\(digest)": [.file(bytes)]])
    )
    var options = RunOptions()
    options.configuration = try Configuration("remote_cache: {url: \"\(cache.url("/sm"))\"}")
    var file = FileSync(origin.url("/a"), to: "a", in: folder.path)
    file.rule = .digest(Digest(.sha256, digest))
    let result = try await file.run(options: options)
    #expect(result.bytesFromCache == 2 && folder.read("a") == bytes && origin.requests.isEmpty)
  }

  @Test func `requests go to a mirror, with what a helper gives`() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer(["/mirror/a": [.file(Array("a".utf8), etag: "\"1\"")]])
    let helper = "#!/bin/sh\necho '{\"headers\": {\"Authorization\": [\"Bearer token-of-helper\"]}}'\n"
    try folder.writeProgram(Array(helper.utf8), to: "helper")
    let result = try await ending(
      folder, "https://files.example.org/a",
      """
      rewrite: [{from: "https://files.example.org/", to: "\(server.url("/mirror/"))"}]
      credentials: [{host: 127.0.0.1, helper: ./helper}]
      """)
    #expect(result.outcome == .updated && folder.text("a") == "a")
    #expect(server.requests.first?.header("Authorization") == "Bearer token-of-helper")
  }

  @Test func `the errors of a configuration are values`() throws {
    let error = try #require(throws: SyncError.self) { try Configuration("job: 3\nhosts: 4\n") }
    #expect(error.code == .invalid && error.problems.map(\.line) == [1, 2])
    #expect(error.problems.first?.hint == "did you mean \"jobs\"?")
  }
}
