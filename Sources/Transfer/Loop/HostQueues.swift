import SyncModel

/// The waiting exchanges by host: a host's connections are limited, and so is the rate of its requests (contract,
/// section 5).
///
/// A hop over HTTP/1 holds a connection; hops over HTTP/2 share some, and ``StreamRoom`` has their limit for such a
/// host. Every operation takes constant time, however many wait.
final class HostQueues {
  /// The kind of an admitted hop, for ``release(_:)``.
  struct Charge {
    fileprivate let lane: Lane
    fileprivate let port: Int
    fileprivate(set) var isStream: Bool
    /// Whether its lane's pace was informed when its request was sent.
    fileprivate var hasBegun = false

    /// The request goes out, perhaps again.
    mutating func requestGoesOut(at now: MonotonicInstant) {
      guard let pacer = lane.pacer else { return }
      if hasBegun { pacer.begins() }
      hasBegun = true
      pacer.begun(at: now)
    }
  }

  private let limits: HostLimits
  private let timeScale: Double
  private let clock: () -> MonotonicInstant
  /// The lanes of hosts with a rate limit.
  private var pacedLanes: [Lane] = []
  /// The exchanges that were added so far.
  private var arrivals = 0
  private var places: [String: Place] = [:]
  private var lanes: [String: Lane] = [:]
  /// The same for requests to a cache.
  private var cacheLanes: [String: Lane] = [:]
  /// Hosts that turned out to use HTTP/2, until the caller takes them.
  private var streamHosts: [String] = []
  /// Lanes with an admissible exchange, by whether that exchange is in progress; a lane may have lost it when it is
  /// examined.
  private var readyAhead = Queue<Lane>()
  private var readyWaiting = Queue<Lane>()

  /// Every span of time is multiplied by `timeScale`.
  init(limits: HostLimits, timeScale: Double = 1, clock: @escaping () -> MonotonicInstant = { .now }) {
    self.limits = limits
    self.timeScale = timeScale
    self.clock = clock
  }

  /// What a host's lanes share: its connections.
  fileprivate final class Place {
    let host: String
    let limit: Int
    var connections = 0
    var streams = 0
    var room: StreamRoom
    /// The ports whose last reply came over HTTP/2.
    var streamPorts: Set<Int> = []
    /// That of requests to sources, and perhaps that of requests to a cache.
    var lanes: [Lane] = []

    init(_ host: String, limit: Int) {
      self.host = host
      self.limit = limit
      room = StreamRoom(limit: limit)
    }

    func speaksStreams(_ origin: WebOrigin) -> Bool {
      origin.scheme == "https" && streamPorts.contains(origin.port)
    }

    func hasRoom(for origin: WebOrigin) -> Bool {
      speaksStreams(origin) ? streams < room.count : connections < limit
    }
  }

  /// The pace of one host's requests.
  fileprivate final class Pacer {
    private var pace: RequestPace
    /// The origin of the times of ``pace``.
    private let startedAt: MonotonicInstant
    private let clock: () -> MonotonicInstant

    init(_ pace: RequestPace, clock: @escaping () -> MonotonicInstant) {
      self.pace = pace
      self.clock = clock
      startedAt = clock()
    }

    /// Whether a request may begin now, if there is a connection for it.
    func mayBegin() -> Bool { pace.mayBegin(at: clock() - startedAt) }

    func begins() { pace.begins() }

    func begun(at now: MonotonicInstant) { pace.begun(at: now - startedAt) }

    func timeToNext() -> Duration? { pace.timeToNext(at: clock() - startedAt) }
  }

  /// An exchange that waits; `arrival` orders those of all lanes.
  fileprivate typealias Waiter = (id: ExchangeID, origin: WebOrigin, arrival: Int)

  /// Exchanges of one host that wait, and the pace at which they begin.
  fileprivate final class Lane {
    /// ``HostQueues/places`` keeps it.
    unowned let place: Place
    /// Exchanges in progress that were redirected here; they go first.
    var ahead = Queue<Waiter>()
    var waiting = Queue<Waiter>()
    var isReadyAhead = false
    var isReadyWaiting = false
    /// `nil` for a host without a rate.
    let pacer: Pacer?

    init(_ place: Place, _ pacer: Pacer?) {
      self.place = place
      self.pacer = pacer
    }

    /// How long an exchange with a connection waits for its turn; `nil` if none does.
    func timeToNext(mayBegin: Bool) -> Duration? {
      let next = mayBegin ? [ahead.first, waiting.first] : [ahead.first]
      guard let pacer, next.contains(where: { $0.map { place.hasRoom(for: $0.origin) } ?? false }) else {
        return nil
      }
      return pacer.timeToNext()
    }

    func mayGo(to origin: WebOrigin) -> Bool {
      place.hasRoom(for: origin) && pacer?.mayBegin() ?? true
    }
  }

  /// Lists the hosts whose next request may begin by now.
  func refreshPaced() { pacedLanes.forEach(refresh) }

  /// The time until the next request may begin that waits only for its turn; `nil` if none does.
  ///
  /// - mayBegin: whether new exchanges may begin.
  func timeToNext(mayBegin: Bool = true) -> Duration? {
    pacedLanes.lazy.compactMap { $0.timeToNext(mayBegin: mayBegin) }.min()
  }

