package import LocalFiles
import SyncModel

/// One body's way to its file.
///
/// One thread, the driver's, calls it; the work happens on the pool, one job at a time. Without a step that
/// decompresses and with a partial the bytes go into the partial only, which becomes the output later; with one they go
/// into the partial, if there is one, and what is unpacked into `output`; without a partial what comes out goes
/// into `output`; with neither the bytes are only digested. Memory: at most about 15 MiB whatever the body's size,
/// and what the decoders need.
///
/// The files belong to the pipeline until `.finished` or `.failed`, until `cancel` returns, or until the closure
/// given to `flush` is called.
package final class Pipeline: @unchecked Sendable {
  private let entry = Monitor(PipelineQueue())
  // Touched only by the job that `PipelineQueue.isRunning` stands for.
  private let chain: StageChain
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
      entry.withLock { $0.isEnded }
    }
    hasPartial = partial != nil
    self.pool = pool
    self.onEvent = onEvent
  }

  /// Bytes pushed since the start, those restored from the partial included.
  package var acceptedBytes: Int64 { entry.withLock { $0.accepted } }

  /// Reads the partial back up to its last checkpoint that proves itself, and cuts it off there.
  ///
  /// To be called before anything is pushed; nothing may be pushed until `.restored` says where to go on. A
  /// checkpoint proves itself when the digest of all bytes before it is the one noted. The bytes pass the steps
  /// again.
  package func restore() { send(.restore) }

  /// Takes a copy of the next bytes, or nothing: `false` means that there is no room and `.drained` will come.
  ///
  /// After a failure, the end or `cancel` the bytes are dropped and the answer is `true`. There is always room
  /// for at least one call when nothing is queued; otherwise 3 MiB may wait.
  package func push(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (isTaken, mustRun) = entry.withLock {
      unsafe $0.push(bytes, from: pool.blocks, isDurable: hasPartial)
    }
    if mustRun { schedule() }
    return isTaken
  }

  /// There are no more bytes: `.finished` or `.failed` will come.
  ///
  /// `.failed` names the first step in order that the bytes do not pass.
  package func finish() { send(.finish) }

  /// Calls `done`, on a thread of the pool, once everything pushed so far is written and a checkpoint noted.
  ///
  /// `done` is called after a failure and after `cancel` too, and then nothing is written; the files are the
  /// caller's from then on, unless more is pushed. A restore that is under way is given up: the partial stays
  /// as it is, no event follows, and the pipeline takes nothing more.
  package func flush(_ done: @escaping @Sendable () -> Void) { send(.flush(done)) }

  /// Ends the pipeline: frees what is queued, and when it returns no event follows and the files are the caller's.
  ///
  /// They stay as they are. Waits for the work on one block at most, and for 2 MiB to be written; not to be
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
  /// A job's share of the work, over and over until there is none, or other pipelines want theirs.
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
      case .restore: restored(try chain.restore { self.entry.withLock { $0.isRestoringInVain } })
      case .finish: end(.finished(try chain.finish()))
      case .flush(let done):
        defer { done() }
        do throws(FailureCause) { try chain.flush() } catch { end(.failed(error)) }
      }
    } catch {
      end(.failed(error))
    }
  }

  private func performEnded(_ command: PipelineQueue.Command) {
    switch command {
    case .bytes(let block): pool.blocks.give(block)
    case .flush(let done):
      chain.stop()
      done()
    case .restore, .finish: break
    }
  }

  private func restored(_ offset: Int64?) {
    guard let offset else { return recycle(entry.withLock { $0.end() }) }
    let isWanted = entry.withLock { entry in
      entry.accepted = offset
      return !entry.isEnded
    }
    if isWanted { onEvent(.restored(offset: offset)) }
  }

  private func end(_ event: PipelineEvent) {
    chain.stop()
    let (isWanted, dropped) = entry.withLock { entry in (!entry.isEnded, entry.end()) }
    recycle(dropped)
    if isWanted { onEvent(event) }
  }
}
