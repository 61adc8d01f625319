import Foundation
import Platform
import StateStore
import SyncModel
import SyncTestSupport

@testable import Execution

/// One random sequence, played both in the model and by the program, which must agree after every command.
struct ModelSequence {
  private let bench: Workbench
  private let contents: ModelContents
  private var random: SeededGenerator
  private var world: ModelWorld
  private var serial = 10
  private var saved: ModelSave?
  /// New outputs that only an intention names. They are recognised by their inode, which an edit in place keeps.
  private var unadopted: Set<Int> = []
  /// Contents that an intention or the record beside it names: any file with these bytes counts as unedited.
  private var intended: [Int: Set<Int>] = [:]
  /// The actions so far, for a message.
  private(set) var trace: [String] = []

  private let number: Int
  private var runs = 0

  init(number: Int, server: LoopbackServer, contents: ModelContents) throws {
    self.number = number
    random = SeededGenerator(seed: Torture.seed, case: number)
    bench = try Workbench(server: server)
    self.contents = contents
    world = ModelWorld.random(&random)
    trace.append(manifest.split(separator: "\n").dropFirst(3).joined(separator: "\n"))
  }

  private var manifest: String { ModelManifest(world: world, contents: contents).text }

  // MARK: Playing

  /// Plays the sequence; returns the first disagreement, or `nil`.
  mutating func play(commands: Int) throws -> String? {
    for _ in 0..<commands {
      for _ in 0..<random.below(4) { try change() }
      if let disagreement = try command() {
        return "\(disagreement)\n\(trace.joined(separator: "\n"))"
      }
    }
    return nil
  }

  private mutating func command() throws -> String? {
    let options = pickOptions()
    serve()
    bench.server.clearLog()
    switch random.below(10) {
    case 0, 1: return try plan(options)
    case 2 where random.oneIn(2): return try touch()
    case 3 where random.oneIn(2): return try stoppedRun()
    case 4, 5: return try killedRun(options)
    default: return try run(options)
    }
  }

  private mutating func pickOptions() -> ModelOptions {
    var options = ModelOptions()
    if random.oneIn(12) { options.forcesAll = true }
    if random.oneIn(8) { options.overwrites = true }
    if random.oneIn(12) { options.isOffline = true }
    let id = random.below(world.targets.count)
    if random.oneIn(8) { options.assumedNew = [id] }
    // The model leaves open whether an edited file's content matters to its dependents with `-o`.
    let isEdited = world.records[id].map { $0.content != world.files[id]?.content } ?? true
    if random.oneIn(8), !isEdited, options.assumedNew.isEmpty { options.assumedOld = [id] }
    return options
  }

  /// Requests of this run only: a request of a killed run may arrive after the next run has begun.
  private var agent: String { "model/\(number).\(runs)" }

  private func settings(_ options: ModelOptions) -> RunSettings {
    Workbench.settings {
      $0.overrides.forcesAll = options.forcesAll
      $0.overrides.overwritesEdits = options.overwrites
      $0.questions.isOffline = options.isOffline
      $0.overrides.assumedOld = Set(options.assumedOld.map { TargetID($0) })
      $0.overrides.assumedNew = Set(options.assumedNew.map { TargetID($0) })
      $0.network.userAgent = agent
    }
  }

  private func model(_ options: ModelOptions) -> ModelRun {
    ModelRun(world, options) { [contents] in contents.bytes($0, packed: $1).count }
  }

