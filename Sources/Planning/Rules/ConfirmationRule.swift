package import SyncModel

/// What confirms that the source still has what was asked about: the one rule for a 200, a source file and a 304.
package enum ConfirmationRule {
  /// Whether a 304 speaks of what was asked: what it says of itself is what its request sent.
  ///
  /// A server that goes by the order of dates answers so for an older version, too, and names that one's date
  /// (RFC 9110, section 15.4.5: a 304 says what a 200 would, where no ETag tells). `asked` are the conditions that the
  /// request carried.
  package static func isConfirmed(
    byNotModified observed: Validators, asked: Validators, rule: FreshnessRule, now: Timestamp
  ) -> Bool {
    let comparesDates = rule.traits.compares == .date
    if let sent = asked.etag, let got = observed.etag, sent.weaklyEquals(got) { return true }
    if asked.etag != nil, !comparesDates { return observed.etag == nil }
    // A server that compares only dates may send a 304 with any ETag, and under `mtime` the date decides.
    guard let told = observed.lastModified else { return asked.etag == nil || observed.etag == nil }
    if asked.isOwnTime {
      return HTTPDate.parse(told, now: now) == nil
        || answer(rule: rule, asked: asked, observed: observed, now: now) == .confirmed
    }
    guard let sent = asked.lastModified else { return observed.etag == nil }
    return told.hasSameBytes(as: sent)
      || HTTPDate.parse(told, now: now).map { $0 == HTTPDate.parse(sent, now: now) } ?? false
  }

  /// Whether a 304 says nothing new: each validator that it has repeats the one that was sent.
  ///
  /// Stricter than ``isConfirmed(byNotModified:asked:rule:now:)``, so that nothing is left to record but the time.
  package static func repeats(_ observed: Validators, _ asked: Validators) -> Bool {
    func repeats(_ told: String?, _ sent: String?) -> Bool {
      guard let told else { return true }
      return sent.map { $0.hasSameBytes(as: told) } ?? false
    }
    return repeats(observed.lastModified, asked.lastModified)
      && repeats(observed.etag?.text, asked.etag?.text)
  }

  /// What a 200, or a look at a source file, says to somebody who `asked` with these validators.
  ///
  /// `observed` is the reply's own, its URL masked as the recorded one is. A server that ignores the
  /// condition and sends the same validator confirms. Recorded dates are compared as text, never by order: a
  /// 200 is not judged again by date (contract, section 3). Only where nothing is recorded the rule is one of
  /// order: not later than the file's own time is fresh, though many servers answer 200 to any date but
  /// their own. `now` tells the century of two-digit years. `sizes` are the whole body's, in bytes.
  package static func answer(
    rule: FreshnessRule, asked: Validators, observed: Validators,
    sizes: (recorded: Int64?, observed: Int64?) = (nil, nil), now: Timestamp
  ) -> SourceAnswer {
    if asked.isOwnTime {
      return isNotLater(observed, than: asked, now: now) ? .confirmed : .changed(observed)
    }
    guard asked.holdForAnyURL || asked.url.hasSameBytes(as: observed.url) else {
      return isCopy(rule, asked, observed, sizes) ? .confirmed : .changed(observed)
    }
    return isSame(rule, asked, observed) ? .confirmed : .changed(observed)
  }

  /// Times of HTTP have whole seconds, so an own time is compared with one in those.
  private static func isNotLater(_ observed: Validators, than own: Validators, now: Timestamp) -> Bool {
    guard let own = time(own, now: now), let source = time(observed, now: now) else { return false }
    return observed.fileStamp == nil ? source.seconds <= own.seconds : source <= own
  }

  /// Whether another host's file is the recorded one: it has the same name and length, and the same strong ETag or date.
  ///
  /// Redirectors choose a mirror anew for each request. Under `mtime` the date decides, as it does everywhere.
  private static func isCopy(
    _ rule: FreshnessRule, _ asked: Validators, _ observed: Validators,
    _ sizes: (recorded: Int64?, observed: Int64?)
  ) -> Bool {
    guard bothThere(sizes.recorded, sizes.observed, ==), ResourceURL.mayBeCopies(asked.url, observed.url)
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
      // Neither side knows a time; the same validator still says "the same" (contract, section 3).
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
