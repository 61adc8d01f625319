import ContentPipeline
import Foundation
import LocalFiles
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Runs whose roots share a cache in a folder; everything else is in memory.
@Suite struct `Runs with one cache` {
  private let folder = try? TemporaryFolder()
  private var path: String { (folder?.path ?? "/nonexistent") + "/cache" }

  private var settings: RunSettings {
    var settings = RunSettings()
    settings.caches.local = CacheSettings(path: path)
    return settings
  }

  private func world(_ text: String = "one", tag: String = "1") -> MemoryWorld {
    let world = MemoryWorld()
    world.network.on(
      "/data",
      .file(Array(text.utf8), etag: "\"\(tag)\"", lastModified: "Sat, 21 Nov 2026 09:00:00 GMT"))
    return world
  }

  private func manifest(_ keys: String = "") throws -> Manifest {
    try MemoryWorld.manifest(
      """
      version: 1
      defaults: {retries: 0}
      targets:
        data: {url: "${env:BASE}/data"\(keys.isEmpty ? "" : ", " + keys)}
      """)
  }

  private func digest(_ text: String) -> HexDigest { Digester.digest(Array(text.utf8), .sha256) }

  private func entry(_ text: String) -> String {
    let digest = digest(text).text
    return "\(path)/cas/\(digest.prefix(2))/\(digest)"
  }

  private func damage(_ text: String, to bytes: String) throws {
    try FileManager.default.removeItem(atPath: entry(text))
    try Data(bytes.utf8).write(to: URL(fileURLWithPath: entry(text)))
  }

  @Test func `the first fetches, and the second is only confirmed`() throws {
    let manifest = try manifest()
    let first = try world().result(manifest, settings: settings)
    #expect(first.outcome == .updated && first.from == .origin)
    #expect(FileManager.default.contents(atPath: entry("one")) == Data("one".utf8))
    let world = world()
    let second = try world.result(manifest, settings: settings)
    #expect(second.outcome == .updated && second.from == .localCache && second.bytesFromCache == 3)
    #expect(second.totals == ExchangeTotals(bytes: 0, requests: 1))
    #expect(world.outputs.text("data") == "one")
    let third = try world.result(manifest, settings: settings)
    #expect(third.outcome == .fresh && third.from == nil)
  }

  @Test func `a digest needs no request, even offline`() throws {
    let manifest = try manifest("steps: [{verify: {sha256: \(digest("one").text)}}]")
    _ = try world().result(manifest, settings: settings)
    let world = world("two", tag: "2")
    var settings = settings
    settings.questions.isOffline = true
    let second = try world.result(manifest, settings: settings)
    #expect(second.outcome == .updated && second.from == .localCache)
    #expect(world.network.requests.isEmpty)
    #expect(world.outputs.text("data") == "one")
  }

  @Test func `another algorithm finds the file, too`() throws {
    let md5 = Digester.digest(Array("one".utf8), .md5).text
    let manifest = try manifest("freshness: {md5: \(md5)}")
    _ = try world().result(manifest, settings: settings)
    let world = world("two", tag: "2")
    #expect(try world.result(manifest, settings: settings).from == .localCache)
    #expect(world.network.requests.isEmpty)
  }

  @Test func `a sidecar names the file`() throws {
    let manifest = try manifest("steps: [{verify: {sha256: {url: \"${env:BASE}/data.sha256\"}}}]")
    func world() -> MemoryWorld {
      let world = self.world()
      world.network.on("/data.sha256", .file(Array(digest("one").text.utf8), etag: "\"s\""))
      return world
    }
    _ = try world().result(manifest, settings: settings)
    let second = world()
    #expect(try second.result(manifest, settings: settings).from == .localCache)
    #expect(second.network.requests.map(\.path) == ["/data.sha256"])
  }

  @Test(arguments: ["two", "", "one and more"]) func `a file with other bytes is removed, and told of once`(
    bytes: String
  ) throws {
    let manifest = try manifest("freshness: {sha256: \(digest("one").text)}")
    _ = try world().result(manifest, settings: settings)
    try damage("one", to: bytes)
    let world = world()
    let result = try world.result(manifest, settings: settings)
    #expect(result.outcome == .updated && result.from == .origin)
    #expect(world.outputs.text("data") == "one")
    #expect(world.events.count { if case .warning(.cacheEntryBad) = $0 { true } else { false } } == 1)
    #expect(FileManager.default.contents(atPath: entry("one")) == Data("one".utf8))
  }

