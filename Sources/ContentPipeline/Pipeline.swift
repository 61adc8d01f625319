package import LocalFiles
import Platform
import SyncModel

/// Processes one body into its file.
///
/// One thread, the driver's, calls it; the work runs on the pool, one job at a time. With a partial and without a
/// decompression step, the bytes go only into the partial, which becomes the output later. With a decompression
/// step, they go into the partial, if there is one, and the decompressed bytes into `output`. Without a partial,
/// the result goes into `output`; with neither, the bytes are only digested. Memory: at most about 15 MiB for any
/// size of body, plus the decoders' needs.
///
/// The files belong to the pipeline until `.finished`, `.refused` or `.failed`, until `cancel` returns, or until the closure of
/// `flush` is called.
package final class Pipeline: @unchecked Sendable {
  private let entry = Monitor(PipelineQueue())
  // Used only by the job that `PipelineQueue.isRunning` stands for.
  private let chain: StageChain
  /// Whether the end of the bytes has come.
  private var hasAll = false
  private let hasPartial: Bool
  private let pool: WorkerPool
  private let onEvent: @Sendable (PipelineEvent) -> Void

  /// Starts nothing yet; `onEvent` is called on threads of the pool, one call at a time.
  package init(
    spec: PipelineSpec, output: StagedFile?, partial: PartialDownload?, pool: WorkerPool,
    onEvent: @escaping @Sendable (PipelineEvent) -> Void
  ) {
    let entry = entry
    chain = StageChain(spec, output: output, partial: partial, pool: pool) {
      entry.withLock { $0.isInVain }
    }
    hasPartial = partial != nil
    self.pool = pool
    self.onEvent = onEvent
  }

  /// Bytes pushed since the start, those restored from the partial included.
  package var acceptedBytes: Int64 { entry.withLock { $0.accepted } }

  /// Reads the partial back up to its last valid checkpoint, and truncates it there.
  ///
  /// Call it before the first push; then wait for `.restored`, which says where to continue. A checkpoint is valid
  /// if the digest of all bytes before it is the recorded one. The bytes pass the steps again.
  package func restore() { send(.restore) }

  /// Copies the next bytes, or none: `false` means that there is no room and `.drained` will follow.
  ///
  /// After a failure, the end, `flush` or `cancel`, bytes are dropped and the result is `true`. There is always room
  /// for at least one call if nothing is queued; otherwise 3 MiB may wait.
  package func push(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (isTaken, mustRun) = entry.withLock {
      unsafe $0.push(bytes, from: pool.blocks, isDurable: hasPartial)
    }
    if mustRun { schedule() }
    return isTaken
  }

  /// There are no more bytes: `.finished`, `.refused` or `.failed` will follow.
  ///
  /// The last two name the first step in order that the bytes fail.
  package func finish() { send(.finish) }

  /// Ends the pipeline so that the download can be resumed: calls `done`, on a thread of the pool, once everything
  /// pushed so far is in the partial, with a checkpoint.
  ///
  /// What the steps would make of the bytes is given up, since a few bytes may unpack to very many. No event of it
  /// follows, and the pipeline takes nothing more. `done` is called after a failure and after `cancel` too, and then
  /// nothing is written; the files are the caller's from then on. After a restore that is under way the partial stays
  /// as it is.
  ///
  /// `lengthIsKnown`: whether more bytes would have come if these were not all. Otherwise the end of a whole body is left to
  /// be asked for again, since that tells the length.
  package func flush(lengthIsKnown: Bool = true, _ done: @escaping @Sendable () -> Void) {
    send(.flush(notesEnd: lengthIsKnown, done))
  }

  /// Ends the pipeline and frees the queue. When it returns, no event follows, and the files belong to the caller.
  ///
  /// The files are unchanged. It waits for the work on one block, and for 2 MiB to be written, at most; must not be
  /// called from `onEvent`.
  package func cancel() {
    recycle(entry.withLock { $0.end() })
    entry.wait { $0.claimForStopping() }
    chain.stop()
    entry.withLock { $0.isStopping = false }
    entry.wakeAll()
  }

  private func send(_ command: PipelineQueue.Command) {
    if entry.withLock({ $0.add(command) }) { schedule() }
  }

  private func schedule() { pool.submit { self.run() } }

  private func recycle(_ dropped: [Block]) { dropped.forEach(pool.blocks.give) }
}

// MARK: - on the pool

extension Pipeline {
  /// A job's share of the work, repeated until there is none, or other pipelines want their turn.
  private func run() {
    repeat {
      for _ in 0..<4 {
        guard case .work(let turn) = entry.wait(until: { $0.next() }) else { return }
        if turn.isDrained { onEvent(.drained) }
        if turn.isEnded { performEnded(turn.command) } else { perform(turn.command) }
        entry.withLock { $0.isWorking = false }
        entry.wakeAll()
      }
    } while !pool.isWanted
    schedule()
  }

  private func perform(_ command: PipelineQueue.Command) {
    do throws(FailureCause) {
      switch command {
      case .bytes(let block): try chain.take(block)
      case .restore: restored(try chain.restore { self.isInVain })
      case .finish: try finishChain()
      case .flush(let notesEnd, let done):
        defer { done() }
        do throws(FailureCause) { try chain.flush(notes: notesEnd || !hasAll) } catch { end(.failed(error)) }
      }
    } catch {
      end(.failed(error))
    }
  }

  /// A flush that comes before the end is there, is next, and keeps the download.
  private func finishChain() throws(FailureCause) {
    hasAll = true
    if isInVain { return }
    do throws(FailureCause) { end(try chain.finish()) } catch { if !isInVain { throw error } }
  }

  private var isInVain: Bool { entry.withLock { $0.isInVain } }

  private func performEnded(_ command: PipelineQueue.Command) {
    switch command {
    case .bytes(let block): pool.blocks.give(block)
    case .flush(_, let done):
      chain.stop()
      done()
    case .restore, .finish: break
    }
  }

  private func restored(_ offset: Int64?) {
    guard let offset else { return recycle(entry.withLock { $0.end() }) }
    let isWanted = entry.withLock { entry in
      entry.accepted = offset
      return !entry.isInVain
    }
    if isWanted { onEvent(.restored(offset: offset)) }
  }

  private func end(_ event: PipelineEvent) {
    chain.stop()
    let (isWanted, dropped) = entry.withLock { entry in (!entry.isInVain, entry.end()) }
    recycle(dropped)
    if isWanted { onEvent(event) }
  }
}
