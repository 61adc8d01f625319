import Foundation
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Reporting

/// Compares rendered documents with the schemas in `schema/`.
@Suite struct SchemaTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func schema(_ kind: String) -> URL { root.appending(path: "schema/\(kind).schema.json") }

  private struct Verdict: Equatable {
    var isGood: Bool
    var words: String
  }

  /// The validator's answer for `documents`; fails the test if it has none.
  private func verdict(_ kind: String, _ documents: [String]) throws -> Verdict {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try documents.enumerated().map { i, document in
      let file = folder.appending(path: "\(i).json")
      try document.write(to: file, atomically: true, encoding: .utf8)
      return file.path
    }
    let validator = TestTools.path("validate-json.py")
    let arguments = ["python3", validator, Self.schema(kind).path] + files
    let result = try runProcess("/usr/bin/env", arguments, timeoutSeconds: 60)
    try #require(
      result.status == 0 || result.status == 1,
      "the validator needs python3-jsonschema and python3-yaml (names of Debian's packages): \(result.stderr)"
    )
    return Verdict(isGood: result.status == 0, words: result.stdout + result.stderr)
  }

  private func expectGood(_ kind: String, _ documents: [String]) throws {
    let verdict = try verdict(kind, documents)
    #expect(verdict.isGood, "\(verdict.words)")
  }

  @Test func `every document of settings is valid by its schema`() throws {
    var configuration = UserConfiguration()
    var documents = [ConfigJSON.render(ShownSettings(configuration, file: nil))]
    let rule = try #require(RewriteRule(from: "https://a/", to: "https://b/", otherwise: .error))
    let helper = try #require(CredentialRule(host: "*.corp", helper: "h\u{1B}", program: "h"))
    configuration.jobs = .init(3, line: 1)
    configuration.cache = .init("/x", line: 1)
    configuration.cacheSize = .init(5, line: 1)
    configuration.remoteCache = .init(RemoteCacheRule(url: "https://c/sm"), line: 1)
    configuration.rewrites = [.init(rule, line: 2)]
    configuration.credentials = [.init(helper, line: 3)]
    configuration.hosts = HostLimits(connections: ["a": 2])
    configuration.hostLines = [.init("a", line: 4)]
    for name in ["--config", "SYNCMAKE_CONFIG", nil] {
      var settings = ShownSettings(configuration, file: "c.yaml")
      settings.namedBy = name
      settings.jobs = name.map { _ in 5 }
      settings.cache = name.map { ("y", $0 == "--config" ? "--cache" : "SYNCMAKE_CACHE") }
      settings.remoteCache = name.map {
        ("https://d/", $0 == "--config" ? "--remote-cache" : "SYNCMAKE_REMOTE_CACHE")
      }
      documents.append(ConfigJSON.render(settings))
    }
    try expectGood("config", documents)
    #expect(try !verdict("config", ["{\"format\": \"syncmake.config/1\", \"file\": null}"]).isGood)
  }

  private static let origin = PolicyOrigin(
    file: "x\u{1B}\n", sha256: HexDigest(bytes: [UInt8](repeating: 7, count: 32)))

  @Test func `every run document is valid by its schema`() throws {
    var documents = [RunStatus.ok, .failed, .interrupted].map {
      RunJSON.render(results: Samples.results, status: $0, manifest: Samples.manifest)
    }
    documents.append(RunJSON.render(results: [], status: .ok, manifest: Samples.manifest))
    documents.append(
      RunJSON.render(
        results: [], status: .failed, failure: .diskFull(path: ".syncmake"), manifest: Samples.manifest))
    let target = Samples.manifest.targets[0]
    let fresh = AllValues.reasons("x\u{1B}\n").map { Samples.result(target, .fresh, $0) }
    let failed = AllValues.causes("x\u{1B}\n").map { cause in
      var result = Samples.result(target, .failed)
      result.failure = TargetFailure(cause, tries: 3)
      return result
    }
    documents.append(RunJSON.render(results: fresh + failed, status: .failed, manifest: Samples.manifest))
    let shard = ShardFacts(Shard(.number(1), of: 1), partition: String(repeating: "a", count: 32))
    let whole = RunJSON.render(
      results: fresh + failed, status: .failed, manifest: Samples.manifest, shard: shard, exitStatus: 75)
    documents.append(whole)
    for origin in [PolicyOrigin.untrusted, Self.origin] {
      var manifest = Samples.manifest
      manifest.policy = origin
      documents.append(
        RunJSON.render(results: [], status: .ok, manifest: manifest, shard: shard))
    }
    documents.append(try MergedReports([ShardReport(Array(whole.utf8), path: "1.json")]).json())
    let cached = BodyOrigin.allCases.map { origin in
      var result = Samples.result(target, .updated, Samples.changed)
      (result.from, result.bytesFromCache) = (origin, 5)
      return result
    }
    documents.append(
      RunJSON.render(results: cached, status: .ok, cache: CacheAccount(), manifest: Samples.manifest))
    try expectGood("run", documents)
  }

  @Test func `the table of all shards is valid by its schema`() throws {
    let graph = TargetGraph(Samples.manifest)
    let partition = try ShardPartition(
      graph.order, Samples.manifest, graph, lock: nil, total: 3, by: .hash)
    let documents = [nil, LockFile()].map { lock in
      ShardTableText.json(
        partition.rows(Samples.manifest, graph, lock: lock), of: partition, manifest: Samples.manifest)
    }
    try expectGood("shards", documents)
  }

  @Test func `every plan document is valid by its schema`() throws {
    let target = Samples.manifest.targets[0]
    var targets = AllValues.reasons("x").map { Samples.planned(target, .update, $0, needs: ["a"], bytes: 5) }
    targets += AllValues.causes("x").map { Samples.planned(target, .error, failure: $0) }
    targets += [Samples.planned(target, .maybe, waitsFor: ["a"]), Samples.planned(target, .maybe)]
    for standing in LockStanding.allCases {
      var line = Samples.planned(target, .fresh, AllValues.reasons("x")[0])
      line.lock = standing
      targets.append(line)
    }
    for origin in BodyOrigin.allCases {
      var line = Samples.planned(target, .update, AllValues.reasons("x")[0])
      line.from = origin
      targets.append(line)
    }
    var documents = [Plan(targets: targets), Plan(targets: [])].map {
      PlanJSON.render($0, manifest: Samples.manifest)
    }
    let shard = ShardFacts(Shard(.seed, of: 3, by: .size), partition: String(repeating: "a", count: 32))
    documents.append(PlanJSON.render(Plan(targets: []), manifest: Samples.manifest, shard: shard))
    var manifest = Samples.manifest
    manifest.policy = Self.origin
    documents.append(PlanJSON.render(Plan(targets: []), manifest: manifest))
    try expectGood("plan", documents)
  }

  @Test func `every document of the cache is valid by its schema`() throws {
    let none = CacheContents()
    try expectGood(
      "cache",
      [
        CacheJSON.info(path: "x\u{1B}\n", none, maxSize: 5),
        CacheJSON.verified(path: "x", none, bad: ["x/cas/ab/ab"]),
        CacheJSON.pruned(path: "x", removed: none, left: none),
      ])
  }

  @Test func `every update document is valid by its schema`() throws {
    var documents = [RunStatus.ok, .failed, .interrupted].map {
      UpdateJSON.render(
        Samples.pinChanges, results: Samples.results, status: $0, manifest: Samples.manifest)
    }
    documents.append(UpdateJSON.render([], results: [], status: .ok, manifest: Samples.manifest))
    // What an update would lock is not known.
    let forecast = Samples.pinChanges.map { PinChange(name: $0.name, kind: $0.kind, was: $0.was, now: nil) }
    documents.append(
      UpdateJSON.render(forecast, results: [], status: .ok, isForecast: true, manifest: Samples.manifest))
    #expect(
      try !verdict(
        "update", [UpdateJSON.render(forecast, results: [], status: .ok, manifest: Samples.manifest)]
      ).isGood)
    documents.append(
      UpdateJSON.render(
        [], results: Samples.results, status: .failed, failure: .diskFull(path: "x"),
        manifest: Samples.manifest))
    try expectGood("update", documents)
  }

  /// The lines of a run's events, each as a document.
  private func eventLines() -> [String] {
    let target = Samples.manifest.targets[0]
    var results = Samples.results
    results += AllValues.causes("x\u{1B}\n").map { cause in
      var result = Samples.result(target, .failed)
      result.failure = TargetFailure(cause, tries: 3)
      return result
    }
    let story = RunStory(results: results)
    let events = EventLines(story.header)
    return story.file(events, start: events.start()).split(separator: "\n").map(String.init)
  }

  @Test func `every event line is valid by its schema`() throws { try expectGood("events", eventLines()) }

  @Test(
    "an invalid event line is refused",
    arguments: [
      ("\"begun\"", "\"began\""), ("events/1", "events/2"), ("\"at_us\": 1000", "\"at_us\": -1"),
      ("\"verdict\": \"stale\"", "\"verdict\": \"old\""), ("\"error\": {", "\"mistake\": {"),
      ("\"status\": \"failed\"", "\"status\": 200"), ("\"connection\": 1", "\"connection\": 0"),
      ("\"outcome\": \"fresh\"", "\"outcome\": \"stale\""), ("\"targets\": 4", "\"count\": 4"),
    ])
  func refusedEvents(part: String, replacement: String) throws {
    let good = eventLines()
    let bad = try #require(good.first { $0.contains(part) }).replacing(part, with: replacement)
    #expect(try !verdict("events", [bad]).isGood)
  }

  @Test(
    "an invalid update document is refused",
    arguments: [
      ("\"kind\": \"added\"", "\"kind\": \"moved\""), ("\"kind\": \"removed\"", "\"kind\": \"added\""),
      ("\"to\": {", "\"now\": {"), ("update/1", "update/2"), ("\"output\": {", "\"result\": {"),
      ("\"size\": 123", "\"size\": -1"), ("\"download\": {", "\"came\": {"),
    ])
  func refusedUpdate(part: String, replacement: String) throws {
    let good = UpdateJSON.render(Samples.pinChanges, results: [], status: .ok, manifest: Samples.manifest)
    let bad = good.replacing(part, with: replacement)
    #expect(bad != good)
    #expect(try !verdict("update", [bad]).isGood)
  }

  @Test func `every probe document is valid by its schema`() throws {
    let all = ProbeSamples.all("x\u{1B}\n") + ProbeSamples.all("Sun, 06 Nov 1994 08:49:37 GMT")
    let documents = ([all + [ProbeSamples.good], [ProbeSamples.good], []] as [[ProbeReport]]).map {
      ProbeJSON.render($0, now: Samples.now, secrets: Samples.none)
    }
    try expectGood("probe", documents)
  }

  @Test(
    "an invalid probe document is refused",
    arguments: [
      ("\"answer\": \"agrees\"", "\"answer\": \"yes\""), ("probe/1", "probe/2"),
      ("\"advice\": {", "\"opinion\": {"), ("\"guarded\": true", "\"checked\": true"),
      ("etag-confirmed", "good"), ("\"digest\": ", "\"problem\": \"x\", \"digest\": "),
      ("\"status\": \"ok\"", "\"status\": \"fine\""), ("\"strong\": true", "\"strong\": \"yes\""),
    ])
  func refusedProbe(part: String, replacement: String) throws {
    let good = ProbeJSON.render([ProbeSamples.good], now: Samples.now, secrets: Samples.none)
    let bad = good.replacing(part, with: replacement)
    #expect(bad != good)
    #expect(try !verdict("probe", [bad]).isGood)
  }

  @Test func `every status and every graph document is valid by its schema`() throws {
    let target = Samples.manifest.targets[0]
    let statuses = TargetStatus.State.allCases.flatMap { state in
      [nil, Samples.record(target, validators: Samples.validators("\"a\"", "X"))].map {
        TargetStatus(id: target.id, name: target.name, output: target.output, state: state, record: $0)
      }
    }
    let locked = [LockStanding.pinned, .drifted].map { standing in
      var status = statuses[0]
      status.lock = standing
      return status
    }
    let status = [statuses, locked, []].map { StatusJSON.render($0, manifest: Samples.manifest) }
    try expectGood("status", status)
    let empty = Manifest(fileName: "m", targets: [])
    let graphs = [Samples.manifest, empty].map { GraphText.json(TargetGraph($0), manifest: $0) }
    try expectGood("graph", graphs)
  }

  @Test(
    "an invalid document is refused",
    arguments: [
      ("run", "\"outcome\": \"fresh\"", "\"outcome\": \"stale\""), ("run", "run/1", "run/2"),
      ("run", "\"code\": \"http-status\"", "\"code\": \"oops\""),
      ("run", "\"size\": 456", "\"size\": \"456\""),
      ("run", "\"reason\": \"not-modified\"", "\"reason\": \"because\""),
      ("run", "\"error\": {", "\"mistake\": {"), ("graph", "\"needs\"", "\"wants\""),
    ])
  func refused(kind: String, part: String, replacement: String) throws {
    let good =
      kind == "run"
      ? RunJSON.render(results: Samples.results, status: .ok, manifest: Samples.manifest)
      : GraphText.json(TargetGraph(Samples.manifest), manifest: Samples.manifest)
    let bad = good.replacing(part, with: replacement)
    #expect(bad != good)
    #expect(try !verdict(kind, [bad]).isGood)
  }

  @Test func `the schemas have exactly the program's codes`() throws {
    func codes(_ kind: String, _ path: [String]) throws -> Set<String> {
      var object =
        try JSONSerialization.jsonObject(with: Data(contentsOf: Self.schema(kind))) as? [String: Any]
      for key in path { object = object?[key] as? [String: Any] }
      return Set(try #require(object?["enum"] as? [String]))
    }
    let reasons = Set(ReasonCode.allCases.map(\.rawValue))
    let results = reasons.union(["dependency-failed"])
    let failures = Set(FailureCode.allCases.map(\.rawValue))
    let target = ["definitions", "target", "properties"]
    #expect(try codes("run", target + ["reason"]) == results)
    #expect(try codes("run", target + ["outcome"]) == Set(Outcome.allCases.map(\.rawValue)))
    #expect(try codes("run", target + ["error", "properties", "code"]) == failures)
    #expect(try codes("plan", target + ["reason"]) == reasons.union(failures))
    #expect(try codes("plan", target + ["action"]) == Set(PlanAction.allCases.map(\.rawValue)))
    #expect(try codes("plan", target + ["error", "properties", "code"]) == failures)
    #expect(try codes("plan", target + ["lock"]) == Set(LockStanding.allCases.map(\.rawValue)))
    let advice = ["definitions", "probe", "properties", "advice", "properties"]
    #expect(try codes("probe", advice + ["reason"]) == Set(ProbeAdvice.Reason.allCases.map(\.rawValue)))
    #expect(try codes("probe", advice + ["obstacle", "properties", "code"]) == failures)
    let kind = ["definitions", "change", "properties", "kind"]
    #expect(try codes("update", kind) == Set(PinChange.Kind.allCases.map(\.rawValue)))
    #expect(try codes("update", target + ["reason"]) == results)
    #expect(try codes("update", target + ["error", "properties", "code"]) == failures)
    #expect(try codes("events", ["properties", "reason"]) == results)
    #expect(try codes("events", ["properties", "outcome"]) == Set(Outcome.allCases.map(\.rawValue)))
    #expect(try codes("events", ["properties", "error", "properties", "code"]) == failures)
    #expect(try codes("status", target + ["state"]) == Set(TargetStatus.State.allCases.map(\.rawValue)))
    #expect(
      try codes("graph", ["properties", "edges", "items", "properties", "kind"])
        == Set(DependencyKind.allCases.map(\.rawValue)))
  }
}
