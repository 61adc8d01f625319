/// Reads the `Retry-After` header (RFC 9110, section 10.2.3).
package enum RetryAfter {
  /// How many whole seconds `text` asks to wait, 0 or more: a number of seconds, or an HTTP date after `now`.
  ///
  /// - sentAt: the reply's `Date`, by the clock that the date is of; `now` counts if it is `nil` or not valid.
  ///
  /// A date that has passed is 0, a number too large for 63 bits the largest there is, a part of a second a
  /// whole one. `nil` for anything that is neither a number nor a date.
  package static func seconds(_ text: String, now: Timestamp, sentAt: String? = nil) -> Int64? {
    let bytes = Array(text.utf8)[...].trimmingBlanks
    guard !bytes.isEmpty else { return nil }
    if bytes.allSatisfy({ (0x30...0x39).contains($0) }) { return Int64(digits: bytes) ?? .max }
    guard let moment = HTTPDate.parse(String(decoding: bytes, as: UTF8.self), now: now) else { return nil }
    let start = sentAt.flatMap { HTTPDate.parse($0, now: now) } ?? now
    // Rounding it down never makes the wait too short.
    return max(0, moment.seconds - start.seconds)
  }
}
