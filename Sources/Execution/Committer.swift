import ContentPipeline
import LocalFiles
import StateStore
import SyncModel

/// A finished file that is to become an output.
struct PublishJob: Sendable {
  var staged: StagedFile
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

  private struct Queue: Sendable {
    var jobs: [(job: PublishJob, ticket: Ticket)] = []
    var changes: [StateChange] = []
    var isScheduled = false
    var hasLostRecords = false
    var fault: StateFault?
  }

  private let store: StateStore?
  private let root: RootFolder
  private let folder: StateFolder?
  private let mailbox: Mailbox
  private let thread = WorkerPool(threads: 1)
  private let queue = Monitor(Queue())
  /// What is in place and not recorded yet; this thread's own.
  private var unrecorded: [StateChange] = []

  /// `store` is `nil` where nothing can be remembered.
  init(store: StateStore?, root: RootFolder, folder: StateFolder?, mailbox: Mailbox) {
    self.store = store
    self.root = root
    self.folder = folder
    self.mailbox = mailbox
  }

  /// Puts a file in place; the ticket gets a ``Letter/published(_:)``.
  func publish(_ job: PublishJob, _ ticket: Ticket) {
    schedule { queue in
      queue.jobs.append((job, ticket))
      return true
    }
  }

  /// Remembers `change` some time before ``finish()`` returns.
  func remember(_ change: StateChange) {
    schedule { queue in
      queue.changes.append(change)
      return queue.changes.count >= Self.enoughChanges
    }
  }

  /// Writes what is left and ends; says what could not be remembered, and why.
  func finish() -> (hasLostRecords: Bool, fault: StateFault?) {
    schedule { !$0.changes.isEmpty }
    thread.shutDown()
    return queue.withLock { ($0.hasLostRecords, $0.fault) }
  }

  private func schedule(_ change: (inout Queue) -> Bool) {
    let mustSubmit = queue.withLock { queue in
      guard change(&queue), !queue.isScheduled else { return false }
      queue.isScheduled = true
      return true
    }
    if mustSubmit { thread.submit { self.drain() } }
  }

  private func drain() {
    while true {
      let (jobs, changes) = queue.withLock { queue in
        defer {
          queue.jobs = []
          queue.changes = []
        }
        return (queue.jobs, queue.changes)
      }
      if jobs.isEmpty, changes.isEmpty {
        record([])
        let isIdle = queue.withLock { queue in
          guard queue.jobs.isEmpty, queue.changes.isEmpty else { return false }
          queue.isScheduled = false
          return true
        }
        if isIdle { return }
      } else {
        process(jobs, changes)
      }
    }
  }

  private func process(_ jobs: [(job: PublishJob, ticket: Ticket)], _ changes: [StateChange]) {
    guard !jobs.isEmpty else {
      _ = record(changes)
      return
    }
    do throws(FailureCause) {
      if let folder { try StagedFile.syncAll(jobs.map(\.job.staged), in: folder) }
    } catch {
      for (_, ticket) in jobs { mailbox.post(ticket, .published(.failure(error))) }
      _ = record(changes)
      return
    }
    let isIntended = record(changes + jobs.map { .intend($0.job.record) })
    var placed: [RelativePath] = []
    var letters: [(Ticket, Letter)] = []
    for (job, ticket) in jobs {
      let outcome = place(job, isIntended: isIntended)
      switch outcome {
      case .success(let signature):
        placed.append(job.record.output)
        var record = job.record
        record.signature = signature
        unrecorded.append(.commit(record))
      case .failure: unrecorded.append(.withdraw(output: job.record.output))
      }
      letters.append((ticket, .published(outcome)))
    }
    do throws(FailureCause) { try root.syncFolders(of: placed) } catch {
      // In place, but perhaps not after a power cut: the intentions stay, and the next run checks.
      unrecorded = []
    }
    for (ticket, letter) in letters { mailbox.post(ticket, letter) }
  }

  private func place(_ job: PublishJob, isIntended: Bool) -> Result<FileSignature, FailureCause> {
    // Without its intention on disk a replaced output would look edited after a crash.
    if !isIntended, case .file = job.over {
      job.staged.discard()
      return .failure(stateFailure(job.record.output))
    }
    return Result { () throws(FailureCause) in
      try job.staged.publish(
        over: job.over, mode: job.mode, modified: job.modified, expectedDigest: job.overDigest)
    }
  }

  private func stateFailure(_ output: RelativePath) -> FailureCause {
    let fault = queue.withLock { $0.fault }
    if fault?.isDiskFull == true { return .diskFull(path: fault?.path ?? output.text) }
    return .outputUnwritable(
      path: output.text,
      .system(errno: 0, text: "the state cannot be written: \(fault?.text ?? "no state folder")"))
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
      try store.apply(changes)
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
