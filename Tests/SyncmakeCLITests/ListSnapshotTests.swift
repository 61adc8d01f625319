import ContentPipeline
import Foundation
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution
@testable import SyncmakeCLI

/// A snapshot that rests on lists gives no answer that the full path would not give (docs/decisions/0035).
@Suite struct ListSnapshotTests {
  private let folder: TemporaryFolder
  private let server: LoopbackServer

  init() throws {
    folder = try TemporaryFolder()
    server = try LoopbackServer()
    for name in ["a", "b", "c"] { server.on("/\(name)", .file(Array(name.utf8), etag: "\"\(name)\"")) }
    serve(["a", "b"])
    try write()
  }

  // MARK: What is answered

  @Test func `a list that is as it was is all that a run asks`() throws {
    #expect(try quick().allFresh == nil)
    try settle()
    server.clearLog()
    #expect(try quick().allFresh == QuickCheck.AllFresh(count: 2, onlyName: nil))
    #expect(server.requests.map(\.path) == ["/SUMS"])
    #expect(server.requests.map { $0.header("If-None-Match") } == ["\"a b\""])
    #expect(try quick(isRun: false).allFresh?.count == 2)
  }

  @Test func `the same bytes without a validator are the same list`() throws {
    let text = sums(["a", "b"])
    server.on("/SUMS", .text(text))
    try settle()
    let before = try stored()
    #expect(try quick().allFresh?.count == 2)
    #expect(try stored() == before)
    server.on("/SUMS", .file(Array(text.utf8), etag: "\"new\""))
    #expect(try quick().allFresh?.count == 2)
    #expect(try stored() != before)
    server.clearLog()
    #expect(try quick().allFresh?.count == 2)
    #expect(server.requests.map { $0.header("If-None-Match") } == ["\"new\""])
  }

  @Test func `a plan stores nothing`() throws {
    try settle()
    let before = try stored()
    server.on("/SUMS", .file(Array(sums(["a", "b"]).utf8), etag: "\"new\""))
    #expect(try quick(isRun: false).allFresh?.count == 2)
    #expect(try stored() == before)
  }

  @Test func `offline the stored list is compared, and nothing is asked`() throws {
    try settle()
    server.clearLog()
    #expect(try quick(isOffline: true).allFresh?.count == 2)
    #expect(server.requests.isEmpty)
  }