  /// The hosts that were found to speak HTTP/2 since the last call.
  func takeStreamHosts() -> [String] {
    defer { streamHosts = [] }
    return streamHosts
  }

  /// Adds an exchange; `isUnderWay` for one that a redirect sent here, `isForCache` for one with the user's cache.
  func enqueue(_ id: ExchangeID, for origin: WebOrigin, isUnderWay: Bool, isForCache: Bool = false) {
    let lane = lane(for: origin.host, isForCache: isForCache)
    arrivals += 1
    if isUnderWay {
      lane.ahead.append((id, origin, arrivals))
    } else {
      lane.waiting.append((id, origin, arrivals))
    }
    refresh(lane)
  }

  /// The next exchange, and the admission that it must release; `nil` if none may go.
  ///
  /// - `mayBegin`: whether new exchanges may begin.
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

  /// Counts a hop that is already in progress, even if there was no room for it.
  func occupy(_ origin: WebOrigin, isStream: Bool) -> Charge {
    let lane = lane(for: origin.host)
    lane.place.connections += 1
    lane.pacer?.begins()
    var charge = Charge(lane: lane, port: origin.port, isStream: false)
    if isStream { count(&charge, asStream: true) }
    return charge
  }

  /// Whether an exchange waits for a host without a free place.
  var isAnyoneHeldUp: Bool {
    places.values.contains { place in
      place.lanes.contains { lane in
        [lane.ahead.first, lane.waiting.first].contains {
          $0.map { !place.hasRoom(for: $0.origin) } ?? false
        }
      }
    }
  }

  /// Records whether the reply came over HTTP/2, and over a new connection: this hop and later ones are counted
  /// accordingly.
  func settle(_ charge: inout Charge, isStream: Bool, hasMadeConnection: Bool) {
    let lane = charge.lane
    count(&charge, asStream: isStream)
    guard isStream else { return }
    lane.place.room.note(hasMadeConnection: hasMadeConnection, underWay: lane.place.streams)
    refresh(lane)
  }

  private func count(_ charge: inout Charge, asStream isStream: Bool) {
    let lane = charge.lane
    if isStream {
      if lane.place.streamPorts.insert(charge.port).inserted { streamHosts.append(lane.place.host) }
    } else {
      lane.place.streamPorts.remove(charge.port)
    }
    if charge.isStream != isStream {
      lane.place.connections += isStream ? -1 : 1
      lane.place.streams += isStream ? 1 : -1
      charge.isStream = isStream
    }
    refresh(lane)
  }

  /// The hop is over.
  func release(_ charge: Charge) {
    var charge = charge
    // What ended before its request was sent has had its turn nevertheless.
    if charge.lane.pacer != nil, !charge.hasBegun { charge.requestGoesOut(at: clock()) }
    if charge.isStream { charge.lane.place.streams -= 1 } else { charge.lane.place.connections -= 1 }
    refresh(charge.lane)
  }

  /// Takes the place of the one whose turn it was.
  private func admit(_ origin: WebOrigin, to lane: Lane) -> Charge {
    let isStream = lane.place.speaksStreams(origin)
    if isStream { lane.place.streams += 1 } else { lane.place.connections += 1 }
    lane.pacer?.begins()
    refresh(lane)
    return Charge(lane: lane, port: origin.port, isStream: isStream)
  }

  /// Lists the lane, and the other one of its host, if one of its exchanges may go: first the one that has waited longest.
  private func refresh(_ lane: Lane) {
    let lanes = lane.place.lanes
    guard lanes.count > 1 else {
      listAhead(lane)
      return listWaiting(lane)
    }
    lanes.sorted { ($0.ahead.first?.arrival ?? .max) < ($1.ahead.first?.arrival ?? .max) }.forEach(listAhead)
    lanes.sorted { ($0.waiting.first?.arrival ?? .max) < ($1.waiting.first?.arrival ?? .max) }
      .forEach(listWaiting)
  }

  private func listAhead(_ lane: Lane) {
    guard !lane.isReadyAhead, let first = lane.ahead.first, lane.mayGo(to: first.origin) else { return }
    lane.isReadyAhead = true
    readyAhead.append(lane)
  }

  private func listWaiting(_ lane: Lane) {
    guard !lane.isReadyWaiting, let first = lane.waiting.first, lane.mayGo(to: first.origin) else { return }
    lane.isReadyWaiting = true
    readyWaiting.append(lane)
  }

  private func lane(for host: String, isForCache: Bool = false) -> Lane {
    if let lane = isForCache ? cacheLanes[host] : lanes[host] { return lane }
    let place = places[host] ?? Place(host, limit: limits.limit(for: host))
    places[host] = place
    let lane = Lane(place, pacer(of: place, isForCache))
    place.lanes.append(lane)
    if isForCache { cacheLanes[host] = lane } else { lanes[host] = lane }
    if lane.pacer != nil { pacedLanes.append(lane) }
    return lane
  }

  /// A rate of the host itself is one for all of its requests; that of every host is for sources.
  private func pacer(of place: Place, _ isForCache: Bool) -> Pacer? {
    let own = limits.rateForCache(at: place.host)
    if own != nil, let known = place.lanes.first?.pacer { return known }
    guard let rate = isForCache ? own : limits.rate(for: place.host) else { return nil }
    return Pacer(RequestPace(rate, timeScale: timeScale), clock: clock)
  }
}