  private mutating func run(_ options: ModelOptions) throws -> String? {
    trace.append("run \(options)")
    var model = model(options)
    let expected = model.run()
    world = model.world
    runs += 1
    let looks = looks()
    let outcome = try bench.run(bench.workspace(manifest), settings(options))
    for (id, result) in outcome.results.enumerated() {
      if let difference = ModelComparison.difference(expected[id], result) {
        return "\(result.name.text): \(difference)"
      }
      if isRecorded(result) {
        unadopted.remove(id)
        intended[id] = nil
      }
      // Under `mtime` a source that confirms its version gives a touched output its time again.
      let mayBeTimed = result.outcome == .fresh && world.targets[id].rule.innermost == .mtime
      if result.outcome != .updated, !mayBeTimed, look(id) != looks[id] {
        return "\(result.name.text): \(result.outcome), and its file was touched"
      }
      if result.isUnchanged, world.targets[id].rule.innermost != .mtime || world.targets[id].from != nil,
        look(id) != looks[id]
      {
        return "\(result.name.text): unchanged, and its file was touched"
      }
    }
    let counted = outcome.results.reduce(0) { $0 + $1.totals.requests }
    // A sidecar that is on its way when its target fails was requested, but is not counted.
    let uncounted = outcome.results.count {
      $0.outcome == .failed && world.targets[$0.id.index].rule == .sidecar
    }
    // Requests that libcurl repeats itself because a kept connection was closing are not counted, either.
    let endsConnections = world.served.values.contains { if case .cut = $0.manner { true } else { false } }
    let repeated = endsConnections ? counted : 0
    let came = bench.server.requests.count { $0.header("User-Agent") == agent }
    if !(counted...counted + uncounted + repeated).contains(came) {
      return "\(counted) requests were reported, \(came) came"
    }
    return filesDiffer() ?? signatureShown(in: outcome)
  }

  /// Signatures of redirects appear neither in the state nor in a result.
  private func signatureShown(in outcome: RunOutcome) -> String? {
    if "\(outcome.results)".contains(ModelServer.signatureMark) {
      return "a result tells a signature: \(outcome.results)"
    }
    return bench.stateFiles(containing: ModelServer.signatureMark).first.map { "\($0) holds a signature" }
  }

  /// Whether the run's results were recorded, so that its intentions have ended.
  private func isRecorded(_ result: TargetResult) -> Bool {
    let isKept = result.reason == .fresh(.assumedFresh) || result.reason == .fresh(.keptModified)
    return !isKept && (result.outcome == .updated || result.outcome == .fresh)
  }

  private mutating func plan(_ options: ModelOptions) throws -> String? {
    trace.append("plan \(options)")
    let expected = model(options).plan()
    let looks = looks()
    let hadState = bench.folder.exists(".syncmake")
    let plan = try bench.plan(bench.workspace(manifest), settings(options))
    for (id, planned) in plan.targets.enumerated() {
      if let difference = ModelComparison.difference(expected[id], planned) {
        return "\(planned.name.text): \(difference)"
      }
    }
    if self.looks() != looks || bench.folder.exists(".syncmake") != hadState {
      return "the plan wrote something"
    }
    return filesDiffer()
  }

  private mutating func touch() throws -> String? {
    trace.append("touch")
    var model = model(ModelOptions())
    model.touch()
    world = model.world
    for id in world.targets.indices where world.files[id] != nil {
      unadopted.remove(id)
      intended[id] = nil
    }
    let workspace = try bench.workspace(manifest)
    _ = try Toucher.touch(
      workspace.manifest.targets.map(\.id), in: workspace, settings: settings(ModelOptions()),
      stop: StopSignal(), report: { _ in })
    return filesDiffer()
  }

  private func filesDiffer() -> String? {
    for (id, target) in world.targets.enumerated() {
      let bytes = bench.folder.read(target.name)
      if bytes.map({ contents.number($0) ?? -1 }) != world.files[id]?.content {
        return "\(target.name): the file holds \(bytes.map { contents.number($0) ?? -1 } ?? -2), not "
          + "\(world.files[id]?.content ?? -2)"
      }
    }
    return nil
  }

  /// Inode and time of each output.
  private func looks() -> [String] { world.targets.indices.map { look($0) } }

