package import SyncModel

/// Which bytes may go into a cache, and what may name bytes in it (contract, section 12).
///
/// A cache never decides freshness. It gives bytes that something else has named: a digest (then the source is not
/// asked), or the source itself, by a 304 to the validators of a record.
package enum CacheRule {
  /// The key of the source's record; `nil` if nothing of the target is ever taken from a cache or put into one.
  ///
  /// That is so for what comes with credentials or a secret, and for a target that wants its bytes from the source
  /// each time.
  package static func key(of target: Target, secrets: SecretMask) -> CacheKey? {
    guard target.cache != .off, target.authentication == nil, let rule = target.freshness,
      !rule.traits.wantsNewBytes, let mirrors = target.source.mirrors, case .web(let first)? = mirrors.first
    else { return nil }
    let sent = mirrors.map(\.text) + target.headers.flatMap { [$0.name, $0.value] }
    guard secrets.isEmpty || sent.allSatisfy({ secrets.mask($0).hasSameBytes(as: $0) }) else { return nil }
    // Other names under which a server may be told who asks.
    let names: Set = ["authorization", "cookie", "proxy-authorization"]
    guard !target.headers.contains(where: { names.contains($0.name.lowercased()) }) else { return nil }
    return CacheKey(url: first, headers: target.headers)
  }

  /// Whether a reply forbids that others get its bytes.
  static func forbids(_ head: ResponseHead) -> Bool { head.isPrivate }

  /// Whether a body from `url` can be another target's: a local file is no one else's.
  static func mayKeep(_ observed: Validators) -> Bool { observed.fileStamp == nil }

  /// The digests that name the bytes as they come, the strongest first.
  ///
  /// Those of the lock and of the manifest are always known; those of sidecars once `demands` are found.
  static func names(_ question: FreshnessQuestion, _ demands: BodyDemands) -> [NamedDigest] {
    var names = (question.pin?.download).map { [NamedDigest(.sha256, $0.sha256)] } ?? []
    for name in demands.namesOfDownload(of: question.target) where !names.contains(name) {
      names.append(name)
    }
    // Files are found by their sha256 without a record.
    func rank(_ name: NamedDigest) -> Int { name.algorithm == .sha256 ? .max : name.algorithm.byteCount }
    return names.sorted { rank($0) > rank($1) }
  }

  /// Whether a sidecar or a list is still to name the bytes.
  static func waitsForNames(_ question: FreshnessQuestion, _ demands: BodyDemands) -> Bool {
    names(question, demands).isEmpty && !demands.areKnown && demands.mayNameDownload(of: question.target)
  }

  /// Whether the record of a cache is worth asking the source about.
  ///
  /// - Parameters:
  ///   - conditions: those of the question without the cache; `nil` for a target that is stale in any case.
  ///   - rule: the target's.
  ///   - recorded: the target's own record.
  ///   - names: the digests that the bytes must have, as far as they are known.
  static func isWorthAsking(
    _ record: CacheRecord, instead conditions: Validators?, _ rule: FreshnessRule?, _ recorded: TargetRecord?,
    named names: [NamedDigest]
  ) -> Bool {
    let isOfOthers = names.contains { $0.algorithm == .sha256 && $0.digest != record.sha256 }
    guard let validators = record.validators, !isOfOthers else { return false }
    guard let conditions, !conditions.isEmpty else { return true }
    // A cache decides nothing: what is no later than the file itself is no news by the file's own time.
    if conditions.isOwnTime, !isLater(validators, than: conditions) { return false }
    // Somebody has seen the source since, and it had something else.
    guard let recorded, recorded.checkedAt.map({ record.checkedAt > $0 }) ?? true else { return false }
    let hasSameDate = validators.lastModified.hasSameBytes(as: conditions.lastModified)
    // Where dates are compared, another version of the same date is none.
    if hasSameDate, conditions.lastModified != nil, rule?.innermost.traits.compares == .date { return false }
    return validators.etag != conditions.etag || !hasSameDate
  }

  private static func isLater(_ validators: Validators, than own: Validators) -> Bool {
    guard let date = validators.date, let limit = own.date else { return false }
    return date > limit
  }

  /// Whether `record` takes the place of a question to the source: it is signed, and says that the source was asked
  /// within the target's interval, and not before the target itself has asked.
  static func answersForSource(
    _ record: CacheRecord, _ rule: FreshnessRule?, _ recorded: TargetRecord?, now: Timestamp
  ) -> Bool {
    guard let checkedAt = provenCheck(record, now: now), case .interval(let period, _)? = rule,
      (recorded?.checkedAt).map({ $0 <= checkedAt }) ?? true
    else { return false }
    return now - checkedAt < period
  }

  /// When the source was asked, if `record` proves it.
  static func provenCheck(_ record: CacheRecord?, now: Timestamp) -> Timestamp? {
    guard let record, record.isSigned, record.checkedAt <= now else { return nil }
    return record.checkedAt
  }

  /// `record` with the time of now, for a source that has just confirmed a file; `nil` if that must not be said, or is of no
  /// use to anybody.
  ///
  /// A source confirms validators, and says nothing of bytes: which belong together, only a signed record proves. The
  /// reply must repeat that record's validators: under `mtime` a confirmed file may have another ETag.
  static func renewal(
    of record: CacheRecord, _ rule: FreshnessRule?, _ observed: Validators, now: Timestamp
  ) -> CacheRecord? {
    guard record.isSigned, case .interval? = rule, repeats(observed, record), mayKeep(observed)
    else { return nil }
    var renewed = record
    (renewed.checkedAt, renewed.isSigned) = (now, false)
    return renewed
  }

  /// Whether a source that has confirmed the version of `record` has told of no other validators.
  package static func repeats(_ observed: Validators, _ record: CacheRecord) -> Bool {
    guard let known = record.validators else { return false }
    return known.origin == observed.origin && ConfirmationRule.repeats(observed, known)
  }

  /// Whether a stale target has the named bytes already, and is stale since its source has sent no validator.
  ///
  /// Then the source is asked, or it would never be again.
  static func lacksOnlyValidators(_ decision: Decision?, _ names: [NamedDigest]) -> Bool {
    guard case .stale(let reason)? = decision?.verdict, let download = decision?.record?.download else {
      return false
    }
    switch reason {
    case .validatorChanged(recorded: nil, observed: _), .newerRemote(recorded: nil, observed: _):
      return names.contains { download.digest($0.algorithm) == $0.digest }
    default: return false
    }
  }

  /// What to keep of a download; `observed` are its validators.
  static func entry(
    _ download: ContentIdentity, _ observed: Validators, _ key: CacheKey?, names: [NamedDigest],
    now: Timestamp
  ) -> CacheEntry? {
    guard let sha256 = download.sha256, let url = observed.url else { return nil }
    let record = CacheRecord(
      url: url, etag: observed.etag, lastModified: observed.lastModified, size: download.size,
      sha256: sha256, checkedAt: now)
    let others = names.filter {
      $0.algorithm != .sha256 && download.digest($0.algorithm) == $0.digest
    }
    return CacheEntry(record, at: key, digests: others)
  }
}

extension BodyDemands {
  /// The demands on the bytes as they come, with their places in ``all``.
  private func ofDownload(_ target: Target) -> [Int] {
    let isChanged = target.steps.contains(where: \.transforms)
    return all.indices.filter { place in
      guard case .digest = all[place].kind else { return false }
      return all[place].subject == .download || !isChanged
    }
  }

  /// The digests that the bytes as they come must have, as far as they are known.
  func namesOfDownload(of target: Target) -> [NamedDigest] {
    ofDownload(target).compactMap { place in
      guard case .digest(let algorithm, let source) = all[place].kind else { return nil }
      if case .literal(let digest) = source { return NamedDigest(algorithm, digest) }
      guard findings.indices.contains(place), case .digest(let digest) = findings[place] else { return nil }
      return NamedDigest(algorithm, digest)
    }
  }

  /// Whether a digest that must be found first can name the bytes as they come.
  func mayNameDownload(of target: Target) -> Bool { !ofDownload(target).isEmpty }
}
