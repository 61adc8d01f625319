import Planning
import Platform
package import SyncModel

/// How a store that speaks S3 is asked.
struct StoreAccess: Sendable, Equatable {
  /// What the names of objects are appended to, after a slash.
  var base: String
  var region: String
  var key: StoreKey

  /// Makes `request`, whose URL is the name of an object below ``base``, one of the store; `body` is the sha256 of what it
  /// sends.
  func complete(_ request: inout ExchangeRequest, body: HexDigest? = nil) {
    request.url = base + "/" + request.url
    request.signing = RequestSigning(key, region: region, body: body)
  }
}

/// The credentials for a cache on S3, and where it is: found out when the cache is asked first, as the AWS tools do.
///
/// Only this cache gets what the variables and files say; nothing else in the program looks at them.
package final class StoreKeys: Sendable {
  /// From the start of the program of `credential_process` to its end: what a run waits for a slow cache at most.
  static let longestTime = CachePatience.longestAnswer + CachePatience.mostWaste

  private struct Known: Sendable {
    var answer: Result<StoreAccess, StoreKeyFault>
    /// When a new one is needed.
    var renewal: Timestamp?
  }

  private struct State: Sendable {
    var known: Known?
    var secrets: [String] = []
    /// Whether a thread finds out.
    var isBusy = false
    var isStopped = false
  }

  private let location: S3Location
  private let variable: @Sendable (String) -> String?
  private let environment: @Sendable () -> [String]
  private let state = Monitor(State())

  /// Nothing is looked at yet.
  ///
  /// - variable: a variable that is set and not empty.
  /// - environment: what programs get, as `NAME=value`.
  package init(
    _ location: S3Location, variable: @escaping @Sendable (String) -> String?,
    environment: @escaping @Sendable () -> [String]
  ) {
    self.location = location
    self.variable = variable
    self.environment = environment
  }

  /// What was found, which nothing may show.
  package var secrets: [String] { state.withLock { $0.secrets } }

  /// What is known; `nil` if it must be found out.
  func access(at now: Timestamp) -> Result<StoreAccess, StoreKeyFault>? {
    state.withLock { Self.answer($0, at: now) }
  }

  private static func answer(_ state: State, at now: Timestamp) -> Result<StoreAccess, StoreKeyFault>? {
    guard let known = state.known, known.renewal.map({ now < $0 }) ?? true else { return nil }
    return known.answer
  }

  /// Finds out what is not known; blocks, so that it is not for the deciding thread.
  ///
  /// `isInVain` is asked now and then, on this thread, whether nobody waits any longer: then the answer is that the program
  /// was stopped.
  func find(
    at now: Timestamp, timeScale: Double, isInVain: @escaping () -> Bool = { false }
  ) -> Result<StoreAccess, StoreKeyFault> {
    while true {
      let known = state.withLock { state -> Result<StoreAccess, StoreKeyFault>?? in
        if let answer = Self.answer(state, at: now) { return .some(answer) }
        if state.isBusy { return nil }
        // Once `stop` has looked for a program at work, none may begin.
        if state.isStopped { return .some(.failure(.process(.stopped))) }
        state.isBusy = true
        return .some(nil)
      }
      switch known {
      case let answer??: return answer
      case .some(nil): return search(at: now, timeScale: timeScale, isInVain)
      case nil:
        // Another thread finds out.
        if isInVain() { return .failure(.process(.stopped)) }
        SystemClock.pause(milliseconds: 20)
      }
    }
  }

  private func search(
    at now: Timestamp, timeScale: Double, _ isInVain: @escaping () -> Bool
  ) -> Result<StoreAccess, StoreKeyFault> {
    let search = StoreKeySearch(
      location: location, variable: variable, environment: environment, timeScale: timeScale
    ) { [state] in isInVain() || state.withLock { $0.isStopped } }
    var found: Known
    do throws(StoreKeyFault) {
      let (access, renewal) = try search.access(at: now)
      found = Known(answer: .success(access), renewal: renewal)
    } catch {
      found = Known(answer: .failure(error))
    }
    state.withLock { [found] state in
      state.isBusy = false
      // Others may wait longer.
      if found.answer != .failure(.process(.stopped)) { state.known = found }
      guard case .success(let access) = found.answer else { return }
      for secret in access.key.secrets where !state.secrets.contains(secret) { state.secrets.append(secret) }
    }
    state.wakeAll()
    return found.answer
  }

  /// Kills the program that is at work, and returns when it has ended.
  func stop() {
    state.withLock { $0.isStopped = true }
    state.wait { $0.isBusy ? nil : () }
  }
}
