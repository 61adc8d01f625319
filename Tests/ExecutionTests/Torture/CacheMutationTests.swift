import ContentPipeline
import Foundation
import Platform
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// The files of a cache are changed in every way; no run takes wrong bytes from it, or fails for it.
@Suite struct CacheMutationTests {
  @Test func `whatever happens to the files of a cache, no output is wrong`() throws {
    let tally = TortureTally("cache-mutations")
    // Without any the cases would show nothing.
    let hits = Monitor(0)
    // Each share has a new cache, so that a case can be replayed with only a few cases before it.
    try Torture.play(usually: 60) { numbers in
      var trial = try CacheTrial(seed: UInt64(numbers.lowerBound))
      for number in numbers {
        try trial.play { tally.violation("case \(number): \($0)") }
        tally.count()
      }
      hits.withLock { $0 += trial.hits }
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
    #expect(hits.withLock { $0 } > 0)
  }
}

/// One cache, which is damaged again and again, and a source whose files change.
private struct CacheTrial {
  private static let names = ["a", "b", "c", "d"]
  /// Bodies that a digest in the manifest names.
  private static let (third, fourth) = (Array("never changes\n".utf8), Array("neither does this\n".utf8))

  private let folder: TemporaryFolder
  private let manifest: Manifest
  private var settings = RunSettings()
  private var random: SeededGenerator
  private var versions = ["a": 0, "b": 0]
  private(set) var hits = 0

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: Torture.seed, case: Int(seed))
    folder = try TemporaryFolder()
    settings.caches.local = CacheSettings(path: folder.path("cache"))
    manifest = try MemoryWorld.manifest(
      """
      version: 1
      defaults: {retries: 0}
      targets:
        a: {url: "${env:BASE}/a"}
        b: {url: "${env:BASE}/b", freshness: mtime}
        c: {url: "${env:BASE}/c", freshness: {sha256: \(Digester.digest(Self.third, .sha256).text)}}
        d: {url: "${env:BASE}/d", steps: [{verify: {md5: \(Digester.digest(Self.fourth, .md5).text)}}]}
      """)
  }

  private func body(_ name: String) -> [UInt8] {
    switch name {
    case "c": Self.third
    case "d": Self.fourth
    default: Array("\(name) \(versions[name] ?? 0) has some bytes\n".utf8)
    }
  }

  mutating func play(_ violation: (String) -> Void) throws {
    for name in ["a", "b"] where random.oneIn(4) { versions[name] = random.below(6) }
    for _ in 0..<random.below(4) { mutate() }
    // Of several sources the tags are the same, so that a record of another one would be believed.
    let world = MemoryWorld()
    for name in Self.names {
      let version = versions[name] ?? 0
      world.network.on(
        "/\(name)",
        .file(
          body(name), etag: "\"\(version)\"", lastModified: "Sat, 01 Jan 2022 10:0\(version):00 GMT"))
    }
    world.clock.advance(by: .seconds(Int64(random.below(100))))
    for result in try world.run(manifest, settings: settings) {
      let name = result.name.text
      if result.from == .localCache { hits += 1 }
      if !result.hasSucceeded { violation("\(name) failed: \(String(describing: result.failure?.cause))") }
      if world.outputs.text(name) != String(decoding: body(name), as: UTF8.self) {
        violation("\(name) is \(world.outputs.text(name) ?? "missing")")
      }
    }
  }

  // MARK: Damage

  private var paths: [String] {
    let files = FileManager.default.enumerator(atPath: folder.path("cache"))
    let all = (files?.allObjects as? [String] ?? []).sorted()
    return all.filter { $0.hasPrefix("cas/") || $0.hasPrefix("ac/") }.map { folder.path("cache/" + $0) }
  }

  private func isFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private mutating func mutate() {
    let paths = paths
    guard !paths.isEmpty else { return }
    let path = random.pick(paths)
    let files = FileManager.default
    guard isFile(path), let old = files.contents(atPath: path) else {
      if random.oneIn(3) { try? files.removeItem(atPath: path) }
      return
    }
    var bytes = [UInt8](old)
    switch random.below(9) {
    case 0: bytes.removeLast(random.below(bytes.count))
    case 1: bytes += [UInt8](repeating: 0x2e, count: 1 + random.below(30))
    case 2, 3, 4:
      for _ in 0...random.below(2) where !bytes.isEmpty {
        bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
      }
    case 5:
      let other = random.pick(paths)
      if isFile(other), let others = files.contents(atPath: other) {
        // Two entries have changed their places.
        put(bytes, at: other)
        bytes = [UInt8](others)
      }
    case 6:
      try? files.removeItem(atPath: path)
      return
    case 7:
      try? files.removeItem(atPath: path)
      try? files.createSymbolicLink(atPath: path, withDestinationPath: random.pick(paths))
      return
    default: bytes = []
    }
    put(bytes, at: path)
  }

  private func put(_ bytes: [UInt8], at path: String) {
    try? FileManager.default.removeItem(atPath: path)
    try? Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}
