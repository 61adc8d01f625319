package import SyncModel

/// Decides whether the source has confirmed the version: the only rule for a 200, a source file and a 304.
package enum ConfirmationRule {
  /// Whether a 304 concerns the asked version: its validators are those that the request sent.
  ///
  /// A server that compares dates by order also answers 304 for an older version, and sends that one's date (RFC
  /// 9110, section 15.4.5: a 304 has the fields of a 200, unless an ETag decides). `asked` are the conditions of
  /// the request.
  package static func isConfirmed(
    byNotModified observed: Validators, asked: Validators, rule: FreshnessRule, now: Timestamp
  ) -> Bool {
    let comparesDates = rule.traits.compares == .date
    if let sent = asked.etag, let got = observed.etag, sent.weaklyEquals(got) { return true }
    if asked.etag != nil, !comparesDates {
      // Without an ETag in the reply nothing says that it was compared, and another date says that it was not.
      guard observed.etag == nil else { return false }
      guard let told = observed.lastModified, let sent = asked.lastModified else { return true }
      return isSameDate(told, sent, now: now)
    }
    // A server that compares only dates may send a 304 with any ETag, and under `mtime` the date decides.
    guard let told = observed.lastModified else { return asked.etag == nil || observed.etag == nil }
    if asked.isOwnTime {
      return HTTPDate.parse(told, now: now) == nil
        || answer(rule: rule, asked: asked, observed: observed, now: now) == .confirmed
    }
    guard let sent = asked.lastModified else { return observed.etag == nil }
    return isSameDate(told, sent, now: now)
  }

  private static func isSameDate(_ told: String, _ sent: String, now: Timestamp) -> Bool {
    told.hasSameBytes(as: sent)
      || HTTPDate.parse(told, now: now).map { $0 == HTTPDate.parse(sent, now: now) } ?? false
  }

  /// Whether a 304 has nothing new: each of its validators repeats the one that was sent.
  ///
  /// It is stricter than ``isConfirmed(byNotModified:asked:rule:now:)``, so that only the time must be recorded.
  package static func repeats(_ observed: Validators, _ asked: Validators) -> Bool {
    func repeats(_ told: String?, _ sent: String?) -> Bool {
      guard let told else { return true }
      return sent.map { $0.hasSameBytes(as: told) } ?? false
    }
    return repeats(observed.lastModified, asked.lastModified)
      && repeats(observed.etag?.text, asked.etag?.text)
  }

  /// The meaning of a 200, or of a source file's observation, for a question with the validators `asked`.
  ///
  /// `observed` is the reply's own, its URL masked like the recorded one. A server that ignores the condition and
  /// sends the same validator confirms. Recorded dates are compared as text, never by order: a 200 is not judged
  /// again by date (contract, section 3). Only without a record the rule compares by order: a date not later than
  /// the file's own time is fresh, though many servers answer 200 to any date but their own. `now` decides the
  /// century of two-digit years. `sizes` are the whole body's, in bytes.
  package static func answer(
    rule: FreshnessRule, asked: Validators, observed: Validators,
    sizes: (recorded: Int64?, observed: Int64?) = (nil, nil), now: Timestamp
  ) -> SourceAnswer {
    if asked.isOwnTime {
      return isNotLater(observed, than: asked, now: now) ? .confirmed : .changed(observed)
    }
    guard asked.holdForAnyURL || asked.origin == observed.origin else {
      return isCopy(rule, asked, observed, sizes) ? .confirmed : .changed(observed)
    }
    return isSame(rule, asked, observed) ? .confirmed : .changed(observed)
  }

  /// Those of the `recorded` validators that the confirming reply bears out: a copy on another host may have the same date
  /// and another ETag. `observed` are that reply's, or `nil` if they are not known.
  static func evidence(_ recorded: Validators, in observed: Validators?) -> Validators {
    guard let observed, !recorded.isOwnTime, let etag = recorded.etag, recorded.lastModified != nil else {
      return recorded
    }
    // A 304 of the same resource may leave it out.
    let isBorneOut =
      if let told = observed.etag { etag.weaklyEquals(told) } else {
        recorded.holdForAnyURL || recorded.origin == observed.origin
      }
    guard !isBorneOut else { return recorded }
    var date = recorded
    date.etag = nil
    return date
  }

  /// Times of HTTP have whole seconds, so an own time is compared with one in those.
  private static func isNotLater(_ observed: Validators, than own: Validators, now: Timestamp) -> Bool {
    guard let own = time(own, now: now), let source = time(observed, now: now) else { return false }
    return observed.fileStamp == nil ? source.seconds <= own.seconds : source <= own
  }

  /// Whether another host's file is the recorded one: it has the same name and length, and the same strong ETag or
  /// date.
  ///
  /// Redirectors choose a mirror for each request. Under `mtime` the date decides, as always.
  private static func isCopy(
    _ rule: FreshnessRule, _ asked: Validators, _ observed: Validators,
    _ sizes: (recorded: Int64?, observed: Int64?)
  ) -> Bool {
    guard bothThere(sizes.recorded, sizes.observed, ==),
      bothThere(asked.url, observed.url, ResourceURL.mayBeCopies)
    else {
      return false
    }
    let hasSameDate = bothThere(asked.lastModified, observed.lastModified) { $0.hasSameBytes(as: $1) }
    if rule.traits.compares == .date, asked.lastModified != nil || observed.lastModified != nil {
      return hasSameDate
    }
    return hasSameDate || bothThere(asked.etag, observed.etag) { $0.isStrong && $0 == $1 }
  }

  private static func isSame(_ rule: FreshnessRule, _ asked: Validators, _ observed: Validators) -> Bool {
    if let stamp = observed.fileStamp { return asked.fileStamp == stamp }
    if rule.traits.compares == .date {
      if asked.lastModified != nil || observed.lastModified != nil {
        return asked.lastModified.hasSameBytes(as: observed.lastModified)
      }
      // Neither side has a time; the same validator still confirms (contract, section 3).
      return bothThere(asked.etag, observed.etag) { $0.weaklyEquals($1) }
    }
    if observed.etag != nil { return bothThere(asked.etag, observed.etag) { $0.weaklyEquals($1) } }
    return bothThere(asked.lastModified, observed.lastModified) { $0.hasSameBytes(as: $1) }
  }

  private static func time(_ validators: Validators, now: Timestamp) -> Timestamp? {
    validators.sourceTime ?? validators.lastModified.flatMap { HTTPDate.parse($0, now: now) }
  }

  private static func bothThere<Value>(_ a: Value?, _ b: Value?, _ areEqual: (Value, Value) -> Bool) -> Bool {
    guard let a, let b else { return false }
    return areEqual(a, b)
  }
}
