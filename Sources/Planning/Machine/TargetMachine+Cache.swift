import SyncModel

/// One target's dealings with the cache.
struct CacheCourse: Sendable {
  /// How far the question has come; it is asked once.
  enum Stage: Equatable {
    case unasked
    /// A sidecar is to name the bytes first.
    case naming
    case looking
    case asked
  }

  /// The file that is taken, or was.
  struct Taken {
    var file: CachedFile
    /// What the record is to say of the source.
    var observed: Validators
    var check = Check.now
    /// When the source was last asked.
    enum Check {
      case now
      case at(Timestamp)
      case never
    }

    /// When the source had this version; `nil` if that is not known.
    var knownAt: Timestamp?
    /// Whether the source has told this run so.
    var isWitnessed = false
  }

  /// Of the source's record.
  var key: CacheKey
  var stage = Stage.unasked
  /// The digests that the cache was asked for.
  var names: [NamedDigest] = []
  /// Whether the caches were asked once more, since a file of this machine's was bad.
  var hasAskedAgain = false
  /// Whether one of ``names`` was asked for in this run.
  var hasAskedForName = false
  /// The record that the source is asked about.
  var record: CacheRecord?
  /// Whether its file is on a server.
  var isRecordRemote = false
  /// The record of the source that a trusted key has signed.
  var signed: CacheRecord?
  /// Whether the last reply forbids that others get its bytes.
  var isForbidden = false
  var taken: Taken?
  /// Why this machine could not take the file of a cache, whose bytes may be to blame for it.
  var refusal: FailureCause?
  /// Whether the body of the present reply may be kept.
  var keeps = false
  /// Whether that body is known to be complete.
  var isProven = false
  /// Whether its server has sent a digest of it that the target ignores.
  var ignoresDigest = false
  /// Whether it comes from the URL that ``key`` is of, and not from another mirror of the manifest.
  var isOfKey = true
  /// When the source was asked last by one whose word counts, if that took the place of a question.
  var provenCheck: Timestamp?

  /// `nil` for a target that no cache may serve.
  init?(_ target: Target, _ terms: TargetTerms) {
    guard let key = CacheRule.key(of: target, secrets: terms.manifest.secrets) else { return nil }
    self.key = key
  }
}

/// How a body comes from a cache, and what is kept there.
extension TargetMachine {
  // MARK: Asking

  /// Asks the cache before the source; whether that was begun.
  ///
  /// A target that was forced is fetched from its source.
  mutating func asksCache() -> Bool {
    guard cache?.stage == .unasked, question.directive != .force else { return false }
    if fetch.conditions == nil, CacheRule.waitsForNames(question, demands) {
      cache?.stage = .naming
      cache?.hasAskedForName = true
      seekDemands(anew: false)
    } else {
      lookInCache()
    }
    return true
  }

  /// Asks for what is named now.
  mutating func lookInCache() {
    if cache?.stage == .naming, let cause = demands.failure { return fail(cause) }
    // The runs that only confirm what they have would wait for each other in vain.
    askCache(namesToAsk, isToFetch: fetch.conditions == nil)
  }

  /// While the source may confirm the local file, no digest names other bytes.
  private var namesToAsk: [NamedDigest] {
    let names = fetch.conditions == nil ? CacheRule.names(question, demands) : []
    return CacheRule.lacksOnlyValidators(decision, names) ? [] : names
  }

  /// Asks the cache on the server, once, in place of `file`, which is bad; whether that was begun.
  private mutating func asksServer(insteadOf file: CachedFile) -> Bool {
    guard !file.isRemote, let cache, !cache.names.isEmpty, !cache.hasAskedAgain else { return false }
    self.cache?.hasAskedAgain = true
    askCache(cache.names, isToFetch: terms.purpose != .plan)
    return true
  }

  private mutating func askCache(_ names: [NamedDigest], isToFetch: Bool) {
    guard let key = cache?.key else { return }
    cache?.stage = .looking
    cache?.names = names
    var asked = CacheQuestion(names: names, key: key)
    if case .web(let url)? = target.source.mirrors?.first {
      asked.takesMirrors = terms.options.rewrites.applied(to: url) != nil
    }
    asked.isOfServer = cache?.hasAskedAgain == true
    emit(.askCache(asked, isToFetch: isToFetch))
  }

  mutating func cacheAnswered(_ answer: CacheAnswer) {
    guard cache?.stage == .looking else { return }
    if terms.purpose == .plan { return planFound(answer) }
    guard phase == .fetching else { return }
    cache?.stage = .asked
    cache?.signed = answer.record.flatMap { $0.isSigned ? $0 : nil }
    if let file = answer.named { return take(file, as: answer.record) }
    // Named bytes that are not there are other ones.
    if let record = answer.record, cache?.names.isEmpty == true,
      CacheRule.answersForSource(record, question.rule, decision?.record, now: now)
    {
      cache?.isRecordRemote = answer.isRecordRemote
      return takeWord(of: record)
    }
    if let record = answer.record, isWorthAsking(record) {
      cache?.record = record
      cache?.isRecordRemote = answer.isRecordRemote
    }
    fetchFromSource()
  }

