import Foundation
import SyncTestSupport
import Syncmake
import Testing

/// A run of many files whose sources confirm them is answered by a compiled snapshot, as the full path answers it
/// (docs/decisions/0042).
@Suite struct FileSnapshotTests {
  let folder: TemporaryFolder
  let server: LoopbackServer

  /// Enough for a snapshot.
  private static let count = 70

  init() throws {
    folder = try TemporaryFolder()
    var routes: [String: [Reply]] = [:]
    for number in 0..<Self.count { routes["/\(number)"] = [Self.version(1, of: number)] }
    server = try LoopbackServer(routes)
  }

  private static func version(_ version: Int, of number: Int) -> Reply {
    .file(Array("file \(number), version \(version)".utf8), etag: "\"\(version)\"")
  }

  private func files(_ count: Int = Self.count) -> [FileSync] {
    (0..<count).map { FileSync(server.url("/\($0)"), to: "data/file \($0)", in: folder.path) }
  }

  /// The requests since the last call, one number for each source.
  private func asked() -> [Int] {
    let counts = (0..<Self.count).map { server.requests(to: "/\($0)").count }
    server.clearLog()
    return counts
  }

  /// Whether a snapshot has given an answer since ``forgetAnswers()``: the full path records the times of its checks in the
  /// state instead.
  private var isBySnapshot: Bool { folder.exists(".syncmake/checked") }

  private func forgetAnswers() {
    try? FileManager.default.removeItem(atPath: folder.path(".syncmake/checked"))
  }

  /// All that a result has but the time that it took.
  private func facts(_ results: [TargetResult]) -> [[String]] {
    results.map { result in
      Mirror(reflecting: result).children.filter { $0.label != "duration" }.map {
        "\($0.label ?? ""): \($0.value)"
      }
    }
  }

  /// Two runs, after which there is a snapshot; the results of the second.
  private func settled(_ files: [FileSync]) async throws -> [TargetResult] {
    #expect(try await FileSync.run(files).allSatisfy { $0.outcome == .updated })
    let results = try await FileSync.run(files)
    #expect(folder.exists(".syncmake/snapshot"))
    #expect(!isBySnapshot)
    return results
  }

  @Test func `files that their sources confirm have the results of the full path`() async throws {
    let full = try await settled(files())
    _ = asked()
    let results = try await FileSync.run(files())
    #expect(isBySnapshot)
    #expect(asked() == Array(repeating: 1, count: Self.count))
    #expect(facts(results) == facts(full))
    #expect(results[7].name == "data/file 7" && results[7].reason == "not-modified")
    #expect(results[7].digest == full[7].digest && results[7].digest != nil)
    #expect(results.allSatisfy { $0.outcome == .fresh && $0.httpStatus == 304 && $0.requests == 1 })
  }

  @Test func `a file that has changed is fetched, and no source is asked twice`() async throws {
    _ = try await settled(files())
    _ = try await FileSync.run(files())
    server.on("/7", Self.version(2, of: 7))
    _ = asked()
    let results = try await FileSync.run(files())
    #expect(results.filter(\.isChanged).map(\.name) == ["data/file 7"])
    #expect(results.count { $0.outcome == .fresh } == Self.count - 1)
    #expect(folder.text("data/file 7") == "file 7, version 2")
    #expect(asked() == Array(repeating: 1, count: Self.count))
    // The run of what changed has written the next snapshot.
    forgetAnswers()
    let next = try await FileSync.run(files())
    #expect(isBySnapshot)
    #expect(next[7].digest == results[7].digest && next[7].digest != next[6].digest)
    #expect(next[7].detail == "ETag \"2\" is unchanged" && next[6].detail == "ETag \"1\" is unchanged")
  }

  @Test func `an edited file is refused, and a missing one is fetched`() async throws {
    _ = try await settled(files())
    try folder.write("mine", to: "data/file 3")
    try FileManager.default.removeItem(atPath: folder.path("data/file 5"))
    let results = try await FileSync.run(files())
    #expect(results[3].error?.code.rawValue == "output-modified")
    #expect(folder.text("data/file 3") == "mine")
    #expect(results[5].isChanged)
    #expect(folder.text("data/file 5") == "file 5, version 1")
    #expect(!isBySnapshot)
  }

  @Test(arguments: FileChange.all)
  func `files that are declared in another way have no snapshot`(change: FileChange) async throws {
    let files = files()
    _ = try await settled(files)
    var changed = files
    change.apply(to: &changed[4])
    _ = try? await FileSync.run(changed)
    #expect(!isBySnapshot, "\(change.property)")
  }

  @Test func `every property of a file is part of its declaration, or of where it is`() {
    let properties = Set(Mirror(reflecting: files()[0]).children.compactMap(\.label))
    // With credentials there is no snapshot; root and state folder are where it is.
    #expect(properties == Set(FileChange.all.map(\.property) + ["credentials", "root", "state"]))
  }

