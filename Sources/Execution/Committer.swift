import ContentPipeline
import LocalFiles
import StateStore
import SyncModel

/// A whole body: in a file of its own, which may still wait in memory, in a partial download that became whole, or in
/// both, where what is to be published was unpacked from what was kept.
struct FinishedBody: Sendable {
  var staged: StagedFile?
  var partial: PartialDownload?

  /// Keeps `download`, all that came, for the next run where it can be gone on from; `nil` is what never came.
  ///
  /// Returns how much of it, in bytes.
  func giveUp(_ download: ContentIdentity?) -> Int64 {
    staged?.discard()
    guard let partial, let download else { return 0 }
    // Where that cannot be written, an earlier checkpoint has to do.
    if let sha256 = download.sha256 { try? partial.note(.init(offset: download.size, sha256: sha256)) }
    return partial.keep()
  }
}

/// A finished body that is to become an output.
struct PublishJob: Sendable {
  var body: FinishedBody
  /// What will be true once it is in place; the signature is filled in then.
  var record: TargetRecord
  /// What stood there when the target was judged; anything else by now is an edit, and is kept.
  var over: OutputObservation
  /// The digest of what stood there; `nil` where it is not known.
  var overDigest: HexDigest?
  var mode: UInt16?
  var modified: Timestamp?
}

/// Puts finished files in place and remembers them, in groups, so that many share each sync.
///
/// The order is the promise (SPEC section 6): the bytes are on disk before the name, the intention
/// before the rename, the rename before the record. Whatever moment a crash picks, the next run finds
/// either the old file with its record, or a file that an intention names.
///
/// It has one thread of its own, and the state store is used on that thread alone.
final class Committer: @unchecked Sendable {
  /// Records of mere checks wait for company up to this many.
  private static let enoughChanges = 1000
  /// The same of files, which do not wait long after the group before them.
  private static let enoughFiles = 256
  /// So many bodies are made files at once, while these wait for company: what is left to do when the last one is here
  /// is done by one thread alone.
  private static let enoughBodies = 16

  private struct Queue: Sendable {
    let longestWait: Duration
    var jobs: [(job: PublishJob, ticket: Ticket)] = []
    /// How many more are files already, and wait for company.
    var made = 0
    var changes: [StateChange] = []
    var isScheduled = false
    /// Targets are under way that may bring a file soon.
    var expectsCompany = false
    /// When the last group was in place, on the monotonic clock.
    var groupEnded: Duration?
    /// Nothing more will come, so that nothing waits for company.
    var isFinishing = false
    var hasLostRecords = false
    var fault: StateFault?

    var waiting: Int { jobs.count + made }

    /// Whether there is what is worth a transaction.
    var isDue: Bool {
      if isFinishing { return waiting > 0 || !changes.isEmpty }
      if changes.count >= Committer.enoughChanges || waiting >= Committer.enoughFiles { return true }
      return waiting > 0 && (!expectsCompany || left <= .zero)
    }

    var hasWork: Bool { isDue || jobs.count >= Committer.enoughBodies }

    /// How long files have yet to wait; not more than nothing when they have waited long enough.
    var left: Duration { groupEnded.map { $0 + longestWait - SystemClock.monotonic() } ?? .zero }

    /// What is to be done now; `nil` where nothing is.
    mutating func take() -> Work? {
      guard hasWork else { return nil }
      defer { jobs = [] }
      guard isDue else {
        made += jobs.count
        return Work(jobs: jobs, changes: nil)
      }
      made = 0
      defer { changes = [] }
      return Work(jobs: jobs, changes: changes)
    }
  }

  private struct Work {
    /// To be made files.
    var jobs: [(job: PublishJob, ticket: Ticket)]
    /// To be remembered together with all files, which are to be put in place; `nil` where these wait for company.
    var changes: [StateChange]?
  }

  private let store: StateStore?
  private let root: RootFolder
  private let folder: StateFolder?
  private let mailbox: Mailbox
  private let thread = WorkerPool(threads: 1)
  private let queue: Monitor<Queue>
  /// Those that are files and wait for company; this thread's own.
  private var ready: [Ready] = []
  /// What is in place and not recorded yet; this thread's own.
  private var unrecorded: [StateChange] = []
  /// So many were made; to be looked at after ``finish()``.
  private(set) var transactions = 0

