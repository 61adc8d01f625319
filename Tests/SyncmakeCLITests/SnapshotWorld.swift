import Foundation
import LocalFiles
import Planning
import Platform
import StateStore
import SyncModel
import SyncTestSupport

@testable import Execution
@testable import SyncmakeCLI

/// A root with targets of every kind that needs no network, perhaps also with targets that send plain requests, or with
/// included manifests and the values of outputs, and both paths that find that there is nothing to do.
final class SnapshotWorld {
  let folder: TemporaryFolder
  /// The server for some targets; `nil` without requests.
  let server: LoopbackServer?
  /// Whether the manifest includes others, and variables have the values of outputs.
  let isJoined: Bool
  /// Files at outputs' paths, and in folders that are outputs.
  let outputs: [String]
  /// Of all folders.
  private let archive: [UInt8]

  init(asking: Bool = false, joined: Bool = false) throws {
    folder = try TemporaryFolder()
    isJoined = joined
    server = asking ? try LoopbackServer() : nil
    outputs =
      [
        "once", "deep/er/aged", "deep/pinned", "deep/copy", "listed", "sums", "deep/er/needy", "one-a",
        "merged", "deep/tree/a", "deep/tree/in/b",
      ]
      + (asking ? ["tagged", "deep/dated", "deep/er/taken", "deep/site/in/b"] : [])
      + (joined ? ["latest", "named-once", "part/inner", "part/named-once"] : [])
    for name in ["once", "aged", "pinned", "listed", "needy"] {
      try folder.write("the text of \(name)\n", to: "source/\(name)")
    }
    let listed = try Self.listedDigest.get()
    try folder.write("\(listed)  listed\n", to: "source/sums")
    archive = try Self.archive.get()
    try folder.write(archive, to: "source/tree.tar")
    for name in ["source/word", "part/source/word"] { try folder.write("once\n", to: name) }
    try folder.write("the text of once\n", to: "part/source/once")
    try writeManifests()
    serveAsEver()
  }

  /// Writes the manifest and those that it includes.
  func writeManifests() throws {
    try folder.write(try manifest(), to: "syncmake.yaml")
    if isJoined { try folder.write(Self.included, to: "part/syncmake.yaml") }
  }

  func serveAsEver() {
    let then = "Mon, 13 Nov 2023 00:00:00 GMT"
    server?.setScript([
      "/tagged": [.file(Array("tagged\n".utf8), etag: "\"1\"", lastModified: then)],
      "/dated": [.file(Array("dated\n".utf8), lastModified: then)],
      "/word": [.file(Array("once\n".utf8), etag: "\"w\"", lastModified: then)],
      "/site.tar": [.file(archive, etag: "\"s\"", lastModified: then)],
    ])
  }

  func manifest() throws -> String { try joined(unjoined()) }

  /// The same with what joins it to other files; the targets stay at the end.
  private func joined(_ manifest: String) -> String {
    guard isJoined else { return manifest }
    // A file that is replaced has a new value at once, and one that is edited never has.
    let latest =
      server.map { "  latest: {url: \"\($0.url("/word"))\"}\n" }
      ?? "  latest: {url: source/word, freshness: {interval: 1d}}\n"
    return manifest.replacing(
      "targets:\n",
      with: """
        include: ["part*/syncmake.yaml"]
        vars: {word: {target: latest, line: 1}}
        targets:
          named: {url: source/once, output: "named-${word}", freshness: once}

        """) + latest
  }

  /// The included manifest.
  static let included = """
    version: 1
    defaults: {local_changes: overwrite}
    vars: {word: {target: inner, regex: "^(.*)$"}}
    targets:
      inner: {url: source/word, freshness: {interval: 1d}}
      named: {url: source/once, output: "named-${word}", freshness: once}

    """

  private func unjoined() throws -> String {
    guard let server else { return try Self.manifest() }
    return try Self.manifest() + """
        tagged: {url: "\(server.url("/tagged"))"}
        dated: {url: "\(server.url("/dated"))", output: deep/dated, freshness: mtime}
        taken: {from: tagged, output: deep/er/taken}
        site: {url: "\(server.url("/site.tar"))", output: deep/site/, steps: [unpack]}

      """
  }

