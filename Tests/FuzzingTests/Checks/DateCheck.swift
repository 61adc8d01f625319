import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// HTTP's dates and `Retry-After`: the C library's calendar agrees, and no wait is negative.
enum DateCheck {
  /// The epoch, now, shortly before a new century, and the limits of a timestamp.
  private static let moments: [Timestamp] = [
    Timestamp(seconds: 0), Timestamp(seconds: 1_795_000_000), Timestamp(seconds: 4_102_444_799),
    Timestamp(seconds: .min), Timestamp(seconds: .max),
  ]

  static func run(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    for now in moments {
      let date = HTTPDate.parse(text, now: now)
      if let date { try real(date, text, now: now) }
      try wait(text, date, now: now)
    }
    try checkLists(text)
  }

  /// The dates of lists: written anew they are the same second, and those of HTTP are also those of mail.
  private static func checkLists(_ text: String) throws(Violation) {
    let what = text.debugDescription
    if let moment = Timestamp(rfc3339: text) {
      try demand(
        Timestamp(rfc3339: moment.rfc3339)?.seconds == moment.seconds, "\(what) is \(moment.rfc3339)")
      try demand(MailDate.parse(text) == nil, "\(what) is a date of mail, too")
    }
    if let moment = MailDate.parse(text), moment.nanoseconds != .min, moment.nanoseconds != .max {
      let written = HTTPDate.format(moment)
      try demand(MailDate.parse(written) == moment, "\(what) is \(written)")
    }
  }

  private static func real(_ date: Timestamp, _ text: String, now: Timestamp) throws(Violation) {
    let what = "\(text.debugDescription) at \(now.seconds) is \(date.seconds)"
    let written = HTTPDate.format(date)
    try demand(HTTPDate.parse(written, now: now)?.seconds == date.seconds, "\(what), written \(written)")
    try demand(written == byTheCLibrary(date), "\(what), not \(byTheCLibrary(date))")
    // A date beyond the range of nanoseconds becomes the last one.
    let isClamped = date.nanoseconds == .min || date.nanoseconds == .max
    try demand(isClamped || date.nanoseconds % 1_000_000_000 == 0, what)
    // Signs, which Swift's numbers may have, are not in the grammar; the weekday is ignored.
    let rest = text.utf8.drop(while: isSeparator).drop { !isSeparator($0) }
    try demand(!zip(rest, rest.dropFirst()).contains { $0 == 0x2B && isDigit($1) }, what)
    guard !isClamped else { return }
    let numbers = Self.numbers(text)
    let civil = CivilTime(secondsSince1970: date.seconds)
    // A leap second is the first second of the next minute, and perhaps of the next year.
    guard !numbers.contains(60) else { return }
    try demand(numbers.contains(civil.year) || numbers.contains(civil.year % 100), "\(what): the year")
    for part in [civil.day, civil.hour, civil.minute, civil.second] {
      try demand(numbers.contains(part), "\(what): \(part)")
    }
  }

  private static func isSeparator(_ c: UInt8) -> Bool { " ,-".utf8.contains(c) }

  private static func isDigit(_ c: UInt8) -> Bool { (0x30...0x39).contains(c) }

  /// Every run of digits in `text`.
  private static func numbers(_ text: String) -> [Int] {
    text.utf8.split { !isDigit($0) }.compactMap {
      Int(String(decoding: Array($0), as: UTF8.self))
    }
  }

  private static func byTheCLibrary(_ date: Timestamp) -> String {
    var seconds = time_t(date.seconds)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "" }
    var text = [CChar](repeating: 0, count: 64)
    // The locale is C unless it is set, which nothing here does.
    let length = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func wait(_ text: String, _ date: Timestamp?, now: Timestamp) throws(Violation) {
    let seconds = RetryAfter.seconds(text, now: now)
    let what = "Retry-After \(text.debugDescription) is \(String(describing: seconds))"
    try demand((seconds ?? 0) >= 0, what)
    let digits = text.utf8.split { $0 == 0x20 || $0 == 0x09 }
    if digits.count == 1, digits[0].allSatisfy(isDigit) {
      let number = UInt64(Substring(digits[0])) ?? .max
      try demand(seconds == Int64(clamping: number), what)
    } else if let date {
      try demand(seconds == max(0, date.seconds - now.seconds), what)
    }
  }
}