  @Test func `options of one run ask what they ask without a snapshot`() async throws {
    _ = try await settled(files())
    var options = RunOptions()
    options.isOffline = true
    let results = try await FileSync.run(files(), options: options)
    #expect(results.contains { $0.error?.code.rawValue == "offline" })
    #expect(results.allSatisfy { $0.outcome == .failed || $0.outcome == .skipped })
    options = RunOptions()
    options.overwritesEdits = true
    #expect(try await FileSync.run(files(), options: options).allSatisfy { $0.outcome == .fresh })
    options = RunOptions()
    options.forcesAll = true
    #expect(try await FileSync.run(files(), options: options).allSatisfy { $0.outcome == .updated })
    #expect(!isBySnapshot)
  }

  @Test func `a cache that cannot be used is told of in each call`() async throws {
    try folder.write("no folder", to: "cache")
    var options = RunOptions()
    options.cache = folder.path("cache")
    for _ in 0..<3 {
      let results = try await FileSync.run(files(), options: options)
      #expect(results.allSatisfy { $0.warnings.map(\.code) == ["cache-unusable"] })
    }
  }

  @Test func `a file with a date alone, and one under another rule, are confirmed, too`() async throws {
    let date = "Thu, 26 Nov 2026 00:00:00 GMT"
    server.on("/7", .file(Array("dated".utf8), lastModified: date))
    var files = files()
    files[8].rule = .modificationTime
    server.on("/8", .file(Array("dated, with an ETag".utf8), etag: "\"8\"", lastModified: date))
    let full = try await settled(files)
    let results = try await FileSync.run(files)
    #expect(isBySnapshot)
    #expect(facts(results) == facts(full))
    #expect(results[7].detail == "Last-Modified \(date) is unchanged")
  }

  @Test func `what another program does to the state folder decides`() async throws {
    let full = try await settled(files())
    // A snapshot with a changed byte.
    var bytes = try #require(folder.read(".syncmake/snapshot"))
    bytes[bytes.count / 2] ^= 1
    try folder.write(bytes, to: ".syncmake/snapshot")
    #expect(facts(try await FileSync.run(files())) == facts(full))
    #expect(!isBySnapshot)
    // A lock in the root is a manifest's.
    try folder.write("version: 1\n", to: "syncmake.lock")
    #expect(facts(try await FileSync.run(files())) == facts(full))
    #expect(!isBySnapshot)
  }

  @Test func `two orders of the same files are two calls`() async throws {
    _ = try await settled(files())
    let results = try await FileSync.run(files().reversed())
    #expect(!isBySnapshot)
    #expect(results.map(\.name) == files().reversed().map(\.destination))
  }

  @Test func `what another call records makes a snapshot invalid`() async throws {
    let full = try await settled(files())
    server.on("/7", Self.version(2, of: 7))
    #expect(try await files()[7].run().isChanged)
    let results = try await FileSync.run(files())
    #expect(results.allSatisfy { $0.outcome == .fresh })
    #expect(results[7].digest != full[7].digest && results[6].digest == full[6].digest)
    #expect(!isBySnapshot)
  }

  @Test func `the reasons of files that need no source are told each time`() async throws {
    var files = files()
    files[2].rule = .once
    _ = try await FileSync.run(files)
    for _ in 0..<3 {
      let results = try await FileSync.run(files)
      #expect(results[2].reason == "present" && results[2].requests == 0)
      #expect(results[3].reason == "not-modified" && results[3].requests == 1)
    }
  }

  @Test func `nothing is remembered of files with credentials, nor of a few`() async throws {
    var secret = files()
    secret[0].credentials = .bearer("token-of-a-test")
    for _ in 0..<2 { _ = try await FileSync.run(secret) }
    #expect(!folder.exists(".syncmake/snapshot"))
    for _ in 0..<2 { _ = try await FileSync.run(files(60)) }
    #expect(!folder.exists(".syncmake/snapshot"))
  }
}

/// Another value of one property of a file.
struct FileChange: Sendable, CustomTestStringConvertible {
  let property: String
  let apply: @Sendable (inout FileSync) -> Void

  var testDescription: String { property }

  func apply(to file: inout FileSync) { apply(&file) }

  static let all = [
    FileChange(property: "urls") { $0.urls.append($0.urls[0] + "?mirror") },
    FileChange(property: "destination") { $0.destination = "data/another" },
    FileChange(property: "rule") { $0.rule = .modificationTime },
    FileChange(property: "steps") { $0.steps = [.verify(size: 5)] },
    FileChange(property: "headers") { $0.headers = ["X-Test": "1"] },
    FileChange(property: "maximumSize") { $0.maximumSize = 1 << 20 },
    FileChange(property: "localChanges") { $0.localChanges = .keep },
  ]
}