  /// `store` is `nil` where nothing can be remembered, for which `fault` says why.
  ///
  /// `longestWait` is how long files wait for company: by default what a person does not notice, and what ten
  /// syncs of a fast disk take.
  init(
    store: StateStore?, fault: StateFault? = nil, root: RootFolder, folder: StateFolder?, mailbox: Mailbox,
    longestWait: Duration = .milliseconds(20)
  ) {
    self.store = store
    queue = Monitor(Queue(longestWait: longestWait, fault: fault))
    self.root = root
    self.folder = folder
    self.mailbox = mailbox
  }

  /// Puts a file in place; the ticket gets a ``Letter/published(_:)``.
  func publish(_ job: PublishJob, _ ticket: Ticket) {
    schedule { $0.jobs.append((job, ticket)) }
  }

  /// Remembers `change` some time before ``finish()`` returns.
  func remember(_ change: StateChange) {
    schedule { $0.changes.append(change) }
  }

  /// To be called in every turn of the driver: files wait for each other only while more may come.
  ///
  /// Returns after what time to call it again, at the latest; `nil` where nothing waits.
  func expectCompany(_ isExpected: Bool) -> Duration? {
    schedule { $0.expectsCompany = isExpected }
    return queue.withLock { queue in
      guard queue.waiting > 0 else { return nil }
      // A group that is under way says by its letters when it has ended.
      return queue.isScheduled ? queue.longestWait : max(queue.left, .milliseconds(1))
    }
  }

  /// What became of the records of a run.
  struct Account {
    /// Whether something could not be remembered, and why.
    var hasLostRecords: Bool
    var fault: StateFault?
    /// Where a damaged state was put, and why.
    var setAside: (path: String, why: String)?
  }

  /// Writes what is left and ends.
  func finish() -> Account {
    schedule { $0.isFinishing = true }
    thread.shutDown()
    let setAside = store?.setAside
    return queue.withLock {
      Account(hasLostRecords: $0.hasLostRecords, fault: $0.fault, setAside: setAside)
    }
  }

  private func schedule(_ change: (inout Queue) -> Void) {
    let mustSubmit = queue.withLock { queue in
      change(&queue)
      guard queue.hasWork, !queue.isScheduled else { return false }
      queue.isScheduled = true
      return true
    }
    if mustSubmit { thread.submit { self.drain() } }
  }

  private func drain() {
    while true {
      if let work = queue.withLock({ $0.take() }) {
        make(work.jobs)
        if let changes = work.changes { process(changes) }
        queue.withLock { $0.made = ready.count }
      } else {
        // What comes next takes these records along.
        if ready.isEmpty { record([]) }
        let isIdle = queue.withLock { queue in
          guard !queue.hasWork else { return false }
          queue.isScheduled = false
          return true
        }
        if isIdle { return }
      }
    }
  }

  /// A job whose bytes are in a file, which may not be on the disk yet.
  private struct Ready: Sendable {
    var job: PublishJob
    var staged: StagedFile
    var ticket: Ticket
  }

  private func process(_ changes: [StateChange]) {
    let ready = synced()
    guard !ready.isEmpty else {
      _ = record(changes)
      return
    }
    let isIntended = record(changes + ready.map { .intend($0.job.record) })
    var placed: [RelativePath] = []
    var letters: [(Ticket, Letter)] = []
    let group = PublishedGroup()
    for one in ready {
      let outcome = place(one, isIntended: isIntended, in: group)
      switch outcome {
      case .success(let signature):
        placed.append(one.job.record.output)
        var record = one.job.record
        record.signature = signature
        unrecorded.append(.commit(record))
      case .failure: unrecorded.append(.withdraw(output: one.job.record.output))
      }
      letters.append((one.ticket, .published(outcome)))
    }
    do throws(FailureCause) { try root.syncFolders(of: placed) } catch {
      // In place, but perhaps not after a power cut: the intentions stay, and the next run checks.
      unrecorded = []
    }
    queue.withLock { $0.groupEnded = SystemClock.monotonic() }
    mailbox.free(ready)
    mailbox.post(letters)
  }

