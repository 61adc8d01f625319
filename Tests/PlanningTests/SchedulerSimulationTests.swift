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
      kinds["published", default: 0] += simulation.published.count
      kinds["unpublished", default: 0] += simulation.unpublished.count
      kinds["dropped", default: 0] += simulation.dropped.count
    }
    for kind in [
      "interrupted", "failed, -k", "failed", "ok", "optional", "published", "unpublished", "dropped",
    ] {
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
  /// Optional targets that failed, and those that were skipped for that.
  var passedOver: Set<TargetID> = []
  var begun: Set<TargetID> = []
  /// Units that are being published, were, could not be, and were dropped.
  var publishing: [Int] = []
  var published: Set<Int> = []
  var unpublished: [Int: TargetID] = [:]
  var dropped: Set<Int> = []
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
    var manifest = Manifest(
      fileName: "m", targets: targets, hosts: HostLimits(connections: [:], otherwise: connections))
    if Bool.random(using: &random) {
      manifest.groups = Self.units(of: targets, rank: rank, &random)
    }
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

  /// Up to three units, none of which waits for itself: those of targets with adjacent ranks never do, and others are
  /// taken if they do not.
  private static func units(
    of targets: [Target], rank: [Int], _ random: inout SplitMix
  ) -> [TargetGroup] {
    var groups: [TargetGroup] = []
    for number in 0..<Int.random(in: 1...3, using: &random) {
      let taken = Set(groups.flatMap(\.members))
      let ranks = Int.random(in: 0..<targets.count, using: &random)
      let span = ranks..<min(targets.count, ranks + Int.random(in: 2...8, using: &random))
      let isSpan = Bool.random(using: &random)
      let members = targets.map(\.id).filter { id in
        let isChosen = isSpan ? span.contains(rank[id.index]) : Int.random(in: 0..<5, using: &random) == 0
        return isChosen && !taken.contains(id)
      }
      let group = TargetGroup(
        name: TargetName("u\(number)"), members: members, isTogether: true, span: .unknown)
      if canRun(targets, groups + [group]) { groups.append(group) }
    }
    return groups
  }

  /// Whether no target and no unit waits for itself.
  private static func canRun(_ targets: [Target], _ groups: [TargetGroup]) -> Bool {
    let units = PublishedTogether(groups, targets: targets.count)
    let graph = TargetGraph(Manifest(fileName: "m", targets: targets))
    // Units are nodes after the targets; the value tells whether the visit has ended.
    var visits: [Int: Bool] = [:]
    func isAcyclic(_ node: Int) -> Bool {
      if let hasEnded = visits[node] { return hasEnded }
      visits[node] = false
      let next =
        node >= targets.count
        ? units.members(of: node - targets.count).map(\.index)
        : graph.dependencies(of: TargetID(node)).map { edge in
          units.unit(of: edge.from, neededBy: edge.to).map { targets.count + $0 } ?? edge.from.index
        }
      guard next.allSatisfy(isAcyclic) else { return false }
      visits[node] = true
      return true
    }
    return (0..<targets.count + units.count).allSatisfy(isAcyclic)
  }

  mutating func run() {
    perform(scheduler.start())
    // Each round finishes a target, lets one wait for the disk, or is one of a few interruptions.
    for _ in 0..<1_000 where !running.isEmpty || !closing.isEmpty || !publishing.isEmpty {
      if Double.random(in: 0..<1, using: &random) < interruptRate {
        wasInterrupted = true
        perform(scheduler.handle(.interrupted))
        continue
      }
      if let unit = publishing.first, Bool.random(using: &random) || running.isEmpty && closing.isEmpty {
        publishing.removeFirst()
        var culprit: TargetID?
        if failureRate > 0, Bool.random(using: &random) {
          culprit = members(of: unit).randomElement(using: &random)
        }
        if let culprit { unpublished[unit] = culprit } else { published.insert(unit) }
        perform(scheduler.handle(.published(unit: unit, failed: culprit)))
        continue
      }
      guard !running.isEmpty || !closing.isEmpty else { continue }
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
      let batch = scheduler.handle(.finished(id, fails ? .failed : .succeeded))
      if fails, optional.contains(id) {
        passedOver.insert(id)
        for case .skip(let below, _) in batch { passedOver.insert(below) }
      }
      perform(batch)
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
        if begun.contains(id) || skipped.updateValue(reason, forKey: id) != nil {
          faults.append("\(id) skipped twice")
        }
        places.skips.append(place[id] ?? -1)
      case .publish(let unit):
        publishing.append(unit)
        end(unit)
        if !members(of: unit).allSatisfy(succeeded.contains) { faults.append("\(unit) is not ready") }
      case .drop(let unit, let reason):
        end(unit)
        if !dropped.insert(unit).inserted { faults.append("\(unit) dropped twice") }
        if members(of: unit).allSatisfy(succeeded.contains) { faults.append("\(unit) dropped without need") }
        checkDrop(unit, reason)
      }
    }
    // What is to blame may be skipped later in the batch.
    for case .skip(let id, let reason) in batch { check(id, reason) }
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
    if !hasItsDependencies(id) { faults.append("\(id) begins before its dependencies") }
    running.append(id)
  }

  /// Whether a target was skipped for a reason that exists.
  private mutating func check(_ id: TargetID, _ reason: SkipReason) {
    switch reason {
    case .dependency(let name):
      let isDirect = dependencies(of: id).contains { other in
        guard graph.name(of: other) == name else { return false }
        if case .dependency? = skipped[other] { return true }
        if case .dependencyTogether? = skipped[other] { return true }
        if case .together? = skipped[other] { return true }
        return failed.contains(other) && !isWithout(other, id)
      }
      if !isDirect, !needs(name, id) || !isBlamed(name, in: unitsAbove(id)) {
        faults.append("\(id) blames \(name)")
      }
    case .dependencyTogether(let name, let other):
      if !needs(name, id) || !isBlamed(other, in: unitsAbove(id)) {
        faults.append("\(id) blames \(name) with \(other)")
      }
    case .together(let name):
      if !isBlamed(name, in: [graph.units.unit(of: id)].compactMap(\.self)) {
        faults.append("\(id) blames \(name)")
      }
    case .runStopped:
      if !isStopped { faults.append("\(id) skipped by a run that goes on") }
      if dependencies(of: id).contains(where: { failed.contains($0) && !isWithout($0, id) }), !wasInterrupted
      {
        faults.append("\(id) blames nobody")
      }
    default: faults.append("\(id) skipped for \(reason)")
    }
  }

  private func needs(_ name: TargetName, _ id: TargetID) -> Bool {
    dependencies(of: id).contains { graph.name(of: $0) == name }
  }

  private mutating func checkEnd() {
    if !scheduler.isDone { faults.append("not done") }
    if begun.union(skipped.keys) != Set(selection) { faults.append("not everything begun or skipped") }
    if !isStopped {
      for id in selection {
        let isBelow =
          dependencies(of: id).contains { (failed.contains($0) || skipped[$0] != nil) && !isWithout($0, id) }
          || dependencies(of: id).compactMap { graph.units.unit(of: $0, neededBy: id) }.contains(
            where: isBroken)
        if isBelow != (skipped[id] != nil) {
          faults.append("\(id) skipped without need, or not skipped")
        }
      }
    }
    let ended = published.union(unpublished.keys).union(dropped)
    let units = Set(selection.compactMap { graph.units.unit(of: $0) })
    if ended != units || !publishing.isEmpty { faults.append("units without an end") }
  }

  // MARK: Units

  private func members(of unit: Int) -> [TargetID] {
    graph.units.members(of: unit).filter(selection.contains)
  }

  private func isBroken(_ unit: Int) -> Bool { dropped.contains(unit) || unpublished[unit] != nil }

  /// A unit has its only action; its members have ended.
  private mutating func end(_ unit: Int) {
    if published.contains(unit) || isBroken(unit) { faults.append("\(unit) has a second end") }
    let isAtWork = members(of: unit).contains { id in
      !(succeeded.contains(id) || failed.contains(id) || skipped[id] != nil)
    }
    if isAtWork { faults.append("\(unit) ends before its members") }
  }

  private mutating func checkDrop(_ unit: Int, _ reason: SkipReason) {
    switch reason {
    case .together(let name):
      if !isBlamed(name, in: [unit]) { faults.append("\(unit) blames \(name)") }
    case .runStopped: if !isStopped { faults.append("\(unit) dropped by a run that goes on") }
    default: faults.append("\(unit) dropped for \(reason)")
    }
  }

  /// The units that a target waits for.
  private func unitsAbove(_ id: TargetID) -> [Int] {
    dependencies(of: id).compactMap { graph.units.unit(of: $0, neededBy: id) }
  }

  /// Whether a member of this name failed, was skipped below a failure, or could not be published.
  private func isBlamed(_ name: TargetName, in units: [Int]) -> Bool {
    units.contains { unit in
      members(of: unit).contains { id in
        guard graph.name(of: id) == name else { return false }
        if failed.contains(id) || unpublished[unit] == id { return true }
        // A member that is skipped breaks its unit before it is skipped itself.
        return dependencies(of: id).contains {
          (failed.contains($0) || skipped[$0] != nil) && !isWithout($0, id)
        }
          || isBelowUnit(id)
      }
    }
  }

  private func isBelowUnit(_ id: TargetID) -> Bool {
    dependencies(of: id).compactMap { graph.units.unit(of: $0, neededBy: id) }.contains { unit in
      isBroken(unit) || members(of: unit).contains { failed.contains($0) || skipped[$0] != nil }
    }
  }

  private func hasItsDependencies(_ id: TargetID) -> Bool {
    dependencies(of: id).allSatisfy { other in
      guard let unit = graph.units.unit(of: other, neededBy: id) else {
        return succeeded.contains(other) || isWithout(other, id)
      }
      return published.contains(unit)
    }
  }

  /// Whether `other` is optional and failed, or was skipped for such a failure, and `id` only comes after it.
  private func isWithout(_ other: TargetID, _ id: TargetID) -> Bool {
    passedOver.contains(other) && graph.units.unit(of: other) == nil
      && graph.dependencies(of: id).allSatisfy { $0.from != other || $0.kind == .after }
  }

  /// Whether the policy says that nothing begins any more.
  private var isStopped: Bool {
    wasInterrupted || !keepsGoing && !failed.union(unpublished.values).subtracting(optional).isEmpty
  }

  private func isReady(_ id: TargetID) -> Bool {
    !begun.contains(id) && skipped[id] == nil && hasItsDependencies(id)
  }

  private func dependencies(of id: TargetID) -> [TargetID] { graph.dependencies(of: id).map(\.from) }
}
