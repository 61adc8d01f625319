import ContentPipeline
import Foundation
import LocalFiles
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Runs with a cache on a server of which only signed records count.
@Suite struct `Signed records on a server` {
  private static let one = Array("one".utf8)
  private static let sha256 = Digester.digest(one, .sha256)
  private static let file = "/sm/cas/\(sha256.text)"

  /// The source has "one", and the cache its bytes.
  private let world = MemoryWorld()
  private let trusted = CacheSigner.of(.one)

  init() {
    world.network.on("/data", .file(Self.one, etag: "\"1\""))
    world.network.on("/other", .file(Self.one, etag: "\"1\""))
    world.network.on(Self.file, .status(200, body: Self.one))
  }

  private func manifest(_ freshness: String = "{interval: 1h}", _ path: String = "data") throws -> Manifest {
    try MemoryWorld.manifest(
      """
      version: 1
      defaults: {retries: 0}
      targets:
        data: {url: "${env:BASE}/\(path)", freshness: \(freshness)}
      """)
  }

  private var settings: RunSettings {
    get throws {
      var rule = RemoteCacheRule(url: "http://cache.example/sm")
      rule.trust = .signed
      rule.keys = [try MinisignKey(TestKey.one.shared)]
      var settings = RunSettings()
      settings.caches.remote = RemoteCacheSettings(rule, RemoteCacheHealth())
      return settings
    }
  }

  /// What the cache has of the source of `manifest`, if it was asked `age` seconds ago.
  private func record(_ age: Int64 = 60, tag: String = "1", _ path: String = "data") -> CacheRecord {
    CacheRecord(
      url: "\(MemoryWorld.base)/\(path)", etag: EntityTag("\"\(tag)\""), size: 3, sha256: Self.sha256,
      checkedAt: Timestamp(seconds: world.clock.now().seconds - age))
  }

  private func key(_ manifest: Manifest) throws -> CacheKey {
    try #require(CacheRule.key(of: manifest.targets[0], secrets: SecretMask()))
  }

  private func value(_ record: CacheRecord, _ manifest: Manifest, _ signer: CacheSigner?) throws -> CacheValue
  {
    CacheValue(record, at: try key(manifest), signedBy: signer)
  }

  private func put(_ value: CacheValue, bytes: [UInt8]? = nil) {
    world.network.on("/sm/ac/\(value.name.text)", .status(200, body: bytes ?? value.bytes))
  }

  private var paths: [String] { world.network.requests.map(\.path) }

  @Test func `within the interval the source is not asked`() throws {
    let manifest = try manifest()
    let value = try value(record(), manifest, trusted)
    put(value)
    let result = try world.result(manifest, settings: settings)
    #expect(result.outcome == .updated && result.from == .remoteCache && result.totals == ExchangeTotals())
    #expect(paths == ["/sm/ac/\(value.name.text)", Self.file])
    #expect(world.outputs.text("data") == "one")
    #expect(try world.record("data")?.checkedAt == record().checkedAt)
    // Its own record says from when the interval is.
    #expect(try world.result(manifest, settings: settings).outcome == .fresh)
    #expect(paths.isEmpty)
  }

  @Test func `after it the source confirms the record`() throws {
    let manifest = try manifest()
    put(try value(record(3600), manifest, trusted))
    let result = try world.result(manifest, settings: settings)
    #expect(result.from == .remoteCache && result.totals.bytes == 0)
    #expect(paths.contains("/data"))
  }

  @Test func `under another rule, too`() throws {
    let manifest = try manifest("etag")
    put(try value(record(), manifest, trusted))
    let result = try world.result(manifest, settings: settings)
    #expect(result.from == .remoteCache && result.totals.bytes == 0)
    #expect(paths.contains("/data"))
  }

  @Test func `a local file is confirmed by the word of another`() throws {
    let manifest = try manifest()
    #expect(try world.result(manifest, settings: settings).from == .origin)
    world.clock.advance(by: .seconds(4000))
    put(try value(record(), manifest, trusted))
    let result = try world.result(manifest, settings: settings)
    #expect(result.outcome == .fresh && !paths.contains("/data"))
    #expect(try world.record("data")?.checkedAt == record().checkedAt)
  }

  /// Ways to forge a record; each gives what is put there.
  private static let forgeries = [
    "unsigned", "by a stranger", "in another's name", "changed", "of another source", "without its name",
    "of the future", "with a sum only",
  ]

