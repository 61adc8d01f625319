import ContentPipeline
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Whole lives of a target, from run to run, in real runs without a disk, a socket or a wait.
@Suite struct `The life of a target` {
  private let world = MemoryWorld()

  private static func file(_ text: String, _ tag: String, at date: String = "Sat, 21 Nov 2026 09:00:00 GMT")
    -> Reply
  {
    .file(Array(text.utf8), etag: "\"\(tag)\"", lastModified: date)
  }

  /// One target, `data`, with these keys, from `/data`.
  private func manifest(_ keys: String = "", defaults: String = "{retries: 0}") throws -> Manifest {
    try MemoryWorld.manifest(
      """
      version: 1
      defaults: \(defaults)
      targets:
        data: {url: "${env:BASE}/data"\(keys.isEmpty ? "" : ", " + keys)}
      """)
  }

  private func digest(_ text: String) -> HexDigest { Digester.digest(Array(text.utf8), .sha256) }

  private func conditions(_ request: LoggedRequest?) -> [String] {
    ["If-None-Match", "If-Modified-Since", "Range", "If-Range"].filter { request?.header($0) != nil }
  }

  @Test func `begins with a download, and is confirmed by a 304`() throws {
    world.network.on("/data", Self.file("one", "1"))
    let manifest = try manifest()
    let first = try world.result(manifest)
    #expect(first.outcome == .updated && first.reason == .stale(.outputMissing))
    #expect(first.content?.sha256 == digest("one") && first.totals == ExchangeTotals(bytes: 3, requests: 1))
    #expect(world.outputs.text("data") == "one")
    #expect(world.network.requests.count == 1 && conditions(world.network.requests.first).isEmpty)
    #expect(
      world.outputs.steps == [
        .synced(1), .intended(1), .published("data"), .namesSynced(["data"]), .recorded(1),
      ])
    let record = try #require(try world.record("data"))
    #expect(record.validators?.etag == EntityTag("\"1\"") && record.updatedAt == world.clock.now())
    #expect(try world.outputs.observe(RelativePath("data")) == .file(record.signature))
    #expect(try world.records.load(only: nil).pending.isEmpty)

