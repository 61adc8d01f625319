import Planning
import SyncModel
import Testing

/// Random graphs, random completions, and their invariants.
@Suite struct SchedulerSimulationTests {
  @Test(arguments: 0..<16) func `the invariants hold in every one of 250 random runs`(batch: Int) {
    for seed in 0..<250 {
      var simulation = Simulation(seed: UInt64(batch * 250 + seed))
      simulation.run()
      #expect(simulation.faults.isEmpty, "seed \(batch * 250 + seed): \(simulation.faults)")
    }
  }

  @Test func `the same events bring the same actions`() {
    for seed in 0..<200 {
      var first = Simulation(seed: UInt64(seed))
      var second = Simulation(seed: UInt64(seed))
      first.run()
      second.run()
      #expect(first.actions == second.actions)
      #expect(!first.actions.isEmpty)
    }
  }

  @Test func `the simulation meets every kind of end`() {
    var kinds: [String: Int] = [:]
    for seed in 0..<500 {
      var simulation = Simulation(seed: UInt64(seed))
      simulation.run()
      if simulation.wasInterrupted { kinds["interrupted", default: 0] += 1 }
      if !simulation.failed.isEmpty {
        kinds[simulation.keepsGoing ? "failed, -k" : "failed", default: 0] += 1
      }
      if simulation.failed.isEmpty, !simulation.wasInterrupted { kinds["ok", default: 0] += 1 }
      if simulation.failed.contains(where: { simulation.optional.contains($0) }) {
        kinds["optional", default: 0] += 1
      }
    }
    for kind in ["interrupted", "failed, -k", "failed", "ok", "optional"] {
      #expect(kinds[kind, default: 0] > 20, "\(kind)")
    }
  }
}

