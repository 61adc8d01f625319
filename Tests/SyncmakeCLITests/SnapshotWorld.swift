import Foundation
import Planning
import StateStore
import SyncModel
import SyncTestSupport

@testable import Execution
@testable import SyncmakeCLI

/// A root with targets of every kind that needs no network, and both ways of finding nothing to do in it.
final class SnapshotWorld {
  let folder: TemporaryFolder
  static let outputs = [
    "once", "deep/er/aged", "deep/pinned", "deep/copy", "listed", "sums", "deep/er/needy",
  ]

  init() throws {
    folder = try TemporaryFolder()
    for name in ["once", "aged", "pinned", "listed", "needy"] {
      try folder.write("the text of \(name)\n", to: "source/\(name)")
    }
    let listed = try TestData.digest("sha256", Array("the text of listed\n".utf8))
    try folder.write("\(listed)  listed\n", to: "source/sums")
    try folder.write(try Self.manifest(), to: "syncmake.yaml")
  }

  static func manifest() throws -> String {
    let pinned = try TestData.digest("sha256", Array("the text of pinned\n".utf8))
    return """
      version: 1
      defaults: {local_changes: overwrite}
      targets:
        once: {url: source/once, freshness: once}
        aged: {url: source/aged, output: deep/er/aged, freshness: {interval: 1d}}
        pinned: {url: source/pinned, output: deep/pinned, freshness: {sha256: \(pinned)}}
        copy: {from: pinned, output: deep/copy}
        sums: {url: source/sums, freshness: once}
        listed: {url: source/listed, freshness: {sha256: {target: sums, entry: listed}}}
        needy: {url: source/needy, output: deep/er/needy, freshness: once, needs: [once, copy]}

      """
  }

  var manifestPath: String { folder.path("syncmake.yaml") }

  private func project() throws -> Project {
    try Project(try ProjectOptions.parse(["-f", manifestPath, "-s"]), mayLeaveSnapshot: true)
  }

  private func all(_ project: Project) throws -> [TargetID] { try project.select(names: []) }

  /// A run the ordinary way; whether it ended well with every target fresh.
  @discardableResult
  func run() throws -> Bool {
    let project = try project()
    let outcome = try Runner.run(
      try all(project), in: project.workspace, settings: RunSettings(), stop: StopSignal(), report: { _ in })
    return outcome.status == .ok && outcome.results.allSatisfy { $0.outcome == .fresh }
  }

  /// Whether the ordinary way would find nothing to do; `nil` for a manifest that is none.
  func isFreshByPlan() throws -> Int? {
    guard let project = try? project() else { return nil }
    // A lock file that has come is refused here, since none was read.
    let plan = try? PlanMaker.plan(
      try all(project), in: project.workspace, settings: RunSettings(), stop: StopSignal(), report: { _ in })
    guard let plan else { return nil }
    return plan.targets.allSatisfy { $0.action == .fresh } ? plan.targets.count : nil
  }

  /// Runs until nothing is left to do, which then is in a snapshot; whether it came to that.
  func settle() throws -> Bool {
    for _ in 0..<4 where try run() {
      // The run that found it so may itself have had something to record.
      return try run()
    }
    return false
  }

  func question(isRun: Bool = false, now: (() -> Timestamp)? = nil) -> QuickCheck.Question? {
    var question = ManifestPlace(file: manifestPath, stateDir: nil)?.quickQuestion(isRun: isRun)
    if let now { question?.now = now }
    return question
  }

  /// The answer of the snapshot.
  func quick(isRun: Bool = false, now: (() -> Timestamp)? = nil) -> QuickCheck.AllFresh? {
    question(isRun: isRun, now: now).flatMap(QuickCheck.answer)
  }
}