  /// Makes each body a file; those that cannot be are told so.
  private func make(_ jobs: [(job: PublishJob, ticket: Ticket)]) {
    for (job, ticket) in jobs {
      do throws(FailureCause) {
        let staged = try staged(job)
        var job = job
        job.body.staged = staged
        let signature = try staged.prepare(over: job.over, mode: job.mode, modified: job.modified)
        // After a crash it tells whether the rename came to pass.
        job.record.signature.inode = signature.inode
        ready.append(Ready(job: job, staged: staged, ticket: ticket))
      } catch {
        give(up: job, ticket, error)
      }
    }
  }

  /// All that are ready, with their bytes on the disk; those of which that cannot be said are told so.
  private func synced() -> [Ready] {
    defer { ready = [] }
    guard let folder else { return ready }
    do throws(FailureCause) {
      try StagedFile.syncAll(ready.map(\.staged), in: folder)
      return ready
    } catch {
      // One of them is to blame; the others need not suffer.
      return ready.filter { one in
        do throws(FailureCause) {
          try one.staged.sync()
          return true
        } catch {
          give(up: one.job, one.ticket, error)
          return false
        }
      }
    }
  }

  private func staged(_ job: PublishJob) throws(FailureCause) -> StagedFile {
    if let staged = job.body.staged { return staged }
    guard let partial = job.body.partial, let folder else { throw .internalError("a body without a file") }
    return try partial.intoStaged(for: job.record.output, root: root, in: folder)
  }

  private func give(up job: PublishJob, _ ticket: Ticket, _ cause: FailureCause) {
    mailbox.post(ticket, .published(.failure(failure(of: job, cause))))
  }

  private func failure(of job: PublishJob, _ cause: FailureCause) -> PublishFailure {
    PublishFailure(cause: cause, keptPartial: job.body.giveUp(job.record.download))
  }

  private func place(
    _ ready: Ready, isIntended: Bool, in group: PublishedGroup
  ) -> Result<FileSignature, PublishFailure> {
    do throws(FailureCause) {
      // Without its intention on disk a replaced output would look edited after a crash.
      if !isIntended, case .file = ready.job.over { throw stateFailure(ready.job.record.output) }
      let signature = try publish(ready, in: group)
      // Until now it was worth keeping: what had come would have been gone on from after a crash.
      ready.job.body.partial?.discard()
      return .success(signature)
    } catch {
      return .failure(failure(of: ready.job, error))
    }
  }

  private func publish(_ ready: Ready, in group: PublishedGroup) throws(FailureCause) -> FileSignature {
    let (job, staged) = (ready.job, ready.staged)
    do throws(FailureCause) {
      return try staged.publish(
        over: job.over, mode: job.mode, modified: job.modified, expectedDigest: job.overDigest, in: group)
    } catch {
      guard case .outputModified = error, let over = unedited(job) else { throw error }
      return try staged.publish(
        over: over, mode: job.mode, modified: job.modified, expectedDigest: job.overDigest, in: group)
    }
  }

  /// What stands in the output's place, if its bytes are still what they were: a file's times also change when another
  /// of its names is replaced.
  private func unedited(_ job: PublishJob) -> OutputObservation? {
    guard case .file(let seen) = job.over, let digest = job.overDigest,
      let file = try? root.open(job.record.output), file.signature.size == seen.size,
      (try? ContentDigest.of(file, [.sha256]))?.sha256 == digest
    else { return nil }
    let now = OutputObservation.file(file.signature)
    return root.observe(job.record.output) == now ? now : nil
  }

  private func stateFailure(_ output: RelativePath) -> FailureCause {
    let fault = queue.withLock { $0.fault }
    if fault?.isDiskFull == true { return .diskFull(path: fault?.path ?? output.text) }
    return .outputUnwritable(
      path: output.text,
      .system(
        errno: fault?.systemError ?? 0,
        text: "the state cannot be written: \(fault?.text ?? "no state folder")"))
  }

  /// Stores what is due and `more`, all or nothing; `false` when that could not be done.
  @discardableResult
  private func record(_ more: [StateChange]) -> Bool {
    let changes = unrecorded + more
    guard !changes.isEmpty else { return true }
    unrecorded = []
    guard let store else {
      queue.withLock { $0.hasLostRecords = true }
      return false
    }
    do throws(StateFault) {
      transactions += 1
      try store.apply(changes)
      mailbox.free(changes)
      return true
    } catch {
      queue.withLock { queue in
        queue.hasLostRecords = true
        queue.fault = queue.fault ?? error
      }
      return false
    }
  }
}