    world.clock.advance(by: .seconds(60))
    let second = try world.result(manifest)
    #expect(second.outcome == .fresh && second.httpStatus == 304)
    #expect(conditions(world.network.requests.first) == ["If-None-Match", "If-Modified-Since"])
    let renewed = try #require(try world.record("data"))
    #expect(renewed.checkedAt == world.clock.now() && renewed.updatedAt == record.updatedAt)
    #expect(world.outputs.steps.count == 6 && world.outputs.steps.last == .recorded(1))
  }

  @Test func `takes a new version, and tells one with the same bytes from a change`() throws {
    let manifest = try manifest()
    for (text, tag, isUnchanged) in [("one", "1", false), ("two!", "2", false), ("two!", "3", true)] {
      world.network.on("/data", Self.file(text, tag))
      world.clock.advance(by: .seconds(60))
      let result = try world.result(manifest)
      #expect(result.outcome == .updated && result.isUnchanged == isUnchanged, "\(tag)")
      #expect(world.network.requests.count == 1)
      #expect(world.outputs.text("data") == text)
      #expect(try world.record("data")?.validators?.etag == EntityTag("\"\(tag)\""))
    }
  }

  @Test func `goes on where a body was cut off, in the same run`() throws {
    let bytes = TestData.random(100_000, seed: 28)
    let whole = Reply.file(bytes, etag: "\"1\"")
    world.network.on("/data", whole.cut(after: 60_000), whole)
    let began = world.clock.monotonic()
    let result = try world.result(manifest(defaults: "{retries: 2}"))
    #expect(result.outcome == .updated && result.content?.sha256 == Digester.digest(bytes, .sha256))
    #expect(result.totals == ExchangeTotals(bytes: 100_000, requests: 2))
    #expect(world.network.requests.map { $0.header("Range") } == [nil, "bytes=60000-"])
    #expect(world.network.requests.last?.header("If-Range") == "\"1\"")
    // The pause between the tries has passed, on the run's own clock only.
    #expect(world.clock.monotonic() - began > .milliseconds(100))
    #expect(result.duration == world.clock.monotonic() - began)
    #expect(world.outputs.keptBytes == 0)
  }

  @Test(arguments: [false, true]) func `goes on in the next run, unless the version is another one`(
    _ isOther: Bool
  ) throws {
    let (old, new) = (TestData.random(100_000, seed: 28), TestData.random(100_000, seed: 29))
    world.network.on("/data", Reply.file(old, etag: "\"1\"").cut(after: 60_000))
    let manifest = try manifest()
    let cut = try world.result(manifest)
    #expect(cut.failure?.cause.code == .truncated && cut.failure?.keptPartial == 60_000)
    #expect(world.outputs.keptBytes == 60_000 && world.outputs.text("data") == nil)
    world.network.on("/data", isOther ? .file(new, etag: "\"2\"") : .file(old, etag: "\"1\""))
    let result = try world.result(manifest)
    #expect(result.outcome == .updated)
    #expect(result.content?.sha256 == Digester.digest(isOther ? new : old, .sha256))
    #expect(world.network.requests.map { $0.header("Range") } == ["bytes=60000-"])
    #expect(result.totals.bytes == (isOther ? 100_000 : 40_000))
    #expect(result.bytesResumed == (isOther ? 0 : 60_000))
    #expect(world.outputs.keptBytes == 0)
  }

  @Test func `stops cleanly in the middle of a body, and goes on later`() throws {
    let bytes = TestData.random(100_000, seed: 28)
    world.network.on("/data", Reply.file(bytes, etag: "\"1\"").held(afterBody: 50_000, until: "go"))
    let manifest = try manifest()
    let stopped = try world.result(manifest) { self.world.outputs.keptBytes == 50_000 }
    #expect(stopped.outcome == .skipped && stopped.skipped == .runStopped)
    #expect(world.outputs.text("data") == nil && world.outputs.keptBytes == 50_000)
    world.network.release("go")
    let result = try world.result(manifest)
    #expect(result.outcome == .updated && result.bytesResumed == 50_000)
    #expect(world.network.requests.map { $0.header("Range") } == ["bytes=50000-"])
  }

  @Test func `waits for room, and loses no byte`() throws {
    let bytes = TestData.random(100_000, seed: 28)
    world.network.on("/data", .file(bytes, etag: "\"1\""))
    world.outputs.state.withLock { $0.isCramped = true }
    let result = try world.result(manifest())
    #expect(result.outcome == .updated && result.content?.sha256 == Digester.digest(bytes, .sha256))
    #expect(result.totals == ExchangeTotals(bytes: 100_000, requests: 1))
  }

  @Test func `keeps its output if the new bytes do not have the digest`() throws {
    let right = digest("right")
    let manifest = try manifest("steps: [{verify: {sha256: \(right.text)}}]")
    world.network.on("/data", Self.file("right", "1"))
    #expect(try world.result(manifest).outcome == .updated)
    let before = try world.record("data")
    world.network.on("/data", Self.file("wrong", "2"))
    let result = try world.result(manifest)
    #expect(
      result.failure?.cause
        == .digestMismatch(algorithm: .sha256, expected: right, actual: digest("wrong"), step: 0))
    #expect(result.failure?.keptOutput == true)
    #expect(world.outputs.text("data") == "right" && world.outputs.keptBytes == 0)
    #expect(try world.record("data") == before)
  }

  @Test(arguments: [false, true])
  func `keeps its output if that cannot be replaced, unless its change has begun`(_ isBegun: Bool) throws {
    let manifest = try manifest()
    world.network.on("/data", Self.file("one", "1"))
    #expect(try world.result(manifest).outcome == .updated)
    world.network.on("/data", Self.file("two", "2"))
    world.outputs.state.withLock { state in
      state.fault = .diskFull(path: "data")
      state.isBegun = isBegun
    }
    let failure = try world.result(manifest).failure
    #expect(failure?.cause == .diskFull(path: "data"))
    #expect(failure?.keptOutput == !isBegun && failure?.isHalfway == isBegun)
  }

  @Test func `compares a sidecar of its server`() throws {
    let manifest = try manifest("steps: [{verify: {sha256: {url: \"${env:BASE}/data.sha256\"}}}]")
    world.network.on("/data", Self.file("one", "1"))
    world.network.on("/data.sha256", .text("\(digest("one").text)  data\n"))
    #expect(try world.result(manifest).outcome == .updated)
    #expect(Set(world.network.requests.map(\.path)) == ["/data", "/data.sha256"])
    world.network.on("/data", Self.file("two", "2"))
    #expect(try world.result(manifest).failure?.cause.code == .digestMismatch)
    #expect(world.outputs.text("data") == "one")
  }

  @Test(arguments: [404, 410]) func `keeps its output if the source is withdrawn`(_ status: Int) throws {
    let manifest = try manifest()
    world.network.on("/data", Self.file("one", "1"))
    _ = try world.result(manifest)
    let before = try world.record("data")
    world.network.on("/data", .text("gone", status: status))
    let result = try world.result(manifest)
    #expect(result.failure?.cause == .httpStatus(status, url: "\(MemoryWorld.base)/data"))
    #expect(world.outputs.text("data") == "one")
    #expect(try world.record("data") == before)
    world.network.on("/data", Self.file("two", "2"))
    #expect(try world.result(manifest).outcome == .updated)
  }

  @Test func `asks nothing before its interval is over`() throws {
    let manifest = try manifest("freshness: {interval: 12h, then: etag}")
    world.network.on("/data", Self.file("one", "1"))
    #expect(try world.result(manifest).outcome == .updated)
    world.clock.advance(by: .seconds(11 * 3600))
    #expect(try world.result(manifest).outcome == .fresh)
    #expect(world.network.requests.isEmpty)
    world.clock.advance(by: .seconds(2 * 3600))
    #expect(try world.result(manifest).httpStatus == 304)
    world.clock.advance(by: .seconds(11 * 3600))
    #expect(try world.result(manifest).outcome == .fresh)
    #expect(world.network.requests.isEmpty)
    // A time of day that was set back proves nothing.
    world.clock.set(Timestamp(seconds: 1_700_000_000))
    _ = try world.result(manifest)
    #expect(world.network.requests.count == 1)
  }

  @Test func `keeps a local edit, and says so`() throws {
    let manifest = try manifest()
    world.network.on("/data", Self.file("one", "1"))
    _ = try world.result(manifest)
    world.outputs.write("edit", to: "data")
    world.network.on("/data", Self.file("two", "2"))
    let result = try world.result(manifest)
    #expect(result.failure?.cause.code == .outputModified)
    #expect(world.outputs.text("data") == "edit")
    var settings = RunSettings()
    settings.overrides.overwritesEdits = true
    #expect(try world.result(manifest, settings: settings).outcome == .updated)
    #expect(world.outputs.text("data") == "two")
  }

  @Test func `keeps its output if the new one cannot be put in place`() throws {
    let manifest = try manifest()
    world.network.on("/data", Self.file("one", "1"))
    _ = try world.result(manifest)
    let before = try world.record("data")
    world.network.on("/data", Self.file("two", "2"))
    world.outputs.state.withLock { $0.fault = .diskFull(path: "data") }
    let result = try world.result(manifest)
    #expect(result.failure?.cause == .diskFull(path: "data"))
    #expect(world.outputs.text("data") == "one")
    let snapshot = try world.records.load(only: nil)
    #expect(snapshot.records == [before] && snapshot.pending.isEmpty)
    world.outputs.state.withLock { $0.fault = nil }
    #expect(try world.result(manifest).outcome == .updated)
  }

  @Test func `is copied from another target, and follows it`() throws {
    let manifest = try MemoryWorld.manifest(
      """
      version: 1
      targets:
        data: {url: "${env:BASE}/data"}
        copy: {from: data, output: copy}
      """)
    world.network.on("/data", Self.file("one", "1"))
    #expect(try world.run(manifest).map(\.outcome) == [.updated, .updated])
    #expect(world.outputs.text("copy") == "one")
    #expect(try world.run(manifest).map(\.outcome) == [.fresh, .fresh])
    world.network.on("/data", Self.file("two", "2"))
    #expect(try world.run(manifest).map(\.outcome) == [.updated, .updated])
    #expect(world.outputs.text("copy") == "two")
  }

  @Test func `comes from a file, without a request`() throws {
    let manifest = try MemoryWorld.manifest(
      "version: 1\ntargets: {data: {url: \"file:///source.txt\", output: data}}")
    world.outputs.write("one", to: "/source.txt")
    #expect(try world.result(manifest).outcome == .updated)
    #expect(try world.result(manifest).outcome == .fresh)
    world.outputs.write("two!", to: "/source.txt")
    #expect(try world.result(manifest).outcome == .updated)
    #expect(world.outputs.text("data") == "two!" && world.network.requests.isEmpty)
  }

  /// The fast path hands over what is unusual, and comes to the same end.
  @Test func `ends in the same way by the fast path`() throws {
    let right = digest("one")
    let replies = [
      Self.file("one", "1"), Self.file("two", "1"), .text("one"), .text("one", status: 404),
      Self.file("one", "1").cut(after: 2), .status(200, body: Array("one".utf8), framing: .chunked),
      .status(200, body: Array("one".utf8), framing: .close),
      .file(TestData.random(100_000, seed: 28), etag: "\"1\""),
    ]
    var fastest = 0
    for reply in replies {
      for keys in ["", "steps: [{verify: {sha256: \(right.text)}}]", "max_size: 2B"] {
        let manifest = try manifest(keys)
        let results = try [false, true].map { isFull in
          let world = MemoryWorld(["/data": [reply]])
          var settings = RunSettings()
          settings.reports.hasTimes = isFull
          var result = try world.result(manifest, settings: settings)
          #expect(world.outputs.text("data") != nil || result.outcome == .failed)
          let held = world.outputs.state.withLock { $0.heldFiles }
          if isFull { #expect(held == 0) } else { fastest += held }
          // The same moment in both worlds, but another file.
          result.duration = .zero
          let record = try world.record("data").map { ($0.validators, $0.content, $0.updatedAt) }
          return "\(result) \(String(describing: record)) \(world.network.requests.count)"
        }
        #expect(results[0] == results[1], "\(reply) \(keys)")
      }
    }
    // Some were on it, at least until it handed over.
    #expect(fastest > 2)
  }

  /// Versions, cuts, statuses, edits and hours in any order: after every run the output is a whole version or the
  /// edit, and a record that fits the file names its bytes.
  @Test func `is whole after each of many random runs`() throws {
    for seed in 0..<300 {
      var random = SeededGenerator(seed: 28, case: seed)
      let world = MemoryWorld()
      let rule = ["etag", "mtime", "{interval: 12h, then: etag}"][random.below(3)]
      let manifest = try manifest("freshness: \(rule)", defaults: "{retries: \(random.below(3))}")
      let versions = (0..<4).map { TestData.random(20_000 + 1000 * $0, seed: UInt64($0)) }
      let known = Set(versions.map { Digester.digest($0, .sha256) })
      var edits: Set<HexDigest> = []
      for step in 0..<6 {
        let version = random.below(versions.count)
        var reply = Reply.file(
          versions[version], etag: random.below(4) == 0 ? nil : "\"\(version)\"",
          lastModified: "Sat, 21 Nov 2026 0\(version):00:00 GMT")
        switch random.below(6) {
        case 0: reply = reply.cut(after: random.below(20_000))
        case 1: reply = .text("no", status: [404, 410, 500, 503][random.below(4)])
        default: break
        }
        world.network.on("/data", reply)
        if random.below(8) == 0 {
          let text = "edit \(step)"
          world.outputs.write(text, to: "data")
          edits.insert(digest(text))
        }
        world.outputs.state.withLock { $0.isCramped = random.below(3) == 0 }
        world.clock.advance(by: .seconds(random.below(24) * 3600))
        let result = try world.result(manifest)
        let place = Comment(rawValue: "seed \(seed), step \(step): \(result.outcome)")
        let text = world.outputs.state.withLock { $0.files["data"] }
        let held = text.map { Digester.digest($0.bytes, .sha256) }
        if let held { #expect(known.contains(held) || edits.contains(held), place) }
        if result.outcome == .updated { #expect(held == Digester.digest(versions[version], .sha256), place) }
        if result.outcome == .updated || result.outcome == .fresh { #expect(held != nil, place) }
        let snapshot = try world.records.load(only: nil)
        #expect(snapshot.pending.isEmpty, place)
        if let record = snapshot.records.first, record.signature == text?.signature {
          #expect(record.content.sha256 == held, place)
        }
      }
    }
  }
}
