import SyncModel

/// The targets that are ready to begin, and their order.
///
/// Targets without a lane come first, the smallest turn before the others. Then come hosts without a target in
/// progress, so that none is left out; then those with the most waiting targets, so that all hosts end at about the
/// same time. Within a host the smallest turn comes first. All operations together cost O(n log n).
struct WaitingLine: Sendable {
  private struct Lane: Sendable {
    var ready = ReadyQueue()
    var inProgress = 0
  }

  private var hosts: HostLanes?
  private var free = ReadyQueue()
  private var lanes: [Lane] = []
  /// The candidates: lanes without a target in progress by their first turn, the others by ``key(of:)``. Outdated
  /// entries are detected when they reach the top.
  private var idle = ReadyQueue()
  private var busy = ReadyQueue()
  /// The lane of each turn that was put in line with one.
  private var laneOfTurn: [Int32]

  private static let laneBits = 24

  /// - Parameters:
  ///   - turns: their number; a smaller one comes first.
  ///   - hosts: `nil` if only the turns matter.
  init(turns: Int, hosts: HostLanes?) {
    self.hosts = hosts
    laneOfTurn = hosts == nil ? [] : Array(repeating: -1, count: turns)
  }

  mutating func push(_ turn: Int, _ id: TargetID) {
    guard let lane = hosts?.lane(of: id), lane < 1 << Self.laneBits else { return free.push(turn) }
    laneOfTurn[turn] = Int32(lane)
    while lanes.count <= lane { lanes.append(Lane()) }
    lanes[lane].ready.push(turn)
    // If nothing is in progress, only a new first target matters.
    if lanes[lane].inProgress > 0 || lanes[lane].ready.first == turn { list(lane) }
  }

  /// Removes the next target from the line; it is in progress from now on, until ``leave(_:)``.
  mutating func pop() -> Int? {
    if let turn = free.pop() { return turn }
    while let turn = idle.pop() {
      let lane = Int(laneOfTurn[turn])
      if lanes[lane].inProgress == 0, lanes[lane].ready.first == turn { return take(from: lane) }
    }
    while let key = busy.pop() {
      let lane = key & (1 << Self.laneBits - 1)
      if hasRoom(lane), lanes[lane].inProgress > 0, key == self.key(of: lane) { return take(from: lane) }
    }
    return nil
  }

  /// A target from ``pop()`` is no longer in progress.
  mutating func leave(_ turn: Int) {
    guard !laneOfTurn.isEmpty, laneOfTurn[turn] >= 0 else { return }
    let lane = Int(laneOfTurn[turn])
    lanes[lane].inProgress -= 1
    list(lane)
  }

  /// The host was found to take so many requests at once.
  mutating func widen(_ host: String, to requests: Int) {
    guard let lane = hosts?.widen(host, to: requests), lane < lanes.count else { return }
    list(lane)
  }

  private mutating func take(from lane: Int) -> Int? {
    defer { list(lane) }
    lanes[lane].inProgress += 1
    return lanes[lane].ready.pop()
  }

  /// Lists the lane again, since its key may have changed.
  private mutating func list(_ lane: Int) {
    guard let first = lanes[lane].ready.first else { return }
    if lanes[lane].inProgress == 0 { idle.push(first) } else if hasRoom(lane) { busy.push(key(of: lane)) }
  }

  private func hasRoom(_ lane: Int) -> Bool { lanes[lane].inProgress < hosts?.limit(of: lane) ?? .max }

  /// Smaller for a lane with more targets waiting.
  private func key(of lane: Int) -> Int {
    (Int.max >> Self.laneBits - lanes[lane].ready.count) << Self.laneBits | lane
  }
}