  private func isWorthAsking(_ record: CacheRecord) -> Bool {
    CacheRule.isWorthAsking(
      record, instead: fetch.conditions, question.rule, decision?.record, named: cache?.names ?? [])
  }

  // MARK: Taking

  /// Takes a file that a digest has named; `record` is that of the source, perhaps of other bytes.
  private mutating func take(_ file: CachedFile, as record: CacheRecord?) {
    let record = record.flatMap { $0.sha256 == file.sha256 ? $0 : nil }
    let url = record?.url ?? secrets.mask(target.source.mirrors?.first?.shown ?? "")
    let isChecked = check.hasAsked || cache?.hasAskedForName == true || !target.source.listedDigests.isEmpty
    copy(
      CacheCourse.Taken(
        file: file, observed: record?.validators ?? Validators(url: url),
        // Whoever else has asked the source: only a signed record proves it.
        check: isChecked ? .now : CacheRule.provenCheck(record, now: now).map { .at($0) } ?? .never,
        knownAt: record?.checkedAt))
  }

  /// The source was asked within the target's interval, as a signed record says: it need not be asked again.
  private mutating func takeWord(of record: CacheRecord) {
    guard let validators = record.validators else { return fetchFromSource() }
    if fetch.conditions != nil, decision?.record?.download?.sha256 == record.sha256 {
      cache?.provenCheck = record.checkedAt
      return confirm(validators)
    }
    decideStale(validators)
    copy(
      CacheCourse.Taken(
        file: file(of: record), observed: validators, check: .at(record.checkedAt), knownAt: record.checkedAt)
    )
  }

  /// Takes the file of a record that the source has confirmed.
  mutating func takeCached(_ record: CacheRecord, _ confirmed: Validators) {
    // A 304 may leave out what the first reply had.
    var observed = confirmed
    if observed.etag == nil { observed.etag = record.etag }
    if observed.lastModified == nil { observed.lastModified = record.lastModified }
    renewInCache(confirmed, of: record.content)
    // With other validators than it was confirmed by, nobody else must know it.
    let isAsKnown = CacheRule.repeats(confirmed, record)
    copy(
      CacheCourse.Taken(
        file: file(of: record), observed: observed, knownAt: isAsKnown ? now : nil,
        isWitnessed: isAsKnown && record.isSigned))
  }

  /// The file that a record of the cache names.
  func file(of record: CacheRecord) -> CachedFile {
    CachedFile(sha256: record.sha256, size: record.size, isRemote: cache?.isRecordRemote == true)
  }

  private mutating func copy(_ taken: CacheCourse.Taken) {
    fetch.machine = nil
    cache?.taken = taken
    // What comes is compared with it as with a server's digest: before everything else, and to its end.
    announced = AnnouncedDigests(ofFile: [ServerDigest(.representation, .sha256, taken.file.sha256)])
    if question.pin?.download?.sha256 == taken.file.sha256 { demandAnew(demands.ofLockedBytes) }
    // The machine's own cache gets what the server's has.
    if taken.file.isRemote, terms.options.cache == .readWrite { emit(.keepForCache) }
    emit(.copyCached(taken.file))
  }

  /// Whether the bytes of a cache may have caused what other bytes would not: those of the size that is known are right, but
  /// for a digest that nobody has taken yet.
  func isOfDoubtfulBytes(_ cause: FailureCause, _ file: CachedFile) -> Bool {
    cause.traits.contains(.mayBeOfBytes) && knownSize(of: file) != file.size
  }

  /// The failure as it is told: if the source cannot be reached either, it was this machine that refused the cache's file.
  func told(_ cause: FailureCause) -> FailureCause {
    guard let refusal = cache?.refusal, cause == .offline || cause.isOfRetriedKind else { return cause }
    return refusal
  }

  /// The size of the bytes with that digest, in bytes, as the lock or the target's own record says; `nil` if neither knows
  /// them.
  func knownSize(of file: CachedFile) -> Int64? {
    if let locked = question.pin?.download, locked.sha256 == file.sha256 { return locked.size }
    if let download = decision?.record?.download, download.sha256 == file.sha256 { return download.size }
    return nil
  }

  /// Whether `size` bytes are not what `file` is to have, by what is known of it.
  func isWrong(_ size: Int64, of file: CachedFile) -> Bool { knownSize(of: file).map { $0 != size } ?? false }

  /// The cached body is of no use: the source is asked as if there were no cache.
  mutating func leaveCache(isBad: Bool) {
    guard phase == .fetching, let taken = cache?.taken else { return }
    emit(.hangUp)
    if isBad { emit(.dropCached(taken.file)) }
    cache?.taken = nil
    cache?.record = nil
    discardBody()
    intake.signatureFaults = nil
    announced = AnnouncedDigests()
    if question.pin != nil { demandAnew(BodyDemands(target)) }
    if isBad, asksServer(insteadOf: taken.file) { return }
    fetchFromSource()
  }

  /// The next body is to meet these demands, which are found when it comes.
  private mutating func demandAnew(_ demands: BodyDemands) {
    self.demands = demands
    intake.hasSought = false
  }

