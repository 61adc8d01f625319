import ManifestParsing
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Everything that a target touches, in memory, with the program's own parts between: the machine, the drivers, the
/// exchange, the committer and the record index.
///
/// Nothing sleeps: when a run waits, its clock goes on. Nothing happens on other threads.
final class MemoryWorld {
  let clock = ManualClock()
  let network: ScriptedNetwork
  let outputs: MemoryOutputs
  let records = MemoryRecords()
  /// The events of the last run.
  private(set) var events: [RunEvent] = []

  init(_ script: [String: [Reply]] = [:]) {
    network = ScriptedNetwork(script, clock: clock)
    outputs = MemoryOutputs(clock)
  }

  struct InvalidManifest: Error, CustomStringConvertible {
    var description: String
  }

  /// The server's address; the script of the network has no hosts.
  static let base = "http://data.example"

  /// The manifest's text, in which `BASE` is the server's address.
  static func manifest(_ text: String) throws -> Manifest {
    let parse = ManifestParser.parse(
      Array(text.utf8), context: ManifestContext(environment: { $0 == "BASE" ? base : nil }))
    guard let manifest = parse.manifest else {
      throw InvalidManifest(description: "\(parse.diagnostics.map(\.message))")
    }
    return manifest
  }

  /// Runs the manifest's targets, one after the other in its order; `interrupted` is asked in every turn.
  func run(
    _ manifest: Manifest, settings: RunSettings = RunSettings(), interrupted: () -> Bool = { false }
  ) throws -> [TargetResult] {
    events = []
    network.clearLog()
    let workspace = Workspace(
      manifest: manifest, graph: TargetGraph(manifest), rootPath: "memory", statePath: "memory")
    let driver = try Driver(
      settings: settings, manifest: manifest, clock: clock, network: network, readers: InlineJobs())
    let committer = Committer(
      store: records, root: outputs, bodies: outputs, mailbox: driver.mailbox, clock: clock,
      thread: InlineJobs())
    let context = RunContext(
      .run, workspace: workspace, settings: settings, driver: driver, root: outputs,
      records: RecordIndex(try records.load(only: nil)),
      state: RunState(committer: committer, bodies: outputs), report: { [self] in events.append($0) })
    let owner = Owner()
    for target in manifest.targets {
      let target = TargetDriver(
        context.question(on: target.id), began: clock.monotonic(), in: context, owner: owner)
      let ended = owner.results.count + 1
      target.begin()
      driver.run(
        until: {
          if !driver.isStopped, interrupted() { driver.mailbox.postStop() }
          _ = committer.expectCompany(false)
          return owner.results.count == ended
        }, onStop: { target.interrupt() })
    }
    let account = committer.finish()
    #expect(account.hasLostRecords == (records.fault != nil))
    driver.shutDown()
    return owner.results
  }

  /// The same for a manifest with one target.
  func result(
    _ manifest: Manifest, settings: RunSettings = RunSettings(), interrupted: () -> Bool = { false }
  ) throws -> TargetResult {
    let results = try run(manifest, settings: settings, interrupted: interrupted)
    return try #require(results.count == 1 ? results.first : nil)
  }

  func record(_ output: String) throws -> TargetRecord? {
    try records.load(only: nil).records.first { $0.output.text == output }
  }

  private final class Owner: TargetOwner {
    var results: [TargetResult] = []

    func targetCloses(_ id: TargetID) {}
    func targetEnded(_ driver: TargetDriver, _ result: TargetResult) { results.append(result) }
  }
}

/// Runs each job at once, on the thread that submits it.
struct InlineJobs: JobRunner {
  func submit(_ job: @escaping @Sendable () -> Void) { job() }
  func shutDown() {}
}
