import StateStore
import SyncModel

/// The jobs that wait for the ``Committer``, and when its thread has work; the clock is its only input.
struct CommitQueue: Sendable {
  /// Records of mere checks wait for company up to this many.
  private static let enoughChanges = 1000
  /// The same of files, which do not wait long after the group before them.
  private static let enoughFiles = 256
  /// The number of bodies that are written to files at once while they wait for company, so that little work
  /// remains after the last one.
  private static let enoughBodies = 16

  /// The present work.
  struct Work {
    /// To be made files.
    var bodies: [PendingOutput]
    /// The records to write together with all files to publish; `nil` if the files wait for a group.
    var changes: [StateChange]?
    /// To be published after everything else.
    var units: [UnitJob] = []
  }

  /// The same for records without files: the next group's intentions are written with them, in a chain those of the
  /// next link. After a crash their own intentions are enough.
  private static let longestWaitOfRecords = Duration.seconds(1)

  let longestWait: Duration
  private let clock: any RunClock
  private var jobs = Jobs()
  /// How many more bodies are files already, and wait for company.
  var made = 0
  /// Whether the thread knows that there is work.
  private var isScheduled = false
  /// Targets in progress may soon bring a file.
  var expectsCompany = false
  /// Published files whose records wait for company.
  var hasUnrecorded = false
  /// When the last group was in place, on the monotonic clock.
  var groupEnded: Duration?
  /// Nothing more will come, so that nothing waits for company.
  var isFinishing = false
  var loss: Loss

  private struct Jobs {
    var bodies: [PendingOutput] = []
    var changes: [StateChange] = []
    var units: [UnitJob] = []
  }

  /// What could not be recorded.
  struct Loss {
    var hasLostRecords = false
    /// The first reason; `nil` while there is none.
    var fault: StateFault?
  }

  init(longestWait: Duration, clock: any RunClock, fault: StateFault?) {
    self.clock = clock
    self.longestWait = longestWait
    loss = Loss(fault: fault)
  }

  mutating func add(_ body: PendingOutput) { jobs.bodies.append(body) }

  mutating func add(_ change: StateChange) { jobs.changes.append(change) }

  mutating func add(_ unit: UnitJob) { jobs.units.append(unit) }

  private var waiting: Int { jobs.bodies.count + made }

  /// Whether there is enough for a transaction.
  private var isDue: Bool {
    if !jobs.units.isEmpty { return true }
    if isFinishing { return waiting > 0 || !jobs.changes.isEmpty || hasUnrecorded }
    if jobs.changes.count >= Self.enoughChanges || waiting >= Self.enoughFiles { return true }
    if waiting > 0 { return !expectsCompany || left <= .zero }
    return hasUnrecorded && left <= .zero
  }

  private var hasWork: Bool { isDue || jobs.bodies.count >= Self.enoughBodies }

  /// How long files or records have yet to wait; not more than nothing when they have waited long enough.
  private var left: Duration {
    let wait = waiting > 0 ? longestWait : max(longestWait, Self.longestWaitOfRecords)
    return groupEnded.map { $0 + wait - clock.monotonic() } ?? .zero
  }

  /// The longest time until the next look; `nil` if nothing waits.
  var timeToLook: Duration? {
    guard waiting > 0 || hasUnrecorded else { return nil }
    // A group in progress reports its end by its letters.
    return isScheduled ? longestWait : min(max(left, .milliseconds(1)), longestWait)
  }

  /// Whether the thread must be woken; it must then ``take()`` until there is nothing, and ``rest()``.
  mutating func begin() -> Bool {
    guard hasWork, !isScheduled else { return false }
    isScheduled = true
    return true
  }

  /// `nil` if there is no work now.
  mutating func take() -> Work? {
    guard hasWork else { return nil }
    defer { jobs.bodies = [] }
    guard isDue else {
      made += jobs.bodies.count
      return Work(bodies: jobs.bodies, changes: nil)
    }
    made = 0
    defer { (jobs.changes, jobs.units) = ([], []) }
    return Work(bodies: jobs.bodies, changes: jobs.changes, units: jobs.units)
  }

  /// Whether there is still no work, so that the thread waits until it is woken.
  mutating func rest() -> Bool {
    isScheduled = hasWork
    return !isScheduled
  }
}