  @Test func `entries of which the list says only the names are asked after it`() throws {
    server.on(
      "/SUMS", .file(Array(#"[{"key": "a", "url": "/a"}, {"key": "b", "url": "/b"}]"#.utf8), etag: "\"l\""))
    try write(format: "json")
    try settle()
    server.clearLog()
    #expect(try quick().allFresh?.count == 2)
    #expect(server.requests.map(\.path).sorted() == ["/SUMS", "/a", "/b"])
    server.on("/b", .file(Array("B".utf8), etag: "\"B\""))
    server.clearLog()
    let answer = try quick()
    #expect(answer.allFresh == nil)
    #expect(try outcomes(run(answer)) == ["s/a fresh", "s/b updated"])
    #expect(server.requests.map(\.path).sorted() == ["/SUMS", "/a", "/b"])
  }

  @Test func `pages that name others are asked one after another, unread`() throws {
    func page(_ name: String, next: String) -> Reply {
      let text = """
        <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>\(name)</id><title>\(name)</title>
        <updated>2026-11-25T10:00:00Z</updated><link rel="enclosure" href="/\(name)" length="1"/></entry>\(next)</feed>
        """
      return .file(Array(text.utf8), etag: "\"\(name)\"")
    }
    server.on("/SUMS", page("a", next: #"<link rel="next" href="/more"/>"#))
    server.on("/more", page("b", next: ""))
    try write(format: "atom")
    try settle()
    server.clearLog()
    let answer = try quick()
    #expect(answer.allFresh?.count == 2)
    #expect(server.requests.map(\.path) == ["/SUMS", "/more"])
    server.on("/more", page("c", next: ""))
    let changed = try quick()
    #expect(changed.allFresh == nil)
    #expect(try outcomes(run(changed)) == ["s/a fresh", "s/c updated", "s/b fresh"])
  }

  // MARK: What is handed over

  @Test func `another list is handed over, and not asked again`() throws {
    try settle()
    serve(["a", "b", "c"])
    server.clearLog()
    let answer = try quick()
    #expect(answer.allFresh == nil)
    #expect(try outcomes(run(answer)) == ["s/a fresh", "s/b fresh", "s/c updated"])
    #expect(server.requests.map(\.path) == ["/SUMS", "/c"])
    try settle()
    #expect(try quick().allFresh?.count == 3)
  }

  @Test func `a list that cannot be used is handed over with its failure`() throws {
    try settle()
    server.on("/SUMS", .status(404))
    server.clearLog()
    let answer = try quick()
    #expect(answer.allFresh == nil)
    #expect(try outcomes(run(answer)) == ["s/${entry.key} failed"])
    #expect(server.requests.count == 1)
  }

  @Test func `with a lock no list is asked`() throws {
    try settle()
    try folder.write("lock: 1\n", to: "syncmake.lock")
    server.clearLog()
    let answer = try quick()
    #expect(answer.allFresh == nil && answer.lists == nil)
    #expect(server.requests.isEmpty)
  }

  @Test func `an output that is missing needs the full path, with the list that was asked`() throws {
    try settle()
    try remove("out/a")
    server.clearLog()
    let answer = try quick()
    #expect(answer.allFresh == nil)
    #expect(try outcomes(run(answer)) == ["s/a updated", "s/b fresh"])
    #expect(server.requests.map(\.path) == ["/SUMS", "/a"])
    // Its row was replaced.
    #expect(try quick().allFresh?.count == 2)
  }

  @Test func `a list in which a group has no part is told of each time`() throws {
    try write(and: "groups: {g: [s/a, s/x]}\n")
    try settle()
    #expect(try quick().allFresh == nil)
  }

  // MARK: Entries that have left

  @Test func `what is kept counts, and is not looked at`() throws {
    try settle()
    serve(["a"])
    try settle()
    #expect(try quick().allFresh == QuickCheck.AllFresh(count: 2, onlyName: nil))
    try remove("out/b")
    #expect(try quick().allFresh?.count == planned())
  }

  @Test func `what only an offline run has kept is removed by the next`() throws {
    try write(gone: "remove")
    try settle()
    serve(["a"])
    // As after a run that was killed before it removed anything.
    _ = ListAsking.askEarly(
      try location(), settings: settings(), keeps: true, watch: { _ in nil }, isUnwanted: { false })
    for _ in 0..<3 { #expect(try run(isOffline: true).status == .ok) }
    #expect(try quick().allFresh == nil)
    #expect(try run(try quick()).removed.map(\.path.text) == ["out/b"])
    try settle()
    #expect(try quick().allFresh?.count == 1)
  }

  // MARK: Any change

  @Test func `whatever changes, the snapshot agrees with a plan`() throws {
    var random = SeededGenerator(seed: 31)
    var answered = 0
    for round in 0..<60 {
      try write(gone: random.oneIn(2) ? "keep" : "remove")
      // It may have been edited.
      try? remove("out/c")
      serve(["a", "b", "c"])
      _ = try run()
      if random.oneIn(2) {
        serve(["a", "c"])
        _ = try run()
      }
      try settle()
      for _ in 0...random.below(2) { try mutate(random.below(12)) }
      let count = try planned()
      if let quick = try quick(isRun: random.oneIn(2)).allFresh {
        answered += 1
        #expect(quick.count == count, "round \(round)")
      }
    }
    #expect(answered > 3, "\(answered)")
  }

  private func mutate(_ kind: Int) throws {
    switch kind {
    case 0: serve(["a", "b"])
    case 1: serve(["a", "c", "b"])
    case 2: try? remove("out/a")
    case 3: try folder.write("edited", to: "out/c")
    case 4: server.on("/SUMS", .status(410))
    case 5: try folder.write([1, 2], to: ".syncmake/lists/\(try storedName())")
    case 6: try? remove(".syncmake/state.db")
    case 7: try write(gone: "keep", and: "# another comment\n")
    default: break
    }
  }

  // MARK: The world

  private func write(format: String = "checksums", gone: String = "keep", and more: String = "") throws {
    try folder.write(
      """
      version: 1
      defaults: {retries: 0}
      targets:
        s/${entry.key}:
          list: {url: \(server.url("/SUMS")), format: \(format), gone: \(gone)}
          output: out/${entry.key}
          local_changes: keep
      \(more)
      """, to: "syncmake.yaml")
  }

  private func serve(_ names: [String]) {
    server.on("/SUMS", .file(Array(sums(names).utf8), etag: "\"\(names.joined(separator: " "))\""))
  }

  private func sums(_ names: [String]) -> String {
    names.map { "\(Digester.digest(Array($0.utf8), .sha256))  \($0)\n" }.joined()
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: folder.path(name))
  }

  private func storedName() throws -> String {
    try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path(".syncmake/lists")).first)
  }

  private func stored() throws -> [UInt8] { try #require(folder.read(".syncmake/lists/\(storedName())")) }

  private func location() throws -> ManifestLocation {
    try #require(ManifestLocation(file: folder.path("syncmake.yaml"), stateDir: nil, caller: .process))
  }

  private func settings(isOffline: Bool = false) -> RunSettings {
    var settings = RunSettings()
    settings.resources.jobs = 4
    settings.questions.isOffline = isOffline
    return settings
  }

  private func quick(isRun: Bool = true, isOffline: Bool = false) throws -> QuickCheck.Answer {
    if isRun { SnapshotWorld.waitForInheritors(of: folder) }
    let location = try location()
    guard var question = location.quickQuestion(isRun: isRun) else { return QuickCheck.Answer() }
    if isRun, !isOffline {
      question.asking = { QuickCheck.Asking(jobs: 4, network: NetworkSettings()) }
    }
    question.askLists = {
      ListAsking.askEarly(
        location, settings: settings(isOffline: isOffline), keeps: isRun, watch: { _ in nil },
        isUnwanted: { false })
    }
    return QuickCheck.answer(question)
  }

  private func expanded(
    _ early: AskedLists?, keeps: Bool, isOffline: Bool = false
  ) throws -> Workspace {
    var order = ListOrder(settings: settings(isOffline: isOffline), keeps: keeps, locked: .asked)
    order.early = early
    let opened = try OpenedManifest(location(), mayLeaveSnapshot: keeps)
    return try #require(
      try ManifestExpansion.perform(on: opened, order, stop: StopSignal()).workspace)
  }

  @discardableResult
  private func run(
    _ found: QuickCheck.Answer = QuickCheck.Answer(), isOffline: Bool = false
  ) throws -> RunOutcome {
    let workspace = try expanded(found.lists, keeps: true, isOffline: isOffline)
    return try Runner.run(
      workspace.manifest.targets.map(\.id), in: workspace, settings: settings(isOffline: isOffline),
      stop: StopSignal(), early: found.early, report: { _ in })
  }

  /// Runs until nothing is left to do; the last run leaves a snapshot.
  private func settle() throws {
    for _ in 0..<4 where try run().results.allSatisfy({ $0.outcome == .fresh }) { break }
    try run()
  }

  /// How many targets a plan has, if all are fresh; `nil` otherwise.
  private func planned() throws -> Int? {
    let workspace = try expanded(nil, keeps: false)
    let plan = try PlanMaker.plan(
      workspace.manifest.targets.map(\.id), in: workspace, settings: settings(), stop: StopSignal(),
      report: { _ in })
    return plan.targets.allSatisfy { $0.action == .fresh } ? plan.targets.count : nil
  }

  private func outcomes(_ outcome: RunOutcome) -> [String] {
    outcome.results.map { "\($0.name) \($0.outcome.rawValue)" }
  }
}
