package import SyncModel

/// The known facts of a run in progress, for a display that is drawn several times a second.
///
/// Times are relative to the run's start, from any monotonic clock.
package struct LiveRun: Sendable {
  /// A target on which something is being done.
  struct Active: Sendable, Equatable {
    enum Activity: Sendable, Equatable {
      /// A request is sent and no body comes yet.
      case asking
      /// Bytes of the body that are present, including those of an earlier run.
      case receiving(Int64)
      /// The next try begins at this time.
      case waiting(until: Duration)
    }

    var name: String
    var activity = Activity.asking
    /// The body's length; `nil` if the server did not send it.
    var expected: Int64?
    var rate = TransferRate()
  }

  private let manifest: Manifest
  private(set) var total = 0
  private(set) var done = 0
  /// Bytes of bodies that came in this run.
  private(set) var bytes: Int64 = 0
  private(set) var rate = TransferRate()
  /// In the order in which they began.
  private(set) var active: [Active] = []
  private var ids: [TargetID] = []
  /// Those that were counted as done before their results.
  private var withheld: Set<TargetID> = []

  /// State before the first event; `started` has the number of targets.
  package init(manifest: Manifest) { self.manifest = manifest }

  /// Whether every target has ended.
  package var isDone: Bool { done >= total }

  /// Takes in what happened at `now`.
  package mutating func handle(_ event: RunEvent, at now: Duration) {
    switch event {
    case .started(let targets): total = targets
    case .note(let id, .request): change(id) { $0.activity = .asking }
    case .received(let id, let progress): received(id, progress, now)
    case .retrying(let id, _, let wait, _): change(id) { $0.activity = .waiting(until: now + wait) }
    case .withheld(let id):
      if withheld.insert(id).inserted { done += 1 }
      forget(id)
    case .finished(let result):
      if !withheld.contains(result.id) { done += 1 }
      forget(result.id)
    case .waitingForLock, .decided, .nextMirror, .warning, .note, .tick: break
    case .began, .requested, .stepped, .publishing, .published: break
    }
  }

  /// The time for so many bytes at this speed; at most three hundred years, since a server may announce more than a
  /// duration can hold.
  static func time(for bytes: Double, at rate: Double) -> Duration { .seconds(min(bytes / rate, 1e10)) }

  /// The remaining time; `nil` while it is unknown, and when nothing is left.
  ///
  /// A target that has not begun counts with the average size of those that have arrived.
  func timeLeft(at now: Duration) -> Duration? {
    guard !isDone || !active.isEmpty else { return nil }
    guard let rate = rate.bytesPerSecond(at: now), rate > 0, done > 0 else { return nil }
    let begun = active.reduce(0.0) { sum, target in
      guard case .receiving(let here) = target.activity, let expected = target.expected else { return sum }
      return sum + Double(max(0, expected - here))
    }
    let waiting = Double(max(0, total - done - active.count)) * Double(bytes) / Double(done + active.count)
    return Self.time(for: begun + waiting, at: rate)
  }

  private mutating func received(_ id: TargetID, _ progress: BodyProgress, _ now: Duration) {
    bytes += progress.more
    rate.add(progress.more, at: now)
    change(id) {
      $0.activity = .receiving(progress.here)
      $0.expected = progress.total
      $0.rate.add(progress.more, at: now)
    }
  }

  private mutating func change(_ id: TargetID, _ body: (inout Active) -> Void) {
    if let index = ids.firstIndex(of: id) { return body(&active[index]) }
    ids.append(id)
    active.append(Active(name: CleanText.clean(manifest.secrets.shown(manifest[id].name))))
    body(&active[active.count - 1])
  }

  private mutating func forget(_ id: TargetID) {
    guard let index = ids.firstIndex(of: id) else { return }
    ids.remove(at: index)
    active.remove(at: index)
  }
}

/// Bytes a second over the last few seconds, in quarters of a second.
struct TransferRate: Sendable, Equatable {
  private static let quarter = Duration.milliseconds(250)
  private static let kept = 16

  private var quarters: [Int64: Int64] = [:]
  private var first: Int64?

  mutating func add(_ bytes: Int64, at now: Duration) {
    let number = Int64(now / Self.quarter)
    first = first ?? number
    quarters[number, default: 0] += bytes
    if quarters.count > Self.kept { quarters = quarters.filter { $0.key > number - Int64(Self.kept) } }
  }

  /// `nil` until a whole quarter has passed.
  func bytesPerSecond(at now: Duration) -> Double? {
    let number = Int64(now / Self.quarter)
    guard let first, number > first else { return nil }
    let from = max(first, number - Int64(Self.kept))
    let bytes = quarters.reduce(0) { $0 + (from..<number ~= $1.key ? $1.value : 0) }
    return Double(bytes) / (Double(number - from) / 4)
  }
}