  private func look(_ id: Int) -> String {
    var status = stat()
    guard lstat(bench.folder.path(world.targets[id].name), &status) == 0 else { return "none" }
    #if canImport(Darwin)
      return "\(status.st_ino) \(status.st_mtimespec.tv_sec) \(status.st_mtimespec.tv_nsec)"
    #else
      return "\(status.st_ino) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    #endif
  }

  // MARK: Runs that end early

  /// The run is stopped at the request of one target; earlier work is kept.
  private mutating func stoppedRun() throws -> String? {
    let options = ModelOptions()
    var whole = model(options)
    let expected = whole.run()
    let candidates = world.targets.indices.filter {
      expected[$0].requests.lowerBound > 0 && world.targets[$0].rule.innermost != .sidecar
    }
    guard !candidates.isEmpty else { return try run(options) }
    let halted = random.pick(candidates)
    trace.append("run, stopped at the request of t\(halted)")
    let stop = StopSignal()
    let gate = "gate \(serial) \(random.next())"
    bench.server.on(
      world.targets[halted].path,
      Reply(
        .computed { _ in
          stop.stop()
          return Reply.text("").held(until: gate)
        }))
    var settings = settings(options)
    settings.resources.jobs = 1
    let looks = looks()
    let outcome = try bench.run(bench.workspace(manifest), settings, stop: stop)
    bench.server.release(gate)
    for id in world.targets.indices {
      if id < halted {
        world.files[id] = whole.world.files[id]
        world.records[id] = whole.world.records[id]
        world.partials[id] = whole.world.partials[id]
        if isRecorded(outcome.results[id]) {
          unadopted.remove(id)
          intended[id] = nil
        }
      } else if look(id) != looks[id] {
        return "t\(id): not reached, and its file was touched"
      }
      // A target after the halted one may have been decided without a request.
      let ended = outcome.results[id]
      if id == halted, ended.outcome == .updated || ended.outcome == .fresh {
        return "t\(id): halted, and ended"
      }
    }
    if outcome.status != .interrupted { return "a stopped run says \(outcome.status)" }
    return filesDiffer()
  }

  /// A run, and then the state that a kill during its commits would have left: the state from before, and for each
  /// new output the intention, with or without the rename.
  private mutating func killedRun(_ options: ModelOptions) throws -> String? {
    let before = world
    let save = try save()
    let (unadoptedBefore, intendedBefore) = (unadopted, intended)
    let pendingBefore = try bench.snapshot().pending
    if let difference = try run(options) { return difference }
    let after = try bench.snapshot()
    trace.append("which was killed:")
    var intentions: [StateChange] = []
    let grown = world
    world.records = before.records
    (unadopted, intended) = (unadoptedBefore, intendedBefore)
    for id in world.targets.indices where grown.files[id]?.content != before.files[id]?.content {
      let target = world.targets[id]
      guard let record = after.records.first(where: { $0.name.text == target.name }) else { continue }
      // The result of an earlier intention is recorded before the next one replaces it.
      let adopted = pendingBefore.first {
        $0.name.text == target.name
          && $0.content.sha256?.text == before.files[id].map { contents.digests[$0.content] }
      }
      if let adopted { intentions.append(.commit(adopted)) }
      intentions.append(.intend(record))
      if random.oneIn(2) {
        trace.append("  after t\(id) was renamed")
        if before.records[id] == nil { unadopted.insert(id) }
        world.records[id] = grown.records[id]
        // The earlier record still exists beside the intention, and its bytes also count as unedited.
        intended[id] = Set([before.records[id], grown.records[id]].compactMap { $0?.content })
      } else {
        trace.append("  before t\(id) was renamed")
        let staged = bench.folder.path(".syncmake/staging/file-killed\(serial)t\(id)")
        rename(bench.folder.path(target.name), staged)
        // Its inode stays in use: the intention names it, and an edited file with this inode would count as
        // unedited.
        link(staged, bench.folder.path(".killed\(runs)t\(id)"))
        // An intention replaces an earlier one and the facts that only the earlier one had.
        if unadopted.remove(id) != nil, adopted == nil { world.records[id] = nil }
        try put(id, before.files[id]?.content)
        intended[id] = Set([grown.files[id]?.content].compactMap { $0 })
      }
    }
    for id in world.targets.indices where world.partials[id] != before.partials[id] {
      world.partials[id] = .unknown
    }
    try save.writeState(to: bench)
    if !intentions.isEmpty {
      try StateStore.open(folder: bench.statePath, access: .readWrite).apply(intentions)
    }
    return filesDiffer()
  }

