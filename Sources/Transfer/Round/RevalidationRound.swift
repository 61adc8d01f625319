import CCurlShim
package import SyncModel

/// Asks many sources whether they have anything new (docs/decisions/0010).
///
/// It sends the same requests as a ``TransferLoop``, without the objects for each exchange. A reply that is not a simple
/// "not modified" is kept: ``handOver()`` gives it to such a loop, so that no source is asked twice. The round ends when
/// all sources have replied, when too many replies are kept, or when a reply is late.
package final class RevalidationRound {
  /// The result of a round.
  package enum Ending: Sendable, Equatable {
    /// Every source has confirmed the local file.
    case allConfirmed
    /// Every source was asked; all but those of ``RevalidationRound/open`` have confirmed the local file.
    case someOpen
    /// The run must take the full path.
    case open
  }

  /// A later reply is left to the full path, which has the time limits.
  private static let patience = Duration.seconds(2)
  private static let tick: Int32 = 50
  /// The most kept replies, unless an eighth of all is more: if more sources have changed, the full path is faster.
  private static let mostKept = 16

  private let questions: PlainQuestions
  private let settings: TransferSettings
  private let multi: MultiHandle
  private var slots: [RoundSlot] = []
  private var idle: [RoundSlot] = []
  private var lines: [HostLine]
  private var isConfirmed: [Bool]
  private var confirmed = 0
  private let jobs: Int
  /// No new request must be sent.
  private var isOdd = false
  /// Whether a host has replied both by HTTP/2 and by HTTP/1.
  private var isMixed = false
  /// The https origins that have replied by HTTP/1.
  private var serialOrigins: Set<WebOrigin> = []

  /// One host's questions that are still to be asked.
  private struct HostLine {
    let connections: Int
    var questions: [Int32] = []
    var next = 0
    var underWay = 0
    /// Whether connections carry several at once, by HTTP/2.
    var sharesConnection = false
    var room: StreamRoom
    /// Whether they all use one port, so that facts about one connection are valid for the next.
    var hasOnePort = true
    /// Whether one of them was answered by HTTP/2, and by HTTP/1 over TLS.
    var hasStreams = false
    var hasOthers = false

    var left: Int { questions.count - next }
    var hasRoom: Bool { underWay < (sharesConnection ? room.count : connections) }

    init(connections: Int) {
      self.connections = connections
      room = StreamRoom(limit: connections)
    }
  }

  /// Loads libcurl; throws ``FailureCause/libraryMissing(name:purpose:)`` if it is missing or
  /// too old.
  ///
  /// - `settings`: those of the loop that would continue.
  /// - `jobs`: the number of concurrent requests, 1 or more.
  package init(_ questions: PlainQuestions, _ settings: TransferSettings, jobs: Int) throws(FailureCause) {
    try CurlLibrary.load()
    self.questions = questions
    self.settings = settings
    multi = try MultiHandle(settings)
    isConfirmed = Array(repeating: false, count: questions.count)
    lines = questions.hosts.map { HostLine(connections: $0.connections) }
    for index in 0..<questions.count {
      let host = questions.host(index)
      if let first = lines[host].questions.first, !questions.haveSameOrigin(index, Int(first)) {
        lines[host].hasOnePort = false
      }
      lines[host].questions.append(Int32(index))
    }
    self.jobs = min(jobs, settings.totalConnections)
    for _ in 0..<min(self.jobs, questions.count) {
      guard addSlot() else { throw .internalError("libcurl has no memory") }
    }
  }

  private func addSlot() -> Bool {
    guard let slot = RoundSlot(questions, settings) else { return false }
    slots.append(slot)
    idle.append(slot)
    return true
  }

  deinit {
    for slot in slots where slot.progress != .idle { multi.remove(slot.handle) }
  }

  /// Asks until all sources have confirmed; `isUnwanted` is called now and then and tells whether to take the full
  /// path at once.
  ///
  /// When no new request is sent, requests in progress get some time: confirmed sources need not be handed over.
  package func run(until isUnwanted: () -> Bool) -> Ending {
    var looked = MonotonicInstant.now
    while confirmed < questions.count {
      let now = MonotonicInstant.now
      guard isOdd || ask(now), slots.contains(where: \.isMoving) else { return .open }
      multi.perform()
      let before = confirmed
      let kept = reap()
      if isOdd, !slots.contains(where: \.isOpen) { return .open }
      if kept > 0, confirmed + kept == questions.count { return isMixed ? .open : .someOpen }
      if kept > max(Self.mostKept, questions.count / 8) { isOdd = true }
      if confirmed == before { multi.wait(milliseconds: Self.tick) }
      if now - looked > .milliseconds(Int64(Self.tick)) {
        looked = now
        if isUnwanted() || slots.contains(where: { isLate($0, now) }) { return .open }
      }
    }
    return isMixed ? .open : .allConfirmed
  }

  /// The questions without a simple "not modified", in their order; valid before ``handOver()``.
  package var open: [Int] { isConfirmed.indices.filter { !isConfirmed[$0] } }

  private func isLate(_ slot: RoundSlot, _ now: MonotonicInstant) -> Bool {
    slot.progress != .idle && slot.code == nil && now - slot.startedAt > Self.patience * settings.timeScale
  }

  /// Whether all that have room could be begun: the host with the most to go first, as the scheduler does it.
  private func ask(_ now: MonotonicInstant) -> Bool {
    while hasSlot {
      var best: Int?
      for index in lines.indices where lines[index].left > 0 && lines[index].hasRoom {
        if best.map({ lines[index].left > lines[$0].left }) ?? true { best = index }
      }
      guard let best, let slot = idle.last else { return true }
      let question = Int(lines[best].questions[lines[best].next])
      guard (try? slot.prepare(question, settings, now: now)) != nil, multi.add(slot.handle) else {
        slot.finish()
        return false
      }
      idle.removeLast()
      lines[best].next += 1
      lines[best].underWay += 1
    }
    return true
  }

  /// Whether there is a slot for another question; slots with kept replies are replaced.
  private var hasSlot: Bool {
    if !idle.isEmpty { return true }
    let kept = slots.count { $0.code != nil }
    return slots.count - kept < jobs && addSlot()
  }

  /// Processes ended transfers; returns the number of kept replies.
  private func reap() -> Int {
    while let (owner, code) = multi.nextDone() {
      guard let slot = owner as? RoundSlot else { continue }
      slot.code = code
      note(slot)
      let host = questions.host(slot.index)
      guard code == CURLE_OK, slot.progress == .confirmed else {
        slot.spoil()
        lines[host].underWay -= 1
        continue
      }
      lines[host].sharesConnection = slot.isStream && lines[host].hasOnePort
      if slot.isStream {
        lines[host].room.note(
          hasMadeConnection: !slot.handle.usedOldConnection, underWay: lines[host].underWay)
      }
      lines[host].underWay -= 1
      isConfirmed[slot.index] = true
      confirmed += 1
      multi.remove(slot.handle)
      slot.finish()
      idle.append(slot)
    }
    return slots.count(where: \.isHeld)
  }

  /// Some hosts use HTTP/2 on one connection and HTTP/1 on the next, and libcurl then mixes up replies (see
  /// ``LiveExchange``): all replies of such a round are dropped.
  private func note(_ slot: RoundSlot) {
    guard slot.isSecure, !slot.reply.isEmpty else { return }
    let host = questions.host(slot.index)
    if slot.isStream {
      lines[host].hasStreams = true
    } else if !lines[host].hasOthers || !lines[host].hasOnePort {
      lines[host].hasOthers = true
      if let url = unsafe HopURL(String(cString: questions.url(slot.index))) {
        serialOrigins.insert(url.origin)
      }
    }
    if lines[host].hasStreams, lines[host].hasOthers { (isMixed, isOdd) = (true, true) }
  }

  /// All replies and transfers in progress, for a loop that continues; the round is over. Call it once.
  package func handOver() -> EarlyReplies {
    slots.forEach(note)
    if isMixed {
      for slot in slots where slot.progress != .idle {
        multi.remove(slot.handle)
        slot.finish()
      }
      isConfirmed = Array(repeating: false, count: questions.count)
    }
    let live = slots.filter { $0.progress != .idle }
    slots = []
    idle = []
    return EarlyReplies(
      multi: multi, questions: questions, isConfirmed: isConfirmed, live: live, serialOrigins: serialOrigins)
  }
}
