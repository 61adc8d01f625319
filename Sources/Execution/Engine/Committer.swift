import ContentPipeline
import LocalFiles
import Platform
import StateStore
import SyncModel

/// Publishes finished files and records them, in groups, so that many share each sync.
///
/// The order is the promise (contract, section 6): the bytes are on the disk before the name, the intention before
/// the rename, the name on the disk before the record. After a crash at any moment, the next run finds either the
/// old file with its record, or a file that an intention names.
///
/// It has one thread, and only that thread uses the state store.
final class Committer: @unchecked Sendable {
  private let store: (any RecordStore)?
  private let root: any OutputFolder
  /// `nil` if nothing can be written.
  private let bodies: (any BodyStore)?
  private let mailbox: Mailbox
  private let clock: any RunClock
  private let thread: any JobRunner
  private let queue: Monitor<CommitQueue>
  /// This thread's own.
  private var batch = CommitBatch()
  /// The number of transactions; valid after ``finish()``.
  private(set) var transactions = 0

  /// `store` is `nil` if nothing can be recorded; `fault` tells why.
  ///
  /// `longestWait` is how long files wait for company: by default an imperceptible time, in which a fast disk makes
  /// ten syncs.
  init(
    store: (any RecordStore)?, fault: StateFault? = nil, root: any OutputFolder, bodies: (any BodyStore)?,
    mailbox: Mailbox, clock: any RunClock, longestWait: Duration = .milliseconds(20),
    thread: any JobRunner = WorkerPool(threads: 1)
  ) {
    self.store = store
    queue = Monitor(CommitQueue(longestWait: longestWait, clock: clock, fault: fault))
    self.root = root
    self.bodies = bodies
    self.thread = thread
    self.mailbox = mailbox
    self.clock = clock
  }

  /// Puts a file in place, or aside; the ticket gets a ``Letter/published(_:)``.
  func publish(_ job: PublishJob, _ ticket: Ticket) {
    let pending = PendingOutput(job, ticket)
    change { $0.add(pending) }
  }

  /// Publishes a unit once everything before is in place and recorded; the ticket gets a ``Letter/unitPublished(_:)``.
  func publish(_ unit: UnitJob) {
    change { $0.add(unit) }
  }

  /// Remembers `change` some time before ``finish()`` returns.
  func remember(_ stateChange: StateChange) {
    change { $0.add(stateChange) }
  }

  /// Call it in every turn of the driver: files wait for each other only while more may come.
  ///
  /// Returns the longest time until the next call; `nil` if nothing waits.
  func expectCompany(_ isExpected: Bool) -> Duration? {
    change { $0.expectsCompany = isExpected }
    return queue.withLock { $0.timeToLook }
  }

  /// The result of recording a run.
  struct Account {
    /// Whether something could not be remembered, and why.
    var hasLostRecords: Bool
    var fault: StateFault?
    /// The new place of a damaged state, and the reason.
    var setAside: (path: String, why: String)?
  }

  /// Writes the rest and ends.
  func finish() -> Account {
    change { $0.isFinishing = true }
    thread.shutDown()
    let setAside = store?.setAside
    return queue.withLock {
      Account(hasLostRecords: $0.loss.hasLostRecords, fault: $0.loss.fault, setAside: setAside)
    }
  }

  /// Changes the queue, and wakes the thread if it now has work.
  private func change(_ change: (inout CommitQueue) -> Void) {
    let mustSubmit = queue.withLock { queue in
      change(&queue)
      return queue.begin()
    }
    if mustSubmit { thread.submit { self.drain() } }
  }

  private func drain() {
    while true {
      if let work = queue.withLock({ $0.take() }) {
        batch.ready += work.bodies.filter(make)
        if let changes = work.changes { placeReady(changes) }
        publish(work.units)
        queue.withLock { $0.made = batch.ready.count }
      } else if queue.withLock({ $0.rest() }) {
        return
      }
    }
  }