  private func save() throws -> ModelSave {
    ModelSave(world: world, state: ModelSave.names.map { bench.folder.read(".syncmake/\($0)") })
  }

  /// Rewrites or removes an output.
  private mutating func put(_ id: Int, _ content: Int?) throws {
    let name = world.targets[id].name
    guard let content else {
      try? FileManager.default.removeItem(atPath: bench.folder.path(name))
      world.files[id] = nil
      if unadopted.remove(id) != nil { world.records[id] = nil }
      return
    }
    if unadopted.contains(id) {
      try bench.folder.write(contents.plain[content], to: name)
      world.files[id] = ModelFile(content: content, time: .recent)
      return
    }
    // The inode differs from the earlier one: after a kill the program recognises an output by it.
    try bench.folder.write(contents.plain[content], to: ".anew")
    rename(bench.folder.path(".anew"), bench.folder.path(name))
    world.files[id] = ModelFile(content: content, time: .recent)
  }

  // MARK: Changes between commands

  private mutating func change() throws {
    let id = random.below(world.targets.count)
    let target = world.targets[id]
    switch random.below(16) {
    case 0, 1, 2, 3: changeVersion(target)
    case 4, 5: changeManner(target)
    case 6, 7:
      let content = random.below(contents.plain.count)
      guard intended[id]?.contains(content) != true else { return }
      trace.append("edit t\(id): \(content)")
      try put(id, content)
    case 8:
      trace.append("remove t\(id)")
      try put(id, nil)
    case 9: touchFile(id)
    case 10 where target.from == nil:
      world.targets[id].variant = 1 - target.variant
      if world.partials[id] != .none { world.partials[id] = .unknown }
      trace.append("t\(id) has another URL")
    case 11 where target.rule == .digest:
      world.targets[id].expected =
        random.oneIn(4)
        ? random.below(ModelContents.served) : world.served[target.path]?.content ?? target.expected
      trace.append("t\(id) wants digest \(world.targets[id].expected)")
    case 12: try loseState()
    case 13: try shiftClock()
    case 14:
      guard unadopted.isEmpty, try bench.snapshot().pending.isEmpty else { return }
      trace.append("save")
      saved = try save()
    default: try restore()
    }
  }

  private mutating func changeVersion(_ target: ModelTarget) {
    guard target.from == nil, var version = world.served[target.path] else { return }
    serial += 1
    version.content = random.below(ModelContents.served)
    version.serial = serial
    version.sidecar = random.oneIn(6) ? random.below(ModelContents.served) : version.content
    version.announced = ModelWorld.announced(of: version.content, &random)
    world.served[target.path] = version
    trace.append("serve \(target.path): \(version)")
  }

  private mutating func changeManner(_ target: ModelTarget) {
    guard target.from == nil, var version = world.served[target.path] else { return }
    let size = contents.bytes(version.content, packed: target.unpacks).count
    version.manner = random.pick([
      .honest, .honest, .ignoresConditions, .status(404), .status(503), .status(204), .alwaysNotModified,
      .cut(random.below(size)), .cut(size / 2),
    ])
    world.served[target.path] = version
    trace.append("serve \(target.path): \(version)")
  }

  private mutating func touchFile(_ id: Int) {
    guard world.files[id] != nil else { return }
    let isAncient = random.oneIn(2)
    trace.append("touch t\(id), \(isAncient ? "ancient" : "recent")")
    var times = [timeval(), timeval()]
    for place in times.indices { times[place].tv_sec = isAncient ? 1_000_000_000 : 1_700_000_000 }
    utimes(bench.folder.path(world.targets[id].name), times)
    world.files[id]?.time = isAncient ? .ancient : .recent
  }

