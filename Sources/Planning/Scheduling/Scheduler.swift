package import SyncModel

/// Decides when each target of a run begins, and which are skipped: events in, actions out.
///
/// It has the limits, the order and the policies for failure and cancellation, and nothing else; its driver
/// performs the actions and reports the results. Each selected target is begun or skipped exactly once, and each unit
/// of targets that are published together (``TargetGraph/units``) is published or dropped exactly once. All events of a
/// run together cost O(targets log targets + edges).
package struct Scheduler: Sendable {
  /// The action for one target, of which each selected one gets one, once; or the one action for a unit.
  package enum Action: Sendable, Equatable {
    /// Examine this target and update it; report ``Event/finished(_:_:)`` once.
    case begin(TargetID)
    /// It is never examined; nothing is reported.
    case skip(TargetID, SkipReason)
    /// All targets of this unit have succeeded: put their new outputs in place; report
    /// ``Event/published(unit:failed:)`` once.
    case publish(unit: Int)
    /// The targets of this unit have ended, not all of them with success: those with new outputs are skipped for this
    /// reason; nothing is reported.
    case drop(unit: Int, SkipReason)
  }

  /// The results of the actions, and outside events.
  package enum Event: Sendable, Equatable {
    /// A target that was begun is done with; one that was not is ignored.
    case finished(TargetID, Completion)
    /// All of a target's bytes are present, and only disk I/O remains: it frees its job, and still reports
    /// ``finished(_:_:)``.
    case closing(TargetID)
    /// The new outputs of a unit are in place; or none is, and `failed` is to blame, one of its targets.
    case published(unit: Int, failed: TargetID?)
    /// A host was found to take so many requests at once, over HTTP/2.
    case hostTakes(String, requests: Int)
    /// A signal requests a stop: nothing begins any more, and running targets still report.
    case interrupted
  }

  /// The result of a target that was begun.
  package enum Completion: Sendable, Equatable {
    /// Updated or fresh; in a unit its new output waits for the others.
    case succeeded
    /// The target failed; whatever needs it is skipped.
    case failed
  }

  private enum State: Sendable, Equatable {
    case waiting, running, closing, succeeded, failed
    /// A dependency failed, or was skipped for that.
    case skippedBelowFailure
    /// The run stopped first.
    case skippedByStop
  }

  /// The selected targets of a unit.
  private struct Unit: Sendable {
    /// Their places.
    var members: [Int] = []
    /// How many have not ended.
    var left = 0
    /// Why it is not published; `nil` while it may be.
    var broken: SkipReason?
    var isPublishing = false
  }

  private let graph: TargetGraph
  private let jobs: Int
  private let mostClosing: Int
  private let keepsGoing: Bool
  /// The selection in graph order; everything below is indexed by the place in it.
  private let order: [TargetID]
  private let isOptional: [Bool]
  private let waitsForNothing: [Bool]
  private var states: [State]
  /// How many dependencies have not succeeded yet.
  private var missing: [Int]
  /// By target index; `nil` for targets that are not selected.
  private let places: [Int?]
  private var ready: WaitingLine
  /// By place: its turn among the ready targets. Those with the longest chains of dependents come first.
  private let turns: [Int]
  private let placesByTurn: [Int]
  /// How many are running, and how many are closing.
  private var inFlight = 0
  private var closing = 0
  private var unfinished: Int
  /// By number; empty without units.
  private var units: [Unit]
  /// Units all of whose targets have ended, and which have had no action.
  private var endedUnits: [Int] = []
  /// The places of targets that wait for nothing, cannot succeed and have not ended.
  private var doomed: Set<Int> = []
  /// The places of optional targets that failed, and of those that were skipped for that.
  private var passedOver: Set<Int> = []
  /// The turns of those that are ready, and begin once ``doomed`` is empty.
  private var heldBack: [Int] = []
  private var hasStarted = false
  private var hasStopped = false
  private var isInterrupted = false

  /// - Parameters:
  ///   - selection: contains all dependencies of its targets; a dependency outside counts as up to date.
  ///   - jobs: the number of targets in progress; less than 1 means 1.
  ///   - mostClosing: how many may wait for the disk in addition; with more, nothing new begins. With one job
  ///     none may: `-j1` means one after another.
  ///   - keepsGoing: after a failure continue with targets that do not depend on it (`-k`).
  ///   - optional: targets whose failure affects only their dependents.
  ///   - doomed: targets that cannot succeed, as is known. They begin before any other that is ready.
  ///   - independent: targets that are up to date whatever happens to their dependencies, such as those of `-o`.
  ///   - lanes: the limits per host; `nil` without requests.
  package init(
    graph: TargetGraph, selection: [TargetID], jobs: Int, mostClosing: Int = 0, keepsGoing: Bool,
    optional: [TargetID] = [], doomed: [TargetID] = [], independent: Set<TargetID> = [],
    lanes: HostLanes? = nil
  ) {
    self.graph = graph
    self.jobs = max(1, jobs)
    self.mostClosing = jobs > 1 ? max(0, mostClosing) : 0
    self.keepsGoing = keepsGoing
    var isSelected = [Bool](repeating: false, count: graph.order.count)
    for id in selection { isSelected[id.index] = true }
    let order = graph.order.filter { isSelected[$0.index] }
    var places = [Int?](repeating: nil, count: graph.order.count)
    for (place, id) in order.enumerated() { places[id.index] = place }
    var isOptional = [Bool](repeating: false, count: order.count)
    for id in optional { places[id.index].map { isOptional[$0] = true } }
    var waitsForNothing = [Bool](repeating: false, count: order.count)
    for id in independent where places.indices.contains(id.index) {
      places[id.index].map { waitsForNothing[$0] = true }
    }
    var missing = [Int](repeating: 0, count: order.count)
    for id in order {
      for dependent in graph.dependents(of: id) {
        guard let place = places[dependent.index], !waitsForNothing[place] else { continue }
        missing[place] += 1
      }
    }
    self.doomed = Set(doomed.lazy.compactMap { places[$0.index] }.filter { missing[$0] == 0 })
    self.order = order
    self.places = places
    self.isOptional = isOptional
    self.waitsForNothing = waitsForNothing
    self.missing = missing
    placesByTurn =
      jobs > 1 ? Self.longestChainsFirst(order, graph, places) : Array(order.indices)
    var turns = placesByTurn
    for (turn, place) in placesByTurn.enumerated() { turns[place] = turn }
    self.turns = turns
    // One job is one target after another, in the order of the graph.
    ready = WaitingLine(turns: order.count, hosts: jobs > 1 ? lanes : nil)
    states = [State](repeating: .waiting, count: order.count)
    units = [Unit](repeating: Unit(), count: graph.units.count)
    for unit in units.indices {
      units[unit].members = graph.units.members(of: unit).compactMap { places[$0.index] }
      units[unit].left = units[unit].members.count
    }
    unfinished = order.count + units.count { $0.left > 0 }
  }

  /// The places, those with the longest chains of dependents first, else in order: the targets of a chain that
  /// begins late run alone at the end, while jobs are idle.
  private static func longestChainsFirst(
    _ order: [TargetID], _ graph: TargetGraph, _ places: [Int?]
  ) -> [Int] {
    var lengths = [Int](repeating: 0, count: order.count)
    for place in order.indices.reversed() {
      for dependent in graph.dependents(of: order[place]) {
        if let below = places[dependent.index] { lengths[place] = max(lengths[place], lengths[below] + 1) }
      }
    }
    var byLength = [[Int]](repeating: [], count: (lengths.max() ?? 0) + 1)
    for (place, length) in lengths.enumerated() { byLength[length].append(place) }
    return Array(byLength.reversed().joined())
  }

  /// Whether every selected target was skipped or has finished, and every unit was published or dropped; an empty
  /// selection is done at once.
  package var isDone: Bool { unfinished == 0 }

  /// The first actions; nothing when called again.
  package mutating func start() -> [Action] {
    guard !hasStarted else { return [] }
    hasStarted = true
    for place in order.indices where missing[place] == 0 {
      if doomed.isEmpty || doomed.contains(place) {
        ready.push(turns[place], order[place])
      } else {
        heldBack.append(turns[place])
      }
    }
    return beginReady()
  }

  /// The actions after `event`: skips in graph order, then units, then new targets, those with the longest chains of
  /// dependents first.
  package mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .interrupted:
      isInterrupted = true
      return stop() + endUnits()
    case .hostTakes(let host, let requests):
      ready.widen(host, to: requests)
      return beginReady()
    case .closing(let id):
      guard let place = place(of: id), states[place] == .running else { return [] }
      states[place] = .closing
      inFlight -= 1
      closing += 1
      ready.leave(turns[place])
      return beginReady()
    case .finished(let id, let completion):
      guard let place = place(of: id), states[place] == .running || states[place] == .closing else {
        return []
      }
      if states[place] == .running {
        inFlight -= 1
        ready.leave(turns[place])
      } else {
        closing -= 1
      }
      unfinished -= 1
      doomed.remove(place)
      switch completion {
      case .succeeded:
        states[place] = .succeeded
        leaveUnit(place)
        release(place, to: .fellows)
        return endUnits() + beginReady()
      case .failed:
        states[place] = .failed
        let below = isOptional[place] ? passOver(place) : dependents(of: [place])
        leaveUnit(place)
        return skip(below, isOptional: isOptional[place])
      }
    case .published(let unit, let failed):
      guard units.indices.contains(unit), units[unit].isPublishing else { return [] }
      units[unit].isPublishing = false
      unfinished -= 1
      guard let failed else {
        for place in units[unit].members { release(place, to: .others) }
        return beginReady()
      }
      units[unit].broken = .together(graph.name(of: failed))
      let isOfNoAccount = place(of: failed).map { isOptional[$0] } ?? false
      return skip(dependents(of: units[unit].members), isOptional: isOfNoAccount)
    }
  }

  /// The actions after a failure with these places below it.
  private mutating func skip(_ below: Set<Int>, isOptional: Bool) -> [Action] {
    guard keepsGoing || isOptional else { return stop() + endUnits() }
    return below.sorted().map { skip($0) } + endUnits() + beginReady()
  }

  private func place(of id: TargetID) -> Int? { places.indices.contains(id.index) ? places[id.index] : nil }

  private mutating func beginReady() -> [Action] {
    if doomed.isEmpty {
      for turn in heldBack { ready.push(turn, order[placesByTurn[turn]]) }
      heldBack = []
    }
    var begunTurns: [Int] = []
    while !hasStopped, inFlight < jobs, inFlight + closing < jobs + mostClosing, let turn = ready.pop() {
      states[placesByTurn[turn]] = .running
      inFlight += 1
      begunTurns.append(turn)
    }
    return begunTurns.sorted().map { .begin(order[placesByTurn[$0]]) }
  }

  /// Those that wait for a target alone, or those that wait for its unit.
  private enum Waiting { case fellows, others }

  private mutating func release(_ place: Int, to waiting: Waiting) {
    let id = order[place]
    let isAlone = units.isEmpty || graph.units.unit(of: id) == nil
    for dependent in graph.dependents(of: id) {
      guard let place = places[dependent.index], !waitsForNothing[place] else { continue }
      if !isAlone, (graph.units.unit(of: id, neededBy: dependent) == nil) != (waiting == .fellows) {
        continue
      }
      settle(place)
    }
  }

  /// One thing less to wait for.
  private mutating func settle(_ place: Int) {
    missing[place] -= 1
    // A skipped target gets here only after a stop; else it has a dependency that never succeeds.
    if missing[place] == 0, states[place] == .waiting { ready.push(turns[place], order[place]) }
  }

  /// An optional target failed: what needs it is returned, and what only comes `after` it, or after one of those, no longer
  /// waits for it.
  private mutating func passOver(_ place: Int) -> Set<Int> {
    passedOver.insert(place)
    let below = dependents(of: [place], passingOver: true)
    passedOver.formUnion(below)
    for above in [place] + below.sorted() {
      for dependent in graph.dependents(of: order[above]) {
        guard let follower = places[dependent.index], !waitsForNothing[follower], !below.contains(follower),
          isFollower(follower, above)
        else { continue }
        settle(follower)
      }
    }
    return below
  }

  /// Whether what is at `place` only comes after what is at `above`, which is not published together with others.
  private func isFollower(_ place: Int, _ above: Int) -> Bool {
    unit(of: above) == nil
      && graph.dependencies(of: order[place]).allSatisfy { $0.from != order[above] || $0.kind == .after }
  }

  /// Skips everything that waits, in graph order.
  private mutating func stop() -> [Action] {
    guard !hasStopped else { return [] }
    hasStopped = true
    return order.indices.compactMap { states[$0] == .waiting ? skip($0) : nil }
  }

  /// What waits and depends by any way on one of `places`, which failed or cannot be published; their units break.
  ///
  /// - passingOver: leaves out what only comes `after` others.
  private mutating func dependents(of places: [Int], passingOver: Bool = false) -> Set<Int> {
    var isFound: Set<Int> = []
    var stack = places
    while let next = stack.popLast() {
      for place in concerned(by: next) where states[place] == .waiting && !waitsForNothing[place] {
        if passingOver, isFollower(place, next) { continue }
        if isFound.insert(place).inserted { stack.append(place) }
      }
    }
    return isFound
  }

  /// The direct dependents of a place that failed or is skipped; if its unit breaks by it, also what waits for the unit.
  ///
  /// The other members are decided nevertheless: which of them are fresh must not depend on which began before.
  private mutating func concerned(by place: Int) -> [Int] {
    let direct = graph.dependents(of: order[place]).compactMap { places[$0.index] }
    guard let unit = unit(of: place), units[unit].broken == nil else { return direct }
    units[unit].broken = isInterrupted ? .runStopped : .together(graph.name(of: order[place]))
    return units[unit].members.reduce(into: direct) { concerned, member in
      let id = order[member]
      for dependent in graph.dependents(of: id) where graph.units.unit(of: id, neededBy: dependent) != nil {
        if let place = places[dependent.index] { concerned.append(place) }
      }
    }
  }

  /// Called in graph order, so that a dependency's fate is settled before its dependents'.
  private mutating func skip(_ place: Int) -> Action {
    unfinished -= 1
    doomed.remove(place)
    let reason = reasonToSkip(place)
    states[place] = reason == .runStopped ? .skippedByStop : .skippedBelowFailure
    // What is skipped below a failure has broken its unit already.
    if let unit = unit(of: place), units[unit].broken == nil { units[unit].broken = .runStopped }
    leaveUnit(place)
    return .skip(order[place], reason)
  }

  /// The first dependency that failed, was skipped for that or is of a broken unit, or the target that broke the own unit.
  private func reasonToSkip(_ place: Int) -> SkipReason {
    guard !waitsForNothing[place] else { return .runStopped }
    for edge in graph.dependencies(of: order[place]) {
      guard let above = places[edge.from.index], !(passedOver.contains(above) && isFollower(place, above))
      else { continue }
      if states[above] == .failed || states[above] == .skippedBelowFailure {
        return .dependency(graph.name(of: edge.from))
      }
      if let unit = graph.units.unit(of: edge.from, neededBy: edge.to),
        case .together(let culprit)? = units[unit].broken
      {
        let needed = graph.name(of: edge.from)
        return needed == culprit ? .dependency(needed) : .dependencyTogether(needed, with: culprit)
      }
    }
    return unit(of: place).flatMap { units[$0].broken } ?? .runStopped
  }

  // MARK: Units

  private func unit(of place: Int) -> Int? { units.isEmpty ? nil : graph.units.unit(of: order[place]) }

  /// The place has ended.
  private mutating func leaveUnit(_ place: Int) {
    guard let unit = unit(of: place) else { return }
    units[unit].left -= 1
    if units[unit].left == 0 { endedUnits.append(unit) }
  }

  private mutating func endUnits() -> [Action] {
    guard !endedUnits.isEmpty else { return [] }
    defer { endedUnits = [] }
    return endedUnits.sorted().map { unit in
      guard let reason = units[unit].broken else {
        units[unit].isPublishing = true
        return .publish(unit: unit)
      }
      unfinished -= 1
      return .drop(unit: unit, reason)
    }
  }
}
