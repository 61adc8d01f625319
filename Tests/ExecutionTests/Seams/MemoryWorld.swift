import ManifestParsing
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Everything that a run touches, in memory, with the program's own run between: the session with its scheduler, the
/// drivers and their machines, the exchanges, the committer and the record index.
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
    records.onApply = { [outputs] changes in
      let intended = changes.count { if case .intend = $0 { true } else { false } }
      let recorded = changes.count { if case .commit = $0 { true } else { false } }
      outputs.state.withLock { state in
        if recorded > 0 { state.steps.append(.recorded(recorded)) }
        if intended > 0 { state.steps.append(.intended(intended)) }
      }
    }
  }

  struct InvalidManifest: Error, CustomStringConvertible {
    var description: String
  }

  /// More than any run takes: one that would never end is stopped.
  private static let mostPolls = 100_000

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

  /// Runs all targets of the manifest; `interrupted` is asked in every poll.
  ///
  /// First downloads of small files take the fast path, unless the settings want their times.
  func run(
    _ manifest: Manifest, settings: RunSettings = RunSettings(), interrupted: @escaping () -> Bool = { false }
  ) throws -> [TargetResult] {
    events = []
    network.clearLog()
    let workspace = Workspace(
      manifest: manifest, graph: TargetGraph(manifest), at: RootPlace(root: "memory", state: "memory"))
    let driver = try Driver(
      settings: settings, manifest: manifest, clock: clock, network: network, readers: InlineJobs())
    let stop = StopSignal()
    var polls = 0
    // What tests interrupt by refers to this world.
    defer { network.onPoll = {} }
    network.onPoll = {
      polls += 1
      if polls == Self.mostPolls { Issue.record("the run does not end") }
      if polls == Self.mostPolls || interrupted() { stop.stop() }
    }
    let place = RunPlace(
      outputs: outputs, bodies: outputs, store: records, snapshot: try records.load(only: nil))
    let session = RunSession(in: place, workspace, settings, stop, driver: driver, committing: InlineJobs()) {
      [self] in events.append($0)
    }
    let (results, _) = session.perform(manifest.targets.map(\.id))
    session.close()
    return results
  }

  /// The same for a manifest with one target.
  func result(
    _ manifest: Manifest, settings: RunSettings = RunSettings(), interrupted: @escaping () -> Bool = { false }
  ) throws -> TargetResult {
    let results = try run(manifest, settings: settings, interrupted: interrupted)
    return try #require(results.count == 1 ? results.first : nil)
  }

  func record(_ output: String) throws -> TargetRecord? {
    try records.load(only: nil).records.first { $0.output.text == output }
  }
}

/// Runs each job at once, on the thread that submits it.
struct InlineJobs: JobRunner {
  func submit(_ job: @escaping @Sendable () -> Void) { job() }
  func shutDown() {}
}
