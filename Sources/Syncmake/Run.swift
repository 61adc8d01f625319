import Execution

/// A run of a manifest: the events as they happen. The last one, ``Event/ended(_:)``, has the result.
///
/// It begins when its events are asked for, on a thread of its own, and each time anew. If the task is cancelled, or the
/// iterator is dropped, it stops within two seconds, once the manifest was read; a cancelled task still gets the last event,
/// after everything has ended. What was finished stays, and a partial download is resumed by the next run.
public struct Run: AsyncSequence, Sendable {
  /// What happens in a run.
  public typealias Element = Event
  /// A run ends with a result, whatever happens.
  public typealias Failure = Never

  /// Blocks until the run has ended, and calls the handler on this thread.
  let work: @Sendable (StopSignal, @escaping (Event) -> Void) -> RunResult

  /// Begins the run.
  public func makeAsyncIterator() -> Iterator { Iterator(work) }

  /// Runs to the end and returns the result, in which targets may have failed.
  ///
  /// Throws only if no target came to an end: the run could not begin, or the task was cancelled first. Otherwise the
  /// result has the error of what followed.
  public func result() async throws(SyncError) -> RunResult {
    let stop = StopSignal()
    let work = work
    let result = try await RunThread.perform(stop: stop) { work(stop) { _ in } }
    if let error = result.error, result.targets.allSatisfy({ $0.outcome == .skipped }) { throw error }
    return result
  }

  /// The events of one run.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    private let feed = EventFeed()
    private let owner = Owner()

    fileprivate init(_ work: @escaping @Sendable (StopSignal, @escaping (Event) -> Void) -> RunResult) {
      let (feed, stop) = (feed, owner.stop)
      let isStarted = RunThread.start { feed.send(.ended(work(stop, feed.send))) }
      if !isStarted { feed.send(.ended(RunResult(RunThread.noThread))) }
    }

    /// The next event; `nil` after the last one. Of several tasks that ask, each gets other events.
    public func next() async -> Event? {
      await withTaskCancellationHandler {
        await feed.next()
      } onCancel: {
        owner.stop.stop()
      }
    }

    /// The next event; `nil` after the last one.
    public func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Event? { await next() }

    /// Stops the run with the last iterator.
    private final class Owner: Sendable {
      let stop = StopSignal()

      deinit { stop.stop() }
    }
  }
}
