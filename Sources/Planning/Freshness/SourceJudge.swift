import SyncModel

/// Judges a reply that answers ``Probe/source(_:)`` otherwise than by a plain 304.
package enum SourceJudge {
  /// What a 200, or a look at a source file, says to somebody who `asked` with these validators.
  ///
  /// `observed` is the reply's own, its URL masked as the recorded one is. A server that ignores the
  /// condition and sends the same validator confirms; dates are compared as text, never by order: a 200 is
  /// not judged again by date (SPEC section 3). Only a source file, which cannot be asked conditionally, is
  /// compared with an output's own time by date.
  package static func answer(
    rule: FreshnessRule, asked: Validators, observed: Validators
  ) -> SourceAnswer {
    guard asked.isOwnTime || asked.url == observed.url else { return .changed(observed) }
    return isSame(rule, asked, observed) ? .confirmed : .changed(observed)
  }

  private static func isSame(_ rule: FreshnessRule, _ asked: Validators, _ observed: Validators) -> Bool {
    if let stamp = observed.fileStamp { return isSameFile(stamp, asked, observed) }
    if case .mtime = rule.innermost {
      if asked.lastModified != nil || observed.lastModified != nil {
        return asked.lastModified == observed.lastModified
      }
      // Neither side knows a time; the same validator still says "the same" (SPEC section 3).
      return bothThere(asked.etag, observed.etag) { $0.weaklyEquals($1) }
    }
    if observed.etag != nil { return bothThere(asked.etag, observed.etag) { $0.weaklyEquals($1) } }
    return bothThere(asked.lastModified, observed.lastModified, ==)
  }

  /// Times of HTTP have whole seconds, so an own time is compared in those.
  private static func isSameFile(_ stamp: String, _ asked: Validators, _ observed: Validators) -> Bool {
    guard asked.isOwnTime else { return asked.fileStamp == stamp }
    // The asked date is our own IMF-fixdate, whose year is written out: any `now` reads it.
    guard let own = time(asked, now: Timestamp(seconds: 0)), let source = observed.sourceTime else {
      return false
    }
    return source.seconds <= own.seconds
  }

  private static func time(_ validators: Validators, now: Timestamp) -> Timestamp? {
    validators.sourceTime ?? validators.lastModified.flatMap { HTTPDate.parse($0, now: now) }
  }

  private static func bothThere<Value>(_ a: Value?, _ b: Value?, _ areEqual: (Value, Value) -> Bool) -> Bool {
    guard let a, let b else { return false }
    return areEqual(a, b)
  }
}