  @Test func `what comes with credentials or a private reply is not kept`() throws {
    _ = try world().result(try manifest("auth: {bearer: t}"), settings: settings)
    #expect(!FileManager.default.fileExists(atPath: entry("one")))
    let world = MemoryWorld()
    world.network.on(
      "/data",
      .status(200, headers: [HeaderField("Cache-Control", "max-age=3, Private")], body: Array("one".utf8)))
    _ = try world.result(try manifest(), settings: settings)
    #expect(!FileManager.default.fileExists(atPath: entry("one")))
    _ = try self.world().result(try manifest("cache: off"), settings: settings)
    #expect(!FileManager.default.fileExists(atPath: entry("one")))
  }

  private static let protoc = ["/usr/bin/protoc", "/usr/local/bin/protoc"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: protoc != nil)) func `another program reads the record`() throws {
    _ = try world().result(try manifest(), settings: settings)
    let read = try runProcess(
      "/bin/sh", ["-c", "cat '\(path)'/ac/*/* | '\(Self.protoc ?? "")' --decode_raw"])
    #expect(read.status == 0, "\(read.stderr)")
    #expect(read.stdout.contains("1: \"download\""))
    #expect(read.stdout.contains("1: \"\(digest("one").text)\"\n    2: 3\n"))
    #expect(read.stdout.contains("\\\"format\\\":\\\"syncmake.record/1\\\""))
    #expect(read.stdout.contains("9 {\n  1: \"syncmake\"\n}"))
  }

  @Test func `a cache that cannot be used costs one warning`() throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let world = world()
    let result = try world.result(try manifest(), settings: settings)
    #expect(result.outcome == .updated && result.from == .origin)
    #expect(world.events.count { if case .warning(.cacheUnusable) = $0 { true } else { false } } == 1)
  }

  @Test func `two kinds of trouble cost one warning`() throws {
    let manifest = try manifest("freshness: {sha256: \(digest("one").text)}")
    _ = try world().result(manifest, settings: settings)
    try damage("one", to: "two")
    // Nothing can be put there.
    let unfinished = URL(fileURLWithPath: path).appendingPathComponent("tmp")
    try FileManager.default.removeItem(at: unfinished)
    try Data().write(to: unfinished)
    let world = world()
    #expect(try world.result(manifest, settings: settings).from == .origin)
    let warnings = world.events.filter { if case .warning = $0 { true } else { false } }
    #expect(warnings.count == 1, "\(warnings)")
  }

  @Test func `a target waits for another run that fetches the same`() throws {
    let folder = try CacheFolder(path: path, isMade: true)
    let manifest = try manifest()
    let key = try #require(CacheRule.key(of: manifest.targets[0], secrets: SecretMask()))
    var lock: CacheLock?
    if case .held(let held) = CacheLock.attempt(LocalCache.name(key), in: folder) { lock = held }
    #expect(lock != nil)
    let world = world()
    var polls = 0
    let result = try world.result(manifest, settings: settings) {
      polls += 1
      if polls == 5 {
        #expect(world.network.requests.isEmpty)
        lock = nil
      }
      return false
    }
    #expect(polls >= 5)
    #expect(result.from == .origin)
  }

  @Test func `a run that gives no sign is not waited for`() throws {
    let folder = try CacheFolder(path: path, isMade: true)
    let manifest = try manifest()
    let key = try #require(CacheRule.key(of: manifest.targets[0], secrets: SecretMask()))
    let attempt = CacheLock.attempt(LocalCache.name(key), in: folder)
    let world = world()
    let began = world.clock.monotonic()
    #expect(try world.result(manifest, settings: settings).from == .origin)
    #expect(world.clock.monotonic() - began >= .seconds(3))
    #expect(world.clock.monotonic() - began < .seconds(4))
    if case .busy = attempt { Issue.record("the lock was not held") }
  }

  @Test func `a run without a network does not wait`() throws {
    let folder = try CacheFolder(path: path, isMade: true)
    let manifest = try manifest()
    let key = try #require(CacheRule.key(of: manifest.targets[0], secrets: SecretMask()))
    let attempt = CacheLock.attempt(LocalCache.name(key), in: folder)
    let world = world()
    let began = world.clock.monotonic()
    var settings = settings
    settings.questions.isOffline = true
    #expect(try world.result(manifest, settings: settings).outcome == .failed)
    #expect(world.clock.monotonic() - began < .seconds(1))
    if case .busy = attempt { Issue.record("the lock was not held") }
  }

  @Test func `a run is stopped while it waits`() throws {
    let folder = try CacheFolder(path: path, isMade: true)
    let manifest = try manifest()
    let key = try #require(CacheRule.key(of: manifest.targets[0], secrets: SecretMask()))
    let attempt = CacheLock.attempt(LocalCache.name(key), in: folder)
    var polls = 0
    let result = try world().result(manifest, settings: settings) {
      polls += 1
      return polls > 3
    }
    #expect(result.outcome == .skipped)
    if case .busy = attempt { Issue.record("the lock was not held") }
  }
}
