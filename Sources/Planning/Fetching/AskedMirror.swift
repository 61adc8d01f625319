/// The mirror that is asked now, and what is known of it; the next one begins anew.
struct AskedMirror: Sendable {
  /// Its place in the order.
  var index = 0
  /// Whether the user's mirror of it has failed, so that it is asked itself.
  var isPastRewriting = false
  /// Tries made here, since the sidecars were last fetched.
  var tries = 0
  /// Whether it answers a range with `If-Range` with the whole of the requested version.
  var ignoresIfRange = false
  /// Whether it fails if it is asked for a range: it gets no other in this run.
  var refusesRanges = false
  /// How many requests for a range in a row have ended before the first byte of a body.
  var earlyEnds = 0

  /// Whether there are so many ``earlyEnds`` that it must be the range which fails.
  var isFruitless: Bool { earlyEnds >= 3 }
}
