import SyncModel

/// Who waits for which host, and who may go: a host's connections are limited, and how often requests begin (contract,
/// section 5).
///
/// A hop over HTTP/1 holds a connection to itself; those over HTTP/2 share some, and a host that is known to speak it
/// gets what ``StreamRoom`` has for it. Every operation takes constant time however many wait.
final class HostQueues {
  /// What a hop was admitted as, to be given back by ``release(_:)``.
  struct Charge {
    fileprivate let lane: Lane
    fileprivate let port: Int
    fileprivate(set) var isStream: Bool
    /// Whether its lane's pace was told when its request went out.
    fileprivate var hasBegun = false

    /// The request goes out.
    mutating func requestGoesOut(at now: MonotonicInstant) {
      guard lane.isPaced, !hasBegun else { return }
      hasBegun = true
      lane.begun(at: now)
    }
  }

  private let limits: HostLimits
  private let timeScale: Double
  private let clock: () -> MonotonicInstant
  /// Those of hosts whose requests may begin only so often.
  private var pacedLanes: [Lane] = []
  private var lanes: [String: Lane] = [:]
  /// Hosts that turned out to speak HTTP/2, until somebody has taken note of them.
  private var streamHosts: [String] = []
  /// Lanes of which somebody may go, by whether that one's exchange is under way already; a lane may have
  /// lost that chance by the time it is looked at.
  private var readyAhead = Fifo<Lane>()
  private var readyWaiting = Fifo<Lane>()

  /// Every span of time is multiplied by `timeScale`.
  init(limits: HostLimits, timeScale: Double = 1, clock: @escaping () -> MonotonicInstant = { .now }) {
    self.limits = limits
    self.timeScale = timeScale
    self.clock = clock
  }

  fileprivate final class Lane {
    let host: String
    let limit: Int
    var connections = 0
    var streams = 0
    var room: StreamRoom
    /// The ports where the last reply came by HTTP/2.
    var streamPorts: Set<Int> = []
    /// Exchanges that are under way, redirected here; they go first.
    var ahead = Fifo<(id: ExchangeID, origin: Origin)>()
    var waiting = Fifo<(id: ExchangeID, origin: Origin)>()
    var isReadyAhead = false
    var isReadyWaiting = false
    private var pace: RequestPace?
    let isPaced: Bool
    /// What the times of ``pace`` count from.
    private let startedAt: MonotonicInstant
    private let clock: () -> MonotonicInstant

    init(_ host: String, limit: Int, pace: RequestPace?, clock: @escaping () -> MonotonicInstant) {
      self.host = host
      self.limit = limit
      self.pace = pace
      self.clock = clock
      isPaced = pace != nil
      startedAt = pace == nil ? .zero : clock()
      room = StreamRoom(limit: limit)
    }

    /// Whether a request may begin now, if there is a connection for it.
    func mayBegin() -> Bool { !isPaced || pace?.mayBegin(at: clock() - startedAt) ?? true }

    func begins() { pace?.begins() }

    func begun(at now: MonotonicInstant) { pace?.begun(at: now - startedAt) }

    /// How long somebody who has a connection waits for a turn; `nil` where nobody does.
    func timeToNext() -> Duration? {
      guard [ahead.first, waiting.first].contains(where: { $0.map { hasRoom(for: $0.origin) } ?? false })
      else {
        return nil
      }
      return pace?.timeToNext(at: clock() - startedAt)
    }

    func mayGo(to origin: Origin) -> Bool { hasRoom(for: origin) && mayBegin() }

    func speaksStreams(_ origin: Origin) -> Bool {
      origin.scheme == "https" && streamPorts.contains(origin.port)
    }

    func hasRoom(for origin: Origin) -> Bool {
      speaksStreams(origin) ? streams < room.count : connections < limit
    }
  }

  /// Lists the hosts whose next request may begin by now.
  func refreshPaced() { pacedLanes.forEach(refresh) }

  /// How long until the next request may begin that waits for nothing but that; `nil` where none does.
  var timeToNext: Duration? { pacedLanes.lazy.compactMap { $0.timeToNext() }.min() }

  /// The hosts that were found to speak HTTP/2 since the last call.
  func takeStreamHosts() -> [String] {
    defer { streamHosts = [] }
    return streamHosts
  }

