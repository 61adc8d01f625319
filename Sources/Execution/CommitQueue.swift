import LocalFiles
import StateStore
import SyncModel

/// What waits for the ``Committer``, and when its thread has something to do; it looks at
/// the clock and at nothing else.
struct CommitQueue: Sendable {
  /// Records of mere checks wait for company up to this many.
  private static let enoughChanges = 1000
  /// The same of files, which do not wait long after the group before them.
  private static let enoughFiles = 256
  /// So many bodies are made files at once, while these wait for company: what is left to do when the last one is here
  /// is done by one thread alone.
  private static let enoughBodies = 16

  /// What is to be done now.
  struct Work {
    /// To be made files.
    var bodies: [PendingOutput]
    /// To be remembered together with all files, which are to be put in place; `nil` where these wait for company.
    var changes: [StateChange]?
  }

  let longestWait: Duration
  private var bodies: [PendingOutput] = []
  /// How many more are files already, and wait for company.
  var made = 0
  private var changes: [StateChange] = []
  /// Whether the thread was told that there is something to do.
  private var isScheduled = false
  /// Targets are under way that may bring a file soon.
  var expectsCompany = false
  /// When the last group was in place, on the monotonic clock.
  var groupEnded: Duration?
  /// Nothing more will come, so that nothing waits for company.
  var isFinishing = false
  var hasLostRecords = false
  var fault: StateFault?

  init(longestWait: Duration, fault: StateFault?) {
    self.longestWait = longestWait
    self.fault = fault
  }

  mutating func add(_ body: PendingOutput) { bodies.append(body) }

  mutating func add(_ change: StateChange) { changes.append(change) }

  private var waiting: Int { bodies.count + made }

  /// Whether there is what is worth a transaction.
  private var isDue: Bool {
    if isFinishing { return waiting > 0 || !changes.isEmpty }
    if changes.count >= Self.enoughChanges || waiting >= Self.enoughFiles { return true }
    return waiting > 0 && (!expectsCompany || left <= .zero)
  }

  private var hasWork: Bool { isDue || bodies.count >= Self.enoughBodies }

  /// How long files have yet to wait; not more than nothing when they have waited long enough.
  private var left: Duration { groupEnded.map { $0 + longestWait - SystemClock.monotonic() } ?? .zero }

  /// After what time to look again, at the latest; `nil` where nothing waits.
  var timeToLook: Duration? {
    guard waiting > 0 else { return nil }
    // A group that is under way says by its letters when it has ended.
    return isScheduled ? longestWait : max(left, .milliseconds(1))
  }

  /// Whether the thread is to be told; it must then ``take()`` until there is nothing, and ``rest()``.
  mutating func begin() -> Bool {
    guard hasWork, !isScheduled else { return false }
    isScheduled = true
    return true
  }

  /// `nil` where nothing is to be done now.
  mutating func take() -> Work? {
    guard hasWork else { return nil }
    defer { bodies = [] }
    guard isDue else {
      made += bodies.count
      return Work(bodies: bodies, changes: nil)
    }
    made = 0
    defer { changes = [] }
    return Work(bodies: bodies, changes: changes)
  }

  /// Whether there is still nothing to be done, so that the thread is to wait until it is told anew.
  mutating func rest() -> Bool {
    isScheduled = hasWork
    return !isScheduled
  }
}