  // MARK: Keeping

  /// A reply brings a body, or the rest of one.
  mutating func keepForCache(_ head: ResponseHead, fromStart: Bool) {
    let mayKeep = terms.options.cache == .readWrite && !CacheRule.forbids(head)
    let keeps = mayKeep && (fromStart || cache?.keeps == true)
    cache?.keeps = keeps
    if keeps, target.serverDigest == .ignore {
      let isSilent = ServerDigests(head, method: .get).isEmpty
      cache?.ignoresDigest = !isSilent
    }
    cache?.isOfKey = fetch.machine?.asksFirstURL != false
    if mayKeep, fromStart { emit(.keepForCache) }
  }

  /// The body has become the output.
  mutating func noteOrigin(_ body: BodyContent) {
    guard target.source.mirrors != nil else { return }
    if let taken = cache?.taken {
      result.from = taken.file.origin
      result.bytesFromCache = taken.file.size
      return keep(taken, body)
    }
    result.from = .origin
    guard let cache, cache.keeps, let observed = intake.observed, CacheRule.mayKeep(observed) else { return }
    let names = demands.namesOfDownload(of: target)
    // Another manifest with the same first URL would send them there, where they say nothing.
    let validators = cache.isOfKey ? observed : Validators(origin: observed.origin)
    // By a record of the source, others would take bytes that they refuse from the source itself.
    let key = cache.isProven && !cache.ignoresDigest ? cache.key : nil
    if let entry = CacheRule.entry(body.download, validators, key, names: names, now: now) {
      emit(.store(entry))
    }
  }

  /// Puts what a server's cache had into the machine's own.
  private mutating func keep(_ taken: CacheCourse.Taken, _ body: BodyContent) {
    guard taken.file.isRemote, terms.options.cache == .readWrite, let key = cache?.key else { return }
    let names = demands.namesOfDownload(of: target)
    // Without a record of the source, the digests alone lead to it.
    var entry = CacheRule.entry(
      body.download, taken.observed, taken.knownAt == nil ? nil : key, names: names,
      now: taken.knownAt ?? now)
    entry?.isFromRemote = true
    entry?.isWitnessed = taken.isWitnessed
    if let entry { emit(.store(entry)) }
  }

  /// The source has confirmed the local file, or that of a record: those who share the cache need not ask it within
  /// their interval.
  mutating func renewInCache(_ observed: Validators, of content: ContentIdentity?) {
    guard terms.options.cache == .readWrite, fetch.machine?.asksFirstURL == true, let cache,
      !cache.isForbidden, let signed = cache.signed, content?.sha256 == signed.sha256,
      let record = CacheRule.renewal(of: signed, question.rule, observed, now: now)
    else { return }
    emit(.renewInCache(record, at: cache.key))
  }

  // MARK: Planning

  /// Asks, once, whether a cache has what a run would fetch; whether that was begun.
  mutating func planAsksCache(_ decision: Decision) -> Bool {
    guard cache?.stage == .unasked, case .stale = decision.verdict, question.directive != .force else {
      return false
    }
    plan.settled = decision
    askCache(namesToAsk, isToFetch: false)
    return true
  }

  private mutating func planFound(_ answer: CacheAnswer) {
    guard phase == .judging, let decision = plan.settled else { return }
    let bad = answer.named.flatMap { isWrong($0.size, of: $0) ? $0 : nil }
    if let bad, asksServer(insteadOf: bad) { return }
    cache?.stage = .asked
    plan.settled = nil
    if let file = answer.named {
      if bad == nil { planTakes(file) }
    } else if let record = answer.record, let validators = record.validators {
      cache?.isRecordRemote = answer.isRecordRemote
      switch question.facts.sourceAnswer {
      case nil
      where cache?.names.isEmpty == true
        && CacheRule.answersForSource(record, question.rule, decision.record, now: now):
        planTakes(file(of: record))
      case nil where isWorthAsking(record): cache?.record = record
      case .changed(let observed)? where isWorthAsking(record):
        let told = ConfirmationRule.answer(rule: .etag, asked: validators, observed: observed, now: now)
        if told == .confirmed { planTakes(file(of: record)) }
      case nil, .changed?, .confirmed?, .sameDigest?: break
      }
    }
    planDecided(decision)
  }

  /// A run would take `file` from the cache.
  mutating func planTakes(_ file: CachedFile) {
    plan.from = file.origin
    plan.bytes = file.size
  }

  /// Where a run would take the body from; `nil` if that is not known, and without a cache.
  var plannedOrigin: BodyOrigin? {
    guard terms.options.cache != .none, target.source.mirrors != nil else { return nil }
    return plan.from ?? (mayTakeCached ? nil : .origin)
  }

  /// Whether a run may take the body from a cache, by what only requests of its own can tell: if the source still has what
  /// a record names, or by a sidecar that the plan had no reason to ask for.
  var mayTakeCached: Bool {
    guard let cache, plan.from == nil, question.directive != .force else { return false }
    return cache.record != nil || CacheRule.waitsForNames(question, demands)
  }
}