/// One run of a scheduler on a graph, both from one seed; the invariants are checked at each action.
private struct Simulation {
  let graph: TargetGraph
  let selection: [TargetID]
  let place: [TargetID: Int]
  let jobs: Int
  let mostClosing: Int
  let keepsGoing: Bool
  let optional: Set<TargetID>
  /// The host of each target, and how many targets of one host may run at once; some runs have no limit.
  let hosts: [Int]
  let laneLimit: Int?
  let failureRate: Double
  let interruptRate: Double
  var random: SplitMix
  var scheduler: Scheduler
  var running: [TargetID] = []
  var closing: [TargetID] = []
  var succeeded: Set<TargetID> = []
  var failed: Set<TargetID> = []
  var skipped: [TargetID: SkipReason] = [:]
  var begun: Set<TargetID> = []
  var wasInterrupted = false
  var actions: [Scheduler.Action] = []
  var faults: [String] = []

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let count = Int.random(in: 1...40, using: &random)
    let density = Double.random(in: 0...0.3, using: &random)
    // Dependencies point to earlier places of a random permutation, so that manifest order is not a valid order.
    let rank = Array(0..<count).shuffled(using: &random)
    let hosts = (0..<count).map { _ in Int.random(in: 0..<4, using: &random) }
    self.hosts = hosts
    let targets = (0..<count).map { index in
      var target = Target(
        id: TargetID(index), name: TargetName("t\(index)"),
        source: .urls([.web("https://h\(hosts[index])/")]), output: path("t\(index)"))
      for other in 0..<count
      where rank[other] < rank[index] && Double.random(in: 0..<1, using: &random) < density {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: target.after.append(TargetID(other))
        case 1: target.steps.append(.verifyDigest(.md5, .entry(TargetID(other), name: "x")))
        case 2:
          target.needs.append(TargetID(other))
          target.after.append(TargetID(other))
        default: target.needs.append(TargetID(other))
        }
      }
      return target
    }
    let connections = Int.random(in: 1...4, using: &random)
    let hasLanes = Bool.random(using: &random)
    laneLimit = hasLanes ? connections + 1 : nil
    let manifest = Manifest(
      fileName: "m", targets: targets, hosts: HostLimits(connections: [:], otherwise: connections))
    graph = TargetGraph(manifest)
    let asked = targets.filter { _ in Bool.random(using: &random) }.map(\.name.text)
    selection = (try? Selection.resolve(names: asked, manifest: manifest, graph: graph)) ?? []
    place = Dictionary(uniqueKeysWithValues: graph.order.enumerated().map { ($1, $0) })
    jobs = Int.random(in: 1...8, using: &random)
    let closingAllowed = Int.random(in: 0...4, using: &random)
    // With one job, targets run one after another, even if some may wait.
    mostClosing = jobs > 1 ? closingAllowed : 0
    keepsGoing = Bool.random(using: &random)
    let isSome = Bool.random(using: &random)
    optional = Set(targets.map(\.id).filter { _ in isSome && Int.random(in: 0..<3, using: &random) == 0 })
    failureRate = [0, 0.05, 0.3].randomElement(using: &random) ?? 0
    interruptRate = [0, 0, 0.05].randomElement(using: &random) ?? 0
    scheduler = Scheduler(
      graph: graph, selection: selection, jobs: jobs, mostClosing: closingAllowed, keepsGoing: keepsGoing,
      optional: optional.sorted(), lanes: hasLanes ? HostLanes(manifest) : nil)
    self.random = random
  }

  mutating func run() {
    perform(scheduler.start())
    // Each round finishes a target, lets one wait for the disk, or is one of a few interruptions.
    for _ in 0..<1_000 where !running.isEmpty || !closing.isEmpty {
      if Double.random(in: 0..<1, using: &random) < interruptRate {
        wasInterrupted = true
        perform(scheduler.handle(.interrupted))
        continue
      }
      let place = Int.random(in: 0..<running.count + closing.count, using: &random)
      if place < running.count, Bool.random(using: &random) {
        let id = running.remove(at: place)
        closing.append(id)
        perform(scheduler.handle(.closing(id)))
        continue
      }
      let id = place < running.count ? running.remove(at: place) : closing.remove(at: place - running.count)
      let fails = Double.random(in: 0..<1, using: &random) < failureRate
      if fails { failed.insert(id) } else { succeeded.insert(id) }
      perform(scheduler.handle(.finished(id, fails ? .failed : .succeeded)))
    }
    checkEnd()
  }

  private mutating func perform(_ batch: [Scheduler.Action]) {
    var places: (skips: [Int], begins: [Int]) = ([], [])
    for action in batch {
      actions.append(action)
      switch action {
      case .begin(let id):
        begin(id)
        places.begins.append(place[id] ?? -1)
      case .skip(let id, let reason):
        skip(id, reason)
        places.skips.append(place[id] ?? -1)
      }
    }
    if places.skips != places.skips.sorted() { faults.append("not in graph order") }
    if places.begins != places.begins.sorted(by: { turn($0) < turn($1) }) {
      faults.append("not the longest chains first")
    }
    if running.count > jobs { faults.append("\(running.count) running with \(jobs) jobs") }
    if !batch.isEmpty, batch.contains(where: { if case .begin = $0 { true } else { false } }),
      running.count + closing.count > jobs + mostClosing
    {
      faults.append("\(closing.count) wait for the disk, and more begin")
    }
    let hasRoom = running.count < jobs && running.count + closing.count < jobs + mostClosing
    if !isStopped, hasRoom, let idle = selection.first(where: { isReady($0) && hasLaneRoom($0) }) {
      faults.append("\(idle) could begin")
    }
  }

  /// With several jobs the longest chain of dependents has priority over the graph's order.
  private func turn(_ place: Int) -> (Int, Int) {
    (jobs > 1 ? -chain(behind: graph.order[place]) : 0, place)
  }

  private func chain(behind id: TargetID) -> Int {
    graph.dependents(of: id).filter(selection.contains).map { chain(behind: $0) + 1 }.max() ?? 0
  }

  private func hasLaneRoom(_ id: TargetID) -> Bool {
    laneLimit.map { running.count { hosts[$0.index] == hosts[id.index] } < $0 } ?? true
  }

  private mutating func begin(_ id: TargetID) {
    if !hasLaneRoom(id) { faults.append("\(id) begins beside too many of its host") }
    if !begun.insert(id).inserted || skipped[id] != nil { faults.append("\(id) begins twice") }
    if isStopped { faults.append("\(id) begins after the stop") }
    if !dependencies(of: id).allSatisfy(succeeded.contains) {
      faults.append("\(id) begins before its dependencies")
    }
    running.append(id)
  }

  private mutating func skip(_ id: TargetID, _ reason: SkipReason) {
    if begun.contains(id) || skipped.updateValue(reason, forKey: id) != nil {
      faults.append("\(id) skipped twice")
    }
    switch reason {
    case .dependency(let name):
      let isBlamed = dependencies(of: id).contains { other in
        guard graph.name(of: other) == name else { return false }
        if case .dependency? = skipped[other] { return true }
        return failed.contains(other)
      }
      if !isBlamed { faults.append("\(id) blames \(name)") }
    case .runStopped:
      if !isStopped { faults.append("\(id) skipped by a run that goes on") }
      if dependencies(of: id).contains(where: failed.contains), !wasInterrupted {
        faults.append("\(id) blames nobody")
      }
    default: faults.append("\(id) skipped for \(reason)")
    }
  }

  private mutating func checkEnd() {
    if !scheduler.isDone { faults.append("not done") }
    if begun.union(skipped.keys) != Set(selection) { faults.append("not everything begun or skipped") }
    if !isStopped {
      for id in selection {
        let isBelow = dependencies(of: id).contains { failed.contains($0) || skipped[$0] != nil }
        if isBelow != (skipped[id] != nil) { faults.append("\(id) skipped without need, or not skipped") }
      }
    }
  }

  /// Whether the policy says that nothing begins any more.
  private var isStopped: Bool { wasInterrupted || !keepsGoing && !failed.subtracting(optional).isEmpty }

  private func isReady(_ id: TargetID) -> Bool {
    !begun.contains(id) && skipped[id] == nil && dependencies(of: id).allSatisfy(succeeded.contains)
  }

  private func dependencies(of id: TargetID) -> [TargetID] { graph.dependencies(of: id).map(\.from) }
}
