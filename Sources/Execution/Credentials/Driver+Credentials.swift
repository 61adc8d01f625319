import SyncModel
import Transfer

/// What requests wait for together: those of a cache do not wait as long as others.
struct CredentialQuestion: Hashable {
  var origin: WebOrigin
  var isForCache: Bool
}

extension Driver {
  /// Adds to a request what a helper gives for its host; `done` gets it at once, or when the program has answered.
  ///
  /// Credentials of the manifest are not mixed with others. An untrusted manifest gets none for its own hosts; a mirror of
  /// the user's configuration gets them.
  func addCredentials(
    to request: ExchangeRequest, isOfMirror: Bool,
    done: @escaping (Result<ExchangeRequest, FailureCause>) -> Void
  ) {
    guard isOfMirror || !settings.isUntrusted, let helpers = settings.routes.helpers,
      request.authentication == nil,
      !request.headers.contains(where: { $0.name.lowercased() == "authorization" }),
      let origin = WebURL(request.url)?.origin, let rule = helpers.rule(for: request.url)
    else { return done(.success(request)) }
    func add(_ answer: Result<[RequestHeader], FailureCause>) {
      // Then the program had less time than it may take.
      if case .failure = answer, let reached = settings.policy?.network.reached {
        return done(.failure(.budgetExceeded(reached)))
      }
      done(
        answer.map { headers in
          var request = request
          let own = Set(request.headers.map { $0.name.lowercased() })
          request.headers += headers.filter { !own.contains($0.name.lowercased()) }
          return request
        })
    }
    if let answer = helpers.answer(for: origin, at: clock.now()) { return add(answer) }
    let question = CredentialQuestion(origin: origin, isForCache: request.isForCache)
    let isFirst = waiting[question] == nil
    waiting[question, default: []].append(add)
    guard isFirst else { return }
    let (url, now, timeScale) = (request.url, clock.now(), settings.resources.timeScale)
    let (limit, network) = (limit(of: question), settings.policy?.network)
    work(
      { _ in
        var limit = limit
        // What is left now, which is less than when the job was queued. A policy's clock does not run faster in tests.
        if let left = network?.timeLeft { limit.time = min(limit.time, left / timeScale) }
        return .credentials(helpers.headers(rule, for: url, origin, at: now, limit, timeScale: timeScale))
      },
      done: { [unowned self] letter in
        guard case .credentials(let answer) = letter else { return }
        for add in waiting.removeValue(forKey: question) ?? [] { add(answer) }
      })
  }

  private func limit(of question: CredentialQuestion) -> CredentialHelpers.Limit {
    let network = settings.policy?.network
    guard question.isForCache, let health = settings.caches.remote?.health else {
      return CredentialHelpers.Limit { network?.reached != nil }
    }
    return CredentialHelpers.Limit(time: HelperReply.longestTimeForCache) {
      health.isOver || network?.reached != nil
    }
  }
}