  /// Writes the body to a file; whether that succeeded. If not, its ticket gets the failure.
  private func make(_ pending: PendingOutput) -> Bool {
    do throws(FailureCause) {
      let signature = try pending.job.body.prepare(
        for: pending.job.record.output, over: pending.job.over, mode: pending.job.mode,
        modified: pending.job.modified)
      // After a crash it shows whether the rename happened.
      pending.job.record.signature.inode = signature.inode
      return true
    } catch {
      giveUp(pending, error)
      return false
    }
  }

  private func giveUp(_ pending: PendingOutput, _ cause: FailureCause) {
    mailbox.post(pending.ticket, .published(.failure(failure(of: pending.job, cause))))
  }

  private func failure(of job: PublishJob, _ cause: FailureCause) -> PublishFailure {
    PublishFailure(
      cause: cause, keptPartial: job.body.giveUp(job.record.download), isBegun: job.body.isBegun)
  }

  // MARK: Putting them in place

  /// Puts all files in place that are ready, or aside, and remembers `changes` with them.
  private func placeReady(_ changes: [StateChange]) {
    let group = synced(batch.ready)
    batch.ready = []
    guard group.contains(where: \.job.isWithheld) else { return place(group, with: changes) }
    let withheld = group.filter(\.job.isWithheld)
    // First, since the names of files that are put in place may not be recorded before they are on the disk.
    withhold(withheld, with: changes)
    if withheld.count < group.count { place(group.filter { !$0.job.isWithheld }, with: []) }
  }

  private func place(_ group: [PendingOutput], with changes: [StateChange]) {
    guard !group.isEmpty else {
      record(changes)
      return
    }
    let isIntended = record(changes, before: group)
    var placed: [RelativePath] = []
    var letters: [(Ticket, Letter)] = []
    let folders = PublishedGroup()
    for pending in group {
      let outcome = place(pending, isIntended: isIntended, in: folders)
      switch outcome {
      case .success(let signature):
        placed.append(pending.job.record.output)
        pending.job.record.signature = signature
        batch.unrecorded.append(.commit(pending.job.record))
      // The intention stays, so that the next run knows the new output for ours.
      case .failure where pending.job.body.isBegun: break
      case .failure: batch.unrecorded.append(.withdraw(output: pending.job.record.output))
      }
      letters.append((pending.ticket, .published(outcome)))
    }
    batch.unsynced = root.names(of: placed)
    queue.withLock { queue in
      queue.groupEnded = clock.monotonic()
      queue.hasUnrecorded = true
    }
    mailbox.free(group)
    mailbox.post(letters)
  }

  /// Puts all files of a group aside, and remembers `changes` with them.
  private func withhold(_ group: [PendingOutput], with changes: [StateChange]) {
    var outcomes: [Result<FileSignature, PublishFailure>] = []
    var withheld: [StateChange] = []
    for pending in group {
      do throws(FailureCause) {
        let signature = try pending.job.body.withhold(as: WithheldShelf.key(of: pending.job.record.output))
        pending.job.body.dropPartial()
        pending.job.record.signature = signature
        withheld.append(
          .withhold(WithheldOutput(record: pending.job.record, keepsTime: pending.job.modified != nil)))
        outcomes.append(.success(signature))
      } catch {
        outcomes.append(.failure(failure(of: pending.job, error)))
      }
    }
    // Without them on record nothing can be published in one step.
    let isRecorded = record(changes + withheld)
    mailbox.post(
      zip(group, outcomes).map { pending, outcome in
        guard case .success = outcome, !isRecorded else { return (pending.ticket, .published(outcome)) }
        let failure = PublishFailure(cause: stateFailure(pending.job.record.output), keptPartial: 0)
        return (pending.ticket, .published(.failure(failure)))
      })
  }

  private func publish(_ units: [UnitJob]) {
    guard !units.isEmpty else { return }
    // What the units were made from must not be older than they after a crash.
    placeReady([])
    for unit in units {
      let fault: WithheldPublication.Fault? =
        if let store { unit.publish(store) } else { .init(cause: stateFailure(unit.output)) }
      mailbox.post(unit.ticket, .unitPublished(fault))
    }
  }

