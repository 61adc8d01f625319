package import SyncModel

/// Decides when each target of a run begins, and which are skipped: events in, actions out.
///
/// It has the limits, the order and the policies for failure and cancellation, and nothing else; its driver
/// performs the actions and reports the results. Each selected target is begun or skipped exactly once. All events
/// of a run together cost O(targets log targets + edges).
package struct Scheduler: Sendable {
  /// The action for one target; each selected one gets one, once.
  package enum Action: Sendable, Equatable {
    /// Examine this target and update it; report ``Event/finished(_:_:)`` once.
    case begin(TargetID)
    /// It is never examined; nothing is reported.
    case skip(TargetID, SkipReason)
  }

  /// The results of the actions, and outside events.
  package enum Event: Sendable, Equatable {
    /// A target that was begun is done with; one that was not is ignored.
    case finished(TargetID, Completion)
    /// All of a target's bytes are present, and only disk I/O remains: it frees its job, and still reports
    /// ``finished(_:_:)``.
    case closing(TargetID)
    /// A host was found to take so many requests at once, over HTTP/2.
    case hostTakes(String, requests: Int)
    /// A signal requests a stop: nothing begins any more, and running targets still report.
    case interrupted
  }

  /// The result of a target that was begun.
  package enum Completion: Sendable, Equatable {
    /// Updated or fresh.
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
  private var hasStarted = false
  private var hasStopped = false

  /// - Parameters:
  ///   - selection: contains all dependencies of its targets; a dependency outside counts as up to date.
  ///   - jobs: the number of targets in progress; less than 1 means 1.
  ///   - mostClosing: how many may wait for the disk in addition; with more, nothing new begins. With one job
  ///     none may: `-j1` means one after another.
  ///   - keepsGoing: after a failure continue with targets that do not depend on it (`-k`).
  ///   - optional: targets whose failure affects only their dependents.
  ///   - independent: targets that are up to date whatever happens to their dependencies, such as those of `-o`.
  ///   - lanes: the limits per host; `nil` without requests.
  package init(
    graph: TargetGraph, selection: [TargetID], jobs: Int, mostClosing: Int = 0, keepsGoing: Bool,
    optional: [TargetID] = [], independent: Set<TargetID> = [], lanes: HostLanes? = nil
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
    unfinished = order.count
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

  /// Whether every selected target was skipped or has finished; an empty selection is done at once.
  package var isDone: Bool { unfinished == 0 }

  /// The first actions; nothing when called again.
  package mutating func start() -> [Action] {
    guard !hasStarted else { return [] }
    hasStarted = true
    for place in order.indices where missing[place] == 0 { ready.push(turns[place], order[place]) }
    return beginReady()
  }

  /// The actions after `event`: skips in graph order, then new targets, those with the longest chains of dependents
  /// first.
  package mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .interrupted: return stop()
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
      switch completion {
      case .succeeded:
        states[place] = .succeeded
        release(place)
        return beginReady()
      case .failed:
        states[place] = .failed
        return keepsGoing || isOptional[place] ? skipDependents(of: place) + beginReady() : stop()
      }
    }
  }

  private func place(of id: TargetID) -> Int? { places.indices.contains(id.index) ? places[id.index] : nil }

  private mutating func beginReady() -> [Action] {
    var begunTurns: [Int] = []
    while !hasStopped, inFlight < jobs, inFlight + closing < jobs + mostClosing, let turn = ready.pop() {
      let place = placesByTurn[turn]
      states[place] = .running
      inFlight += 1
      begunTurns.append(turn)
    }
    return begunTurns.sorted().map { .begin(order[placesByTurn[$0]]) }
  }

  private mutating func release(_ place: Int) {
    for dependent in graph.dependents(of: order[place]) {
      guard let place = places[dependent.index], !waitsForNothing[place] else { continue }
      missing[place] -= 1
      // A skipped target never gets here: it has a dependency that never succeeds, or follows a stop.
      if missing[place] == 0 { ready.push(turns[place], order[place]) }
    }
  }

  /// Skips everything that waits, in graph order.
  private mutating func stop() -> [Action] {
    guard !hasStopped else { return [] }
    hasStopped = true
    return order.indices.compactMap { states[$0] == .waiting ? skip($0) : nil }
  }

  /// Skips what depends on `place` by any way, in graph order.
  private mutating func skipDependents(of place: Int) -> [Action] {
    var isFound: Set<Int> = []
    var stack = [place]
    while let next = stack.popLast() {
      for dependent in graph.dependents(of: order[next]) {
        guard let place = places[dependent.index], states[place] == .waiting, !waitsForNothing[place] else {
          continue
        }
        if isFound.insert(place).inserted { stack.append(place) }
      }
    }
    return isFound.sorted().map { skip($0) }
  }

  /// Called in graph order, so that a dependency's fate is settled before its dependents'.
  private mutating func skip(_ place: Int) -> Action {
    unfinished -= 1
    let culprit = graph.dependencies(of: order[place]).first { edge in
      guard !waitsForNothing[place], let above = places[edge.from.index] else { return false }
      return states[above] == .failed || states[above] == .skippedBelowFailure
    }
    states[place] = culprit == nil ? .skippedByStop : .skippedBelowFailure
    let reason = culprit.map { SkipReason.dependency(graph.name(of: $0.from)) } ?? .runStopped
    return .skip(order[place], reason)
  }
}