  // Computed once, since this starts a program.
  private static let listedDigest = Result {
    try TestData.digest("sha256", Array("the text of listed\n".utf8))
  }
  private static let archive = Result {
    try TestArchives.make(
      "tar", ["a=a", "in/b=b", "in/link->b", "empty/"],
      files: ["a": Array("the first\n".utf8), "b": Array("the second\n".utf8)])
  }
  private static let pinnedDigest = Result {
    try TestData.digest("sha256", Array("the text of pinned\n".utf8))
  }

  static func manifest() throws -> String {
    let pinned = try pinnedDigest.get()
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
        one-${x}: {url: source/once, output: "one-${x}", freshness: once, matrix: {x: [a]}}
        tree: {url: source/tree.tar, output: deep/tree/, freshness: once, steps: [unpack]}
        <<: {merged: {url: source/aged, output: merged, freshness: once}}

      """
  }

  /// How many targets it has.
  static let count = 10

  var manifestPath: String { folder.path("syncmake.yaml") }

  /// The manifest with its values, and what was done to know them; `nil` for an invalid one.
  private func opened(_ manner: ValueOrder.Manner) throws -> ValueOutcome? {
    guard let location = ManifestLocation(file: manifestPath, stateDir: nil, caller: .process) else {
      return nil
    }
    let first = try OpenedManifest(location, mayLeaveSnapshot: true)
    guard first.workspace != nil else { return nil }
    var outcome = try ValueExpansion.perform(on: first, ValueOrder(manner), stop: StopSignal())
    outcome.opened = try ManifestExpansion.perform(
      on: outcome.opened, ListOrder(settings: RunSettings(), keeps: false, locked: .asked), stop: StopSignal()
    )
    return outcome
  }

  /// A run on the full path; returns whether it succeeded with every target fresh.
  @discardableResult
  func run() throws -> Bool {
    guard let opened = try opened(.run), let workspace = opened.opened.workspace else { return false }
    var settings = RunSettings()
    settings.earlier.ended = opened.ended
    let outcome = try Runner.run(
      workspace.manifest.targets.map(\.id), in: workspace, settings: settings, stop: StopSignal(),
      report: { _ in })
    return outcome.status == .ok && outcome.results.allSatisfy { $0.outcome == .fresh }
  }

  /// Whether the full path would find nothing to do; `nil` for an invalid manifest.
  func isFreshByPlan() throws -> Int? {
    // A new lock file is refused here, since none was read.
    guard let opened = try? opened(.plan), let workspace = opened.opened.workspace else { return nil }
    var settings = RunSettings()
    settings.earlier.planned = opened.planned
    let plan = try? PlanMaker.plan(
      workspace.manifest.targets.map(\.id), in: workspace, settings: settings, stop: StopSignal(),
      report: { _ in })
    guard let plan else { return nil }
    return plan.targets.allSatisfy { $0.action == .fresh } ? plan.targets.count : nil
  }

  /// Runs until nothing is left to do and a snapshot says so; returns whether that was reached.
  func settle() throws -> Bool {
    for _ in 0..<4 where try run() {
      // The run that found this may itself have recorded something.
      return try run()
    }
    return false
  }

  func question(isRun: Bool = false, now: (() -> Timestamp)? = nil) -> QuickCheck.Question? {
    var question = ManifestLocation(file: manifestPath, stateDir: nil, caller: .process)?.quickQuestion(
      isRun: isRun)
    if let now { question?.now = now }
    if isRun, server != nil { question?.asking = { QuickCheck.Asking(jobs: 4, network: NetworkSettings()) } }
    return question
  }

  /// The answer of the snapshot.
  func quick(isRun: Bool = false, now: (() -> Timestamp)? = nil) -> QuickCheck.AllFresh? {
    if isRun { Self.waitForInheritors(of: folder) }
    return question(isRun: isRun, now: now).flatMap { QuickCheck.answer($0).allFresh }
  }

  /// A program that another test starts inherits the run locks of this process until its exec, and a run that finds
  /// its lock taken leaves everything to the full path.
  static func waitForInheritors(of root: TemporaryFolder) {
    guard let folder = try? StateFolder(path: root.path(".syncmake")) else { return }
    var tries = 0
    _ = try? RunLock.acquire(
      in: folder, wait: true, now: SystemClock.now(), onWait: { _ in },
      isCancelled: {
        tries += 1
        return tries > 200
      })
  }
}
