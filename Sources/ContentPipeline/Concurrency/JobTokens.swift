import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The places for work under a make that counts its jobs: the place of this program, and one for each of make's
/// tokens.
///
/// A worker takes a token when it has work and returns it afterwards, a few milliseconds later; no token is held
/// during a wait for the network. No thread waits for a token: without one, the work is left to the workers with a
/// place, and there is always at least one.
package final class JobTokens: Sendable {
  private struct State {
    var atWork = 0
    /// The most that were at work at once.
    var mostAtWork = 0
    var held: [UInt8] = []
    /// No more are taken.
    var isClosed = false
    /// Somebody found no place since the last one became free.
    var isWanted = false
    var listeners: [@Sendable () -> Void] = []
  }

  private let pipe: TokenPipe
  private let state = Monitor(State())

  /// `nil` if `MAKEFLAGS` names no jobserver, or it no longer exists.
  package init?(makeFlags: String) {
    guard let address = JobserverAddress(makeFlags: makeFlags), let pipe = TokenPipe(address) else {
      return nil
    }
    self.pipe = pipe
  }

  /// Takes a place; `false` if there is none.
  func begin() -> Bool { state.withLock { begin(&$0) } }

  /// Leaves the place that `begin` gave.
  func end() {
    let listeners = state.withLock { state in
      state.atWork -= 1
      giveBack(&state)
      defer { state.isWanted = false }
      return state.isWanted ? state.listeners : []
    }
    state.wakeAll()
    for listener in listeners { listener() }
  }

  /// Called now and then in a long job: gives up its place for a moment if another worker wants it.
  package func pause() {
    guard state.withLock({ $0.isWanted }) else { return }
    end()
    usleep(1000)
    state.wait { begin(&$0) ? () : nil }
  }

  /// Returns every token and takes no more, because the program is about to end, whatever work is in progress.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      for token in state.held { pipe.give(token) }
      state.held = []
    }
  }

  /// Runs `action` when a wanted place becomes free.
  func onPlace(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(action) } }

  /// The most that were at work at once.
  package var mostAtWork: Int { state.withLock { $0.mostAtWork } }

  private func begin(_ state: inout State) -> Bool {
    if state.atWork > state.held.count {
      guard !state.isClosed, let token = pipe.take() else {
        state.isWanted = true
        return false
      }
      state.held.append(token)
    }
    state.atWork += 1
    state.mostAtWork = max(state.mostAtWork, state.atWork)
    return true
  }

  /// One of those at work has the place that costs no token.
  private func giveBack(_ state: inout State) {
    while state.held.count > max(0, state.atWork - 1), let token = state.held.popLast() { pipe.give(token) }
  }
}
