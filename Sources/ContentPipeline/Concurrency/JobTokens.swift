import LocalFiles

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Places at work under a make that counts its jobs: the one that this program was started with, and one more for
/// each token of make's.
///
/// A token is taken when a worker has something to do and is given back when it has done it, a few milliseconds
/// later; none is held while the network is waited for. Nobody waits for a token: without one the work is left to
/// those who have a place, of whom there can always be one.
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

  /// `nil` where `MAKEFLAGS` names no jobserver, or there is none any more.
  package init?(makeFlags: String) {
    guard let address = JobserverAddress(makeFlags: makeFlags), let pipe = TokenPipe(address) else {
      return nil
    }
    self.pipe = pipe
  }

  /// Takes a place; `false` where there is none now.
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

  /// To be called now and then in a long job: leaves its place for a moment, if somebody wants it.
  package func pause() {
    guard state.withLock({ $0.isWanted }) else { return }
    end()
    usleep(1000)
    state.wait { begin(&$0) ? () : nil }
  }

  /// Gives every token back and takes no more: the program is about to end, whatever is at work.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      for token in state.held { pipe.give(token) }
      state.held = []
    }
  }

  /// Has `action` run when a place becomes free that somebody wanted.
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
