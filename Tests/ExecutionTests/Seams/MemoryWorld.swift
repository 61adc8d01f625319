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
  /// How many targets began on the fast path.
  private(set) var plainFetches = 0

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

  /// More than any target takes: a run that would never end is given up.
  private static let mostTurns = 100_000

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

  /// Runs the manifest's targets, one after the other in its order.
  ///
  /// - plainly: whether first downloads of small files take the fast path.
  /// - interrupted: asked in every turn.
  func run(
    _ manifest: Manifest, settings: RunSettings = RunSettings(), plainly: Bool = false,
    interrupted: () -> Bool = { false }
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
    let way = plainly ? plainWay(context, owner) : nil
    for target in manifest.targets {
      let ended = owner.results.count + 1
      let plain = way?.begin(target.id, at: clock.monotonic())
      if plain != nil { plainFetches += 1 }
      let target: any ActiveTarget = plain ?? begin(target.id, context, owner)
      var turns = 0
      driver.run(
        until: {
          if !driver.isStopped, interrupted() { driver.mailbox.postStop() }
          _ = committer.expectCompany(false)
          turns += 1
          if turns == Self.mostTurns { Issue.record("the target does not end") }
          return owner.results.count == ended || turns == Self.mostTurns
        },
        onStop: {
          target.interrupt()
          owner.heirs.last?.interrupt()
        })
    }
    let account = committer.finish()
    #expect(account.hasLostRecords == (records.fault != nil))
    driver.shutDown()
    return owner.results
  }

  private func begin(_ id: TargetID, _ context: RunContext, _ owner: Owner) -> TargetDriver {
    let target = TargetDriver(context.question(on: id), began: clock.monotonic(), in: context, owner: owner)
    target.begin()
    return target
  }

  /// As a run has it.
  private func plainWay(_ context: RunContext, _ owner: Owner) -> PlainWay? {
    PlainWay(
      context, closing: { _ in }, done: { owner.results.append($0) },
      handOver: { id, adopted in
        var question = context.question(on: id)
        question.output = .missing
        let target = TargetDriver(question, began: adopted.began, in: context, owner: owner)
        owner.heirs.append(target)
        target.begin(with: adopted)
        return target.exchange
      })
  }

  /// The same for a manifest with one target.
  func result(
    _ manifest: Manifest, settings: RunSettings = RunSettings(), plainly: Bool = false,
    interrupted: () -> Bool = { false }
  ) throws -> TargetResult {
    let results = try run(manifest, settings: settings, plainly: plainly, interrupted: interrupted)
    return try #require(results.count == 1 ? results.first : nil)
  }

  func record(_ output: String) throws -> TargetRecord? {
    try records.load(only: nil).records.first { $0.output.text == output }
  }

  private final class Owner: TargetOwner {
    var results: [TargetResult] = []
    /// The targets that the fast path could not finish.
    var heirs: [TargetDriver] = []

    func targetCloses(_ id: TargetID) {}
    func targetEnded(_ driver: TargetDriver, _ result: TargetResult) { results.append(result) }
  }
}

/// Runs each job at once, on the thread that submits it.
struct InlineJobs: JobRunner {
  func submit(_ job: @escaping @Sendable () -> Void) { job() }
  func shutDown() {}
}
