import ContentPipeline
import Foundation
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Runs with a cache on a server, which is another path of the network in memory.
@Suite struct `Runs with a cache on a server` {
  private static let url = "http://cache.example/sm"
  private let folder = try? TemporaryFolder()

  private func settings(
    trust: RemoteCacheRule.Trust = .digest, local: Bool = false
  ) -> RunSettings {
    var rule = RemoteCacheRule(url: Self.url)
    rule.trust = trust
    var settings = RunSettings()
    settings.caches.remote = RemoteCacheSettings(rule, RemoteCacheHealth())
    if local { settings.caches.local = CacheSettings(path: (folder?.path ?? "/nonexistent") + "/cache") }
    return settings
  }

  private static let one = Array("one".utf8)
  private static var digest: HexDigest { Digester.digest(one, .sha256) }
  private static var file: String { "/sm/cas/\(digest.text)" }

  /// The source has `text`; the cache has nothing.
  private func world(_ text: String = "one", tag: String = "1") -> MemoryWorld {
    let world = MemoryWorld()
    world.network.on("/data", .file(Array(text.utf8), etag: "\"\(tag)\""))
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

  private func pinned(_ keys: String = "") throws -> Manifest {
    try manifest("freshness: {sha256: \(Self.digest.text)}" + keys)
  }

  /// Puts a record of the source of `manifest` on the server.
  private func put(_ tag: String, of manifest: Manifest, on world: MemoryWorld) throws {
    let key = try #require(CacheRule.key(of: manifest.targets[0], secrets: SecretMask()))
    let record = CacheRecord(
      url: "\(MemoryWorld.base)/data", etag: EntityTag("\"\(tag)\""), size: 3, sha256: Self.digest,
      checkedAt: Timestamp(seconds: 1_700_000_000))
    put(record, at: key, on: world)
  }

  private func put(_ record: CacheRecord, at key: CacheKey, on world: MemoryWorld) {
    world.network.on(
      "/sm/ac/\(LocalCache.name(key).text)", .status(200, body: ActionResult.bytes(of: record, at: key)))
  }

  private func warnings(_ world: MemoryWorld) -> [RemoteCacheFault] {
    world.events.compactMap { event -> RemoteCacheFault? in
      guard case .warning(.remoteCacheUnusable(let url, let fault)) = event, url == Self.url else {
        return nil
      }
      return fault
    }
  }

  private func paths(_ world: MemoryWorld) -> [String] { world.network.requests.map(\.path) }

  @Test func `a digest needs no request to the source`() throws {
    let world = world("two", tag: "2")
    world.network.on(Self.file, .status(200, body: Self.one))
    let result = try world.result(try pinned(), settings: settings())
    #expect(result.outcome == .updated && result.from == .remoteCache && result.bytesFromCache == 3)
    #expect(result.totals == ExchangeTotals())
    #expect(paths(world) == [Self.file])
    #expect(world.outputs.text("data") == "one")
    #expect(warnings(world).isEmpty)
  }

  @Test func `another algorithm finds the file by a record, which need not be believed`() throws {
    let md5 = Digester.digest(Self.one, .md5)
    let manifest = try manifest("freshness: {md5: \(md5.text)}")
    let key = CacheKey(.md5, md5)
    for body in ["one", "lie"] {
      let world = world()
      let bytes = Array(body.utf8)
      let record = CacheRecord(
        url: nil, size: 3, sha256: Digester.digest(bytes, .sha256), checkedAt: Timestamp(seconds: 0))
      put(record, at: key, on: world)
      world.network.on("/sm/cas/\(record.sha256.text)", .status(200, body: bytes))
      let result = try world.result(manifest, settings: settings())
      #expect(result.outcome == .updated && result.from == (body == "one" ? .remoteCache : .origin))
      #expect(world.outputs.text("data") == "one")
    }
  }

  @Test func `a record of the source counts only if its writers are trusted`() throws {
    let manifest = try manifest()
    for trust in RemoteCacheRule.Trust.allCases {
      let world = world()
      try put("1", of: manifest, on: world)
      world.network.on(Self.file, .status(200, body: Self.one))
      let result = try world.result(manifest, settings: settings(trust: trust))
      #expect(result.from == (trust == .writers ? .remoteCache : .origin))
      #expect(result.totals.bytes == (trust == .writers ? 0 : 3))
      let requests: [RemoteCacheRule.Trust: Int] = [.digest: 1, .writers: 3, .signed: 2]
      #expect(paths(world).count == requests[trust])
    }
  }

  @Test func `a record of another version is of no use, and one without a file neither`() throws {
    let manifest = try manifest()
    let other = world()
    try put("0", of: manifest, on: other)
    #expect(try other.result(manifest, settings: settings(trust: .writers)).from == .origin)
    let gone = world()
    try put("1", of: manifest, on: gone)
    #expect(try gone.result(manifest, settings: settings(trust: .writers)).from == .origin)
    #expect(gone.outputs.text("data") == "one")
    #expect(warnings(other).isEmpty && warnings(gone).isEmpty)
  }

  @Test(arguments: [404, 204, 410]) func `a miss is no fault`(status: Int) throws {
    let world = world()
    world.network.on(Self.file, .status(status))
    let result = try world.result(try pinned(), settings: settings())
    #expect(result.outcome == .updated && result.from == .origin)
    #expect(warnings(world).isEmpty)
  }

  static let faulty: [(Reply, RemoteCacheFault)] = [
    (.status(200, body: Array("two".utf8)), .otherBytes),
    (.status(200, headers: [HeaderField("Content-Type", "text/html; charset=x")], body: one), .page),
    (.status(200, headers: [HeaderField("Content-Encoding", "gzip")], body: one), .form),
    (.status(206, headers: [HeaderField("Content-Range", "bytes 0-2/3")], body: one), .status(206)),
    (.status(500), .status(500)), (.status(401), .status(401)), (.status(507), .status(507)),
    (.status(304), .status(304)),
  ]

  @Test(arguments: faulty.indices) func `what is no answer is a miss, and told of once`(index: Int) throws {
    let (reply, fault) = Self.faulty[index]
    let world = world()
    world.network.on(Self.file, reply)
    let result = try world.result(try pinned(), settings: settings())
    #expect(result.outcome == .updated && result.from == .origin && result.failure == nil)
    #expect(world.outputs.text("data") == "one")
    #expect(warnings(world) == [fault])
  }

  @Test func `a reply that ends early is a miss`() throws {
    let world = world()
    world.network.on(Self.file, .status(200, body: Self.one).cut(after: 2))
    let result = try world.result(try pinned(), settings: settings())
    #expect(result.from == .origin && world.outputs.text("data") == "one")
    #expect(warnings(world).count == 1)
  }

  @Test(arguments: [false, true]) func `a cache that hangs costs three seconds in all`(inBody: Bool) throws {
    let manifest = try MemoryWorld.manifest(
      "version: 1\ntargets:\n"
        + (0..<40).map {
          "  t\($0): {url: \"${env:BASE}/data\", output: t\($0), freshness: {sha256: \(Self.digest.text)}}\n"
        }.joined())
    let world = world()
    world.network.on(
      Self.file,
      inBody
        ? .status(200, body: Self.one).held(afterBody: 1, until: "never") : .status(200).held(until: "never"))
    let began = world.clock.monotonic()
    let results = try world.run(manifest, settings: settings())
    let time = world.clock.monotonic() - began
    #expect(time > .seconds(2) && time <= .seconds(3), "\(time)")
    #expect(results.allSatisfy { $0.outcome == .updated && $0.from == .origin })
    #expect(warnings(world) == [.slow])
  }

  @Test func `a cache that fails is not asked again`() throws {
    let manifest = try MemoryWorld.manifest(
      "version: 1\ntargets:\n"
        + (0..<9).map {
          "  t\($0): {url: \"${env:BASE}/data\", output: t\($0), freshness: {sha256: \(Self.digest.text)}}\n"
        }.joined())
    let world = world()
    world.network.on(Self.file, .status(503))
    var settings = settings()
    settings.resources.jobs = 1
    let results = try world.run(manifest, settings: settings)
    #expect(results.allSatisfy { $0.from == .origin })
    #expect(paths(world).count { $0 == Self.file } == 3)
    #expect(warnings(world) == [.status(503)])
  }

  @Test func `the cache on this machine gets what the server has`() throws {
    let manifest = try manifest()
    let first = world()
    try put("1", of: manifest, on: first)
    first.network.on(Self.file, .status(200, body: Self.one))
    let settings = settings(trust: .writers, local: true)
    #expect(try first.result(manifest, settings: settings).from == .remoteCache)
    let second = world()
    let result = try second.result(manifest, settings: settings)
    #expect(result.from == .localCache && result.totals.bytes == 0)
    #expect(!paths(second).contains(Self.file))
    let third = world()
    let named = try third.result(try pinned(), settings: settings)
    #expect(named.from == .localCache && third.network.requests.isEmpty)
  }

  @Test func `what is not shared is not asked for`() throws {
    for keys in [", cache: local", ", cache: off", ", auth: {bearer: t}", ", headers: {Cookie: a=b}"] {
      let world = world()
      world.network.on(Self.file, .status(200, body: Self.one))
      #expect(try world.result(try pinned(keys), settings: settings()).from == .origin)
      #expect(!paths(world).contains(Self.file), "\(keys)")
    }
    let world = world()
    var offline = settings()
    offline.questions.isOffline = true
    _ = try world.result(try pinned(), settings: offline)
    #expect(world.network.requests.isEmpty)
  }

  @Test func `the credentials of the manifest do not go to the cache`() throws {
    let world = world()
    world.network.on(Self.file, .status(404))
    _ = try world.result(try pinned(", headers: {X-Kind: raw}"), settings: settings())
    let asked = try #require(world.network.requests.first)
    #expect(asked.path == Self.file && !asked.headers.contains { $0.name.lowercased() == "x-kind" })
  }

  @Test func `a run is stopped while it waits`() throws {
    let world = world()
    world.network.on(Self.file, .status(200, body: Self.one).held(until: "never"))
    var polls = 0
    let result = try world.result(try pinned(), settings: settings()) {
      polls += 1
      return polls > 3
    }
    #expect(result.outcome == .skipped)
  }
}