  /// Puts an exchange in line; `isUnderWay` for one that a redirect sent here.
  func enqueue(_ id: ExchangeID, for origin: Origin, isUnderWay: Bool) {
    let lane = lane(for: origin.host)
    if isUnderWay { lane.ahead.append((id, origin)) } else { lane.waiting.append((id, origin)) }
    refresh(lane)
  }

  /// Whose turn it is, and what it must give back; `nil` when nobody may go.
  ///
  /// - `mayBegin`: whether exchanges that are not under way may begin.
  func next(mayBegin: Bool) -> (id: ExchangeID, charge: Charge)? {
    while let lane = readyAhead.popFirst() {
      lane.isReadyAhead = false
      guard let first = lane.ahead.first, lane.mayGo(to: first.origin) else { continue }
      _ = lane.ahead.popFirst()
      return (first.id, admit(first.origin, to: lane))
    }
    guard mayBegin else { return nil }
    while let lane = readyWaiting.popFirst() {
      lane.isReadyWaiting = false
      guard let first = lane.waiting.first, lane.mayGo(to: first.origin) else { continue }
      _ = lane.waiting.popFirst()
      return (first.id, admit(first.origin, to: lane))
    }
    return nil
  }

  /// Counts a hop that is under way already, whether there was room for it or not.
  func occupy(_ origin: Origin, isStream: Bool) -> Charge {
    let lane = lane(for: origin.host)
    lane.connections += 1
    lane.begins()
    var charge = Charge(lane: lane, port: origin.port, isStream: false)
    if isStream { count(&charge, asStream: true) }
    return charge
  }

  /// Whether somebody waits for a host of which every place is taken.
  var isAnyoneHeldUp: Bool {
    lanes.values.contains { lane in
      [lane.ahead.first, lane.waiting.first].contains { $0.map { !lane.hasRoom(for: $0.origin) } ?? false }
    }
  }

  /// The reply came by HTTP/2, or not, over a connection that was made for it, or not: the hop counts as what it is,
  /// and later ones with it.
  func settle(_ charge: inout Charge, isStream: Bool, hasMadeConnection: Bool) {
    let lane = charge.lane
    count(&charge, asStream: isStream)
    guard isStream else { return }
    lane.room.note(hasMadeConnection: hasMadeConnection, underWay: lane.streams)
    refresh(lane)
  }

  private func count(_ charge: inout Charge, asStream isStream: Bool) {
    let lane = charge.lane
    if isStream {
      if lane.streamPorts.insert(charge.port).inserted { streamHosts.append(lane.host) }
    } else {
      lane.streamPorts.remove(charge.port)
    }
    if charge.isStream != isStream {
      lane.connections += isStream ? -1 : 1
      lane.streams += isStream ? 1 : -1
      charge.isStream = isStream
    }
    refresh(lane)
  }

  /// The hop is over.
  func release(_ charge: Charge) {
    var charge = charge
    if charge.lane.isPaced { charge.requestGoesOut(at: clock()) }
    if charge.isStream { charge.lane.streams -= 1 } else { charge.lane.connections -= 1 }
    refresh(charge.lane)
  }

  /// Takes the place of the one whose turn it was.
  private func admit(_ origin: Origin, to lane: Lane) -> Charge {
    let isStream = lane.speaksStreams(origin)
    if isStream { lane.streams += 1 } else { lane.connections += 1 }
    lane.begins()
    refresh(lane)
    return Charge(lane: lane, port: origin.port, isStream: isStream)
  }

  /// Lists the lane where somebody of it may go.
  private func refresh(_ lane: Lane) {
    if !lane.isReadyAhead, let first = lane.ahead.first, lane.mayGo(to: first.origin) {
      lane.isReadyAhead = true
      readyAhead.append(lane)
    }
    if !lane.isReadyWaiting, let first = lane.waiting.first, lane.mayGo(to: first.origin) {
      lane.isReadyWaiting = true
      readyWaiting.append(lane)
    }
  }

  private func lane(for host: String) -> Lane {
    if let lane = lanes[host] { return lane }
    let pace = limits.rate(for: host).map { RequestPace($0, timeScale: timeScale) }
    let lane = Lane(host, limit: limits.limit(for: host), pace: pace, clock: clock)
    lanes[host] = lane
    if lane.isPaced { pacedLanes.append(lane) }
    return lane
  }
}