  /// Makes the names of the last group durable, so that it may be recorded; if that fails, it is not recorded.
  ///
  /// Nothing is necessary on `devices`, which were synced since.
  private func syncNames(unlessOn devices: Set<UInt64> = []) {
    guard let names = batch.unsynced else { return }
    batch.unsynced = nil
    do throws(FailureCause) { try root.sync(names, unlessOn: devices) } catch {
      // In place, but perhaps not after a power cut: the intentions stay, and the next run checks.
      batch.unrecorded = []
    }
  }

  /// All of them with durable bytes, and the names of the group before; those without get the failure.
  private func synced(_ files: [PendingOutput]) -> [PendingOutput] {
    guard let bodies else {
      syncNames()
      return files
    }
    do throws(FailureCause) {
      let devices = try bodies.sync(files.map(\.job.body))
      syncNames(unlessOn: devices)
      return files
    } catch {
      // The system reports a fault only once: it may have concerned a name, and would then not be reported again.
      (batch.unsynced, batch.unrecorded) = (nil, [])
      // One of them is to blame; the others need not suffer.
      return files.filter { pending in
        do throws(FailureCause) {
          try pending.job.body.sync()
          return true
        } catch {
          giveUp(pending, error)
          return false
        }
      }
    }
  }

  private func place(
    _ pending: PendingOutput, isIntended: Bool, in group: PublishedGroup
  ) -> Result<FileSignature, PublishFailure> {
    do throws(FailureCause) {
      // Without its intention on disk a replaced output would look edited after a crash, and so would a new one where the
      // record is that of other bytes.
      if !isIntended, pending.job.isReplacement { throw stateFailure(pending.job.record.output) }
      let signature = try publish(pending, in: group)
      // Until now it was kept: after a crash the download would have resumed from it.
      pending.job.body.dropPartial()
      return .success(signature)
    } catch {
      return .failure(failure(of: pending.job, error))
    }
  }

  private func publish(
    _ pending: PendingOutput, in group: PublishedGroup
  ) throws(FailureCause) -> FileSignature {
    func publish(over: OutputObservation) throws(FailureCause) -> FileSignature {
      try pending.job.body.publish(
        over: over, mode: pending.job.mode, modified: pending.job.modified,
        expectedDigest: pending.job.overDigest, in: group)
    }
    do throws(FailureCause) {
      return try publish(over: pending.job.over)
    } catch {
      guard case .outputModified = error, let over = unedited(pending.job) else { throw error }
      return try publish(over: over)
    }
  }

  /// The file in the output's place, if its bytes are unchanged: a file's times also change when another of its
  /// names is replaced.
  private func unedited(_ job: PublishJob) -> OutputObservation? {
    guard case .file(let seen) = job.over, let digest = job.overDigest,
      let file = try? root.open(job.record.output), file.signature.size == seen.size,
      (try? file.identity([.sha256], isInVain: { false }))?.sha256 == digest
    else { return nil }
    let now = OutputObservation.file(file.signature)
    return root.observe(job.record.output) == now ? now : nil
  }

  private func stateFailure(_ output: RelativePath) -> FailureCause {
    let fault = queue.withLock { $0.loss.fault }
    if fault?.isDiskFull == true { return bodies?.isFull ?? .diskFull(path: fault?.path ?? output.text) }
    let reason = fault?.asPathFault ?? .records(text: "the state cannot be written: no state folder")
    return .outputUnwritable(path: output.text, reason)
  }

  /// Stores the due records and `more`, and the intentions of `ready`, all or nothing; `false` on failure.
  @discardableResult
  private func record(_ more: [StateChange], before ready: [PendingOutput] = []) -> Bool {
    let changes = batch.unrecorded + more
    guard !changes.isEmpty || !ready.isEmpty else {
      queue.withLock { $0.hasUnrecorded = false }
      return true
    }
    batch.unrecorded = []
    queue.withLock { $0.hasUnrecorded = false }
    guard let store else {
      queue.withLock { $0.loss.hasLostRecords = true }
      return false
    }
    do throws(StateFault) {
      transactions += 1
      try store.apply(ready.isEmpty ? changes : changes + ready.map { .intend($0.job.record) })
      mailbox.free(changes)
      return true
    } catch {
      queue.withLock { queue in
        queue.loss.hasLostRecords = true
        queue.loss.fault = queue.loss.fault ?? error
      }
      return false
    }
  }
}
