import Foundation
import LocalFiles
import Planning
import StateStore
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// How a root is held after runs that were killed.
@Suite struct RootLeaseTests {
  private let bench: CommitterTests.Bench

  init() throws { bench = try CommitterTests.Bench() }

  /// The files are withheld in the plain state, and it is decided that they are put in place.
  private func decide(_ names: [String], _ text: String) throws {
    let committer = try bench.committer()
    for (number, name) in names.enumerated() {
      var job = try bench.job(name, text)
      job.isWithheld = true
      committer.publish(job, Ticket(number: number))
    }
    _ = bench.await(letters: names.count)
    _ = committer.finish()
    var changes: [StateChange] = []
    for var output in try bench.snapshot().withheld {
      output.over = bench.root.observe(output.record.output)
      changes.append(.withhold(output))
    }
    let store = try StateStore.open(folder: bench.state.path, access: .readWrite)
    try store.apply(changes + [.decide(Publication(lock: nil))])
  }

  @Test(arguments: [false, true])
  func `a shard completes what a plain run was killed at, before it looks at outputs`(isAllMoved: Bool) throws
  {
    try decide(["a", "b"], "new")
    for name in isAllMoved ? ["a", "b"] : ["a"] {
      let key = WithheldShelf.key(of: try RelativePath(name))
      #expect(rename("\(bench.state.path)/withheld/\(key)", bench.folder.path(name)) == 0)
    }
    let targets = try ["a", "b"].enumerated().map { number, name in
      Target(
        id: TargetID(number), name: TargetName(name), source: .urls([.web("https://data.example/a")]),
        output: try RelativePath(name))
    }
    let manifest = Manifest(fileName: "m", targets: targets)
    var workspace = Workspace(
      manifest: manifest, graph: TargetGraph(manifest),
      at: RootPlace(root: bench.folder.path, state: bench.state.path))
    workspace.enter(Shard(.number(1), of: 2), running: [TargetID(1)], partition: nil, selectionMark: nil)
    var settings = RunSettings()
    settings.course.waitsForLock = false
    let lease = try RootLease.hold(
      workspace, settings, stop: StopSignal(), seesLock: false, clock: MachineClock(), report: { _ in })
    #expect(lease.snapshot.records.map(\.output.text) == ["b"])
    for record in lease.snapshot.records {
      #expect(bench.root.observe(record.output) == .file(record.signature))
    }
    for name in ["a", "b"] { #expect(bench.folder.read(name) == Array("new".utf8)) }
    let plain = try bench.snapshot()
    #expect(plain.records.count == 2 && plain.withheld.isEmpty && plain.publication == nil)
  }

  @Test func `shards of one selection are at work together, and those of another one wait`() throws {
    func hold(_ number: Int, _ selection: String?) throws -> RootLease {
      let manifest = Manifest(fileName: "m", targets: [])
      var workspace = Workspace(
        manifest: manifest, graph: TargetGraph(manifest),
        at: RootPlace(root: bench.folder.path, state: bench.state.path))
      workspace.enter(Shard(.number(number), of: 3), running: [], partition: nil, selectionMark: selection)
      var settings = RunSettings()
      settings.course.waitsForLock = false
      return try RootLease.hold(
        workspace, settings, stop: StopSignal(), seesLock: false, clock: MachineClock(), report: { _ in })
    }
    for (selection, other) in [(nil, "0123abcd"), ("0123abcd", nil), ("0123abcd", "0123abce")] {
      let first = try hold(1, selection)
      let second = try hold(2, selection)
      #expect(throws: RunFault.self) { try hold(3, other) }
      withExtendedLifetime((first, second)) {}
    }
  }
}