  private func forgery(_ kind: String, _ manifest: Manifest) throws -> CacheValue {
    let record = record()
    let stranger = CacheSigner.of(.two)
    switch kind {
    case "unsigned": return try value(record, manifest, nil)
    case "by a stranger": return try value(record, manifest, stranger)
    case "in another's name":
      let known = try MinisignKey(TestKey.one.shared).shownNumber
      return try value(record, manifest, stranger).replacing(
        try MinisignKey(TestKey.two.shared).shownNumber, by: known)
    case "changed":
      // With the signature of the record as it was.
      let (before, after) = (self.record(4000), record)
      let signed = try value(before, manifest, trusted).seal
      return try value(after, manifest, stranger).replacingSeal(by: signed)
    case "of another source":
      let other = try self.manifest("{interval: 1h}", "other")
      let signed = CacheValue(self.record(60, "other"), at: try key(other), signedBy: trusted)
      return CacheValue(name: try value(record, manifest, nil).name, bytes: signed.bytes)
    case "without its name":
      let signed = try value(record, manifest, trusted)
      return signed.replacing("\"name\"", by: "\"nam_\"")
    case "of the future": return try value(self.record(-60), manifest, trusted)
    default: return try value(record, manifest, trusted).replacing("\"sig\"", by: "\"sog\"")
    }
  }

  @Test(arguments: forgeries) func `a forged record is none`(kind: String) throws {
    let manifest = try manifest()
    let value = try forgery(kind, manifest)
    put(value)
    let result = try world.result(manifest, settings: settings)
    #expect(result.outcome == .updated && world.outputs.text("data") == "one")
    #expect(paths.contains("/data"), "\(kind)")
    // One of the future says nothing of the time, and yet it is signed.
    #expect(result.from == (kind == "of the future" ? .remoteCache : .origin), "\(kind)")
    let asked = try #require(world.network.requests.first { $0.path == "/data" })
    #expect(asked.headers.contains { $0.name.lowercased() == "if-none-match" } == (kind == "of the future"))
  }

  @Test func `every changed byte of a signed record makes it none, or changes nothing`() throws {
    let manifest = try manifest()
    let value = try value(record(), manifest, trusted)
    for place in stride(from: 0, to: value.bytes.count, by: 7) {
      var bytes = value.bytes
      bytes[place] ^= 0x04
      put(value, bytes: bytes)
      world.outputs.remove("data")
      let result = try world.result(manifest, settings: settings)
      #expect(world.outputs.text("data") == "one" && result.hasSucceeded)
      // What is no part of the record, such as the worker's name, may be anything.
      #expect(paths.contains("/data") || result.from == .remoteCache)
    }
  }

  @Test func `what its file is said to be is compared with the file`() throws {
    let manifest = try manifest()
    put(try value(record(), manifest, trusted))
    world.network.on(Self.file, .status(200, body: Array("two".utf8)))
    let result = try world.result(manifest, settings: settings)
    #expect(result.from == .origin && world.outputs.text("data") == "one")
  }

  @Test func `a run that does not sign puts no record where only signed ones count`() throws {
    let record = record()
    let entry = CacheEntry(record, at: try key(try manifest()), digests: [NamedDigest(.sha256, Self.sha256)])
    let folder = try TemporaryFolder()
    let place = try CacheFolder(path: folder.path, isMade: true)
    func names(_ signer: CacheSigner?, _ trust: RecordTrust, isWitnessed: Bool = true) -> Int {
      var entry = entry
      entry.isWitnessed = isWitnessed
      return UploadOrder(entry, in: place, isSpooled: false, signedBy: signer, trust).values.count
    }
    #expect(names(nil, .writers) == 2 && names(nil, .signed([])) == 1)
    #expect(names(trusted, .signed([])) == 2 && names(trusted, .signed([]), isWitnessed: false) == 1)
  }

  @Test func `of two records of one moment the signed one counts`() {
    var (signed, plain) = (record(), record())
    signed.isSigned = true
    #expect(signed.says(moreThan: plain) && !plain.says(moreThan: signed) && !plain.says(moreThan: plain))
    plain.checkedAt = world.clock.now()
    #expect(plain.says(moreThan: signed))
  }
}

extension CacheSigner {
  /// With a key of the tests.
  static func of(_ key: TestKey) -> CacheSigner? {
    (try? MinisignSecretKey(Array(key.secretFile.utf8))).flatMap { CacheSigner($0) }
  }
}

extension CacheValue {
  /// With other text of the same length.
  fileprivate func replacing(_ text: String, by other: String) -> CacheValue {
    let (old, new) = (Array(text.utf8), Array(other.utf8))
    var bytes = bytes
    for place in bytes.indices where bytes[place...].starts(with: old) {
      bytes.replaceSubrange(place..<place + old.count, with: new)
    }
    return CacheValue(name: name, bytes: bytes)
  }

  /// Its key and its signature.
  var seal: ArraySlice<UInt8> {
    guard let start = bytes.firstRange(of: Array("\"sig\":{".utf8))?.lowerBound,
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "}"))
    else { return [] }
    return bytes[start...end]
  }

  func replacingSeal(by other: ArraySlice<UInt8>) -> CacheValue {
    var bytes = bytes
    bytes.replaceSubrange(seal.indices, with: other)
    return CacheValue(name: name, bytes: bytes)
  }
}