  private mutating func loseState() throws {
    world.records = world.records.map { _ in nil }
    unadopted = []
    intended = [:]
    if random.oneIn(2) {
      trace.append("lose the state folder")
      try? FileManager.default.removeItem(atPath: bench.statePath)
      world.partials = world.partials.map { _ in .none }
    } else {
      trace.append("lose the state")
      try? FileManager.default.removeItem(atPath: bench.folder.path(".syncmake/state.db"))
      world.partials = world.partials.map { $0 == .none ? .none : .unknown }
    }
  }

  /// The clock goes forward or back: for the program, earlier checks were long ago or are in the future.
  private mutating func shiftClock() throws {
    let age = random.pick([ModelRecord.Age.old, .future, .young])
    trace.append("the checks are \(age)")
    for id in world.records.indices { world.records[id]?.age = age }
    let now = SystemClock.now()
    let shift: Int64 = age == .old ? -7200 : age == .future ? 7200 : -1
    func shifted(_ record: TargetRecord) -> TargetRecord {
      var record = record
      record.checkedAt = Timestamp(nanoseconds: now.nanoseconds + shift * 1_000_000_000)
      return record
    }
    let snapshot = try bench.snapshot()
    // A commit ends the intention for its output, so intentions come last.
    let changes =
      snapshot.records.map { StateChange.commit(shifted($0)) }
      + snapshot.pending.map { StateChange.intend(shifted($0)) }
    guard !changes.isEmpty else { return }
    try StateStore.open(folder: bench.statePath, access: .readWrite).apply(changes)
  }

  /// A cache is restored: the outputs and the state of an earlier moment, as copies.
  private mutating func restore() throws {
    guard let saved else { return }
    trace.append("restore")
    unadopted = []
    intended = [:]
    for id in world.targets.indices { try put(id, saved.world.files[id]?.content) }
    world.records = saved.world.records
    world.partials = world.partials.map { $0 == .none ? .none : .unknown }
    try saved.writeState(to: bench)
  }

  // MARK: The server

  private mutating func serve() {
    // The result must not depend on unknown facts: how many tries an interruption needs, and whether a wrong digest
    // comes with a whole reply, or not at all with a part.
    for (id, target) in world.targets.enumerated() where world.partials[id] == .unknown {
      guard let version = world.served[target.path] else { continue }
      if case .cut = version.manner { world.served[target.path]?.manner = .honest }
      if version.announced != version.content { world.served[target.path]?.announced = nil }
    }
    var script: [String: [Reply]] = [:]
    for target in world.targets where target.from == nil {
      guard let version = world.served[target.path] else { continue }
      if target.isSigned { script[target.path] = [ModelServer.redirect(to: target.storePath)] }
      script[target.storePath] = [
        ModelServer.reply(
          version, contents.bytes(version.content, packed: target.unpacks),
          digest: version.sentDigest.map { contents.digest($0, packed: target.unpacks) })
      ]
      script["\(target.path).sha256"] = [ModelServer.sidecar(contents.digests[version.sidecar])]
    }
    bench.server.setScript(script)
  }
}

/// The content of a cache: the state file, and in the model the corresponding facts and outputs.
private struct ModelSave {
  var world: ModelWorld
  /// The files of the state, which belong together.
  static let names = ["state.db", "changes"]
  /// The content of each; `nil` if there was no such file.
  var state: [[UInt8]?]

  func writeState(to bench: Workbench) throws {
    for (name, bytes) in zip(Self.names, state) {
      let path = ".syncmake/\(name)"
      try? FileManager.default.removeItem(atPath: bench.folder.path(path))
      if let bytes { try bench.folder.write(bytes, to: path) }
    }
  }
}
