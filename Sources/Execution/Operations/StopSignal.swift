import Platform

/// Lets another thread, such as the one that waits for signals, stop a run.
package final class StopSignal: Sendable {
  private let state = Monitor(State())

  private struct State: Sendable {
    var isStopped = false
    var action: (@Sendable () -> Void)?
    var lastAction: (@Sendable () -> Void)?
  }

  /// Nothing was stopped yet, and no action is set.
  package init() {}

  /// Whether ``stop()`` was called; any thread.
  package var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Asks the run to stop cleanly; any thread, any number of times.
  package func stop() {
    let action = state.withLock { state in
      state.isStopped = true
      return state.action
    }
    action?()
  }

  /// Whether a stop handler is installed; callable from any thread.
  package var isHeard: Bool { state.withLock { $0.action != nil } }

  /// The program ends now, whatever is at work: what others wait for is given back.
  package func abandon() { state.withLock { $0.lastAction }?() }

  /// Has `action` run on ``abandon()``.
  func onAbandon(_ action: (@Sendable () -> Void)?) { state.withLock { $0.lastAction = action } }

  /// Has `action` run on every ``stop()``, and at once if there was one already.
  func onStop(_ action: (@Sendable () -> Void)?) {
    let isStopped = state.withLock { state in
      state.action = action
      return state.isStopped
    }
    if isStopped { action?() }
  }
}
