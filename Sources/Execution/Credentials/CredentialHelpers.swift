import Platform
package import SyncModel

/// The programs of `credentials`, and what they have answered; each is asked once for a host, at its first request.
package final class CredentialHelpers: Sendable {
  /// A host's answer.
  private struct Known: Sendable {
    var answer: Result<HelperReply, FailureCause>
    /// Whether it counts at `now`.
    func holds(at now: Timestamp) -> Bool {
      guard case .success(let reply) = answer, let expires = reply.expires else { return true }
      return now < expires
    }
  }

  private struct State: Sendable {
    var known: [WebOrigin: Known] = [:]
    var secrets: [String] = []
    /// The programs that are at work.
    var running = 0
    /// What they are asked about.
    var asked: Set<WebOrigin> = []
    var isStopped = false
  }

  private let rules: [CredentialRule]
  private let programs: CredentialProgram
  private let state = Monitor(State())

  /// `environment` is what programs get, as `NAME=value`; `searchPath` has the folders for names without a slash.
  package init(_ rules: [CredentialRule], environment: [String], searchPath: [String]) {
    self.rules = rules
    programs = CredentialProgram(environment: environment, searchPath: searchPath)
  }

  /// The values that the programs have given, which nothing may show.
  package var secrets: [String] { state.withLock { $0.secrets } }

  /// The rule for requests to `url`; `nil` if there is none.
  func rule(for url: String) -> CredentialRule? {
    guard let host = WebURL(url)?.host else { return nil }
    return rules.first { $0.covers(host) }
  }

  /// What is known of the credentials for `origin`; `nil` if a program must be asked.
  func answer(for origin: WebOrigin, at now: Timestamp) -> Result<[RequestHeader], FailureCause>? {
    state.withLock { state in
      state.known[origin].flatMap { $0.holds(at: now) ? $0.answer.map(\.headers) : nil }
    }
  }

  /// How long a program is waited for.
  struct Limit: Sendable {
    var time = HelperReply.longestTime
    /// Whether nobody waits for it any more; asked now and then, on the thread that asks.
    var isInVain: @Sendable () -> Bool
  }

  /// The credentials for `url`, of this origin: what is known, or what the program of `rule` answers.
  ///
  /// It blocks, so that it is not for the deciding thread. However many threads ask at once, one program is at work for an
  /// origin.
  func headers(
    _ rule: CredentialRule, for url: String, _ origin: WebOrigin, at now: Timestamp, _ limit: Limit,
    timeScale: Double
  ) -> Result<[RequestHeader], FailureCause> {
    let end = SystemClock.monotonic() + limit.time * timeScale
    while true {
      if let answer = answer(for: origin, at: now) { return answer }
      if limit.isInVain() { return .failure(fault(.stopped, rule, url)) }
      // Together: once `stop` has looked for programs at work, none may begin.
      let (isFirst, isStopped) = state.withLock { state -> (Bool, Bool) in
        guard !state.isStopped else { return (false, true) }
        guard state.asked.insert(origin).inserted else { return (false, false) }
        state.running += 1
        return (true, false)
      }
      if isFirst { break }
      if isStopped { return .failure(fault(.stopped, rule, url)) }
      // Another thread's program may be waited for longer than this one may.
      if SystemClock.monotonic() >= end { return .failure(fault(.late(limit.time, says: ""), rule, url)) }
      SystemClock.pause(milliseconds: 20)
    }
    let answer = ask(rule, url, limit, timeScale: timeScale)
    if Self.counts(answer, limit) { keep(answer, for: origin) }
    state.withLock { state in
      state.asked.remove(origin)
      state.running -= 1
    }
    state.wakeAll()
    return answer.map(\.headers)
  }

  /// Whether `answer` is one for others, too, who may wait longer.
  private static func counts(_ answer: Result<HelperReply, FailureCause>, _ limit: Limit) -> Bool {
    guard case .failure(.helperFailed(_, _, let fault)) = answer else { return true }
    return switch fault {
    case .stopped: false
    case .late: limit.time >= HelperReply.longestTime
    default: true
    }
  }

  private func fault(_ fault: HelperFault, _ rule: CredentialRule, _ url: String) -> FailureCause {
    .helperFailed(url: ResourceURL.text(of: url), helper: rule.helper, fault)
  }

  private func keep(_ answer: Result<HelperReply, FailureCause>, for origin: WebOrigin) {
    state.withLock { state in
      state.known[origin] = Known(answer: answer)
      guard case .success(let reply) = answer else { return }
      for secret in reply.secrets where !state.secrets.contains(secret) { state.secrets.append(secret) }
    }
  }

  private func ask(
    _ rule: CredentialRule, _ url: String, _ limit: Limit, timeScale: Double
  ) -> Result<HelperReply, FailureCause> {
    func failure(_ fault: HelperFault) -> Result<HelperReply, FailureCause> {
      .failure(self.fault(fault, rule, url))
    }
    let answer: [UInt8]
    do throws(HelperFault) {
      answer = try programs.answer(
        of: rule.program, ["get"], input: Array(HelperReply.question(url).utf8),
        within: limit.time, timeScale: timeScale,
        isInVain: { limit.isInVain() || state.withLock { $0.isStopped } })
    } catch {
      return failure(error)
    }
    do throws(HelperReply.Fault) { return .success(try HelperReply(answer)) } catch {
      return failure(.invalid(error.text))
    }
  }

  /// Kills every program that is at work, and returns when none is left.
  func stop() {
    state.withLock { $0.isStopped = true }
    state.wait { $0.running == 0 ? () : nil }
  }
}
