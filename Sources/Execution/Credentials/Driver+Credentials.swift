import SyncModel

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
    let limit = limit(of: question)
    work(
      { _ in .credentials(helpers.headers(rule, for: url, origin, at: now, limit, timeScale: timeScale)) },
      done: { [unowned self] letter in
        guard case .credentials(let answer) = letter else { return }
        for add in waiting.removeValue(forKey: question) ?? [] { add(answer) }
      })
  }

  private func limit(of question: CredentialQuestion) -> CredentialHelpers.Limit {
    guard question.isForCache, let health = settings.caches.remote?.health else {
      return .init(isInVain: { false })
    }
    return .init(time: HelperReply.longestTimeForCache) { health.isOver }
  }
}
