/// Reads and writes the dates of HTTP (RFC 9110, section 5.6.7).
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `time` as an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`; a fraction of a second is dropped.
  package static func format(_ time: Timestamp) -> String {
    let c = CivilTime(secondsSince1970: time.seconds)
    return "\(days[c.weekday]), \(pad(c.day, 2)) \(months[c.month - 1]) \(pad(c.year, 4)) "
      + "\(pad(c.hour, 2)):\(pad(c.minute, 2)):\(pad(c.second, 2)) GMT"
  }

  /// The moment of `text` in any of the three forms of RFC 9110; `nil` for anything else.
  ///
  /// A two-digit year more than 50 years after `now` belongs to the last century, as the RFC says.
  package static func parse(_ text: String, now: Timestamp) -> Timestamp? {
    let fields = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
    // asctime: Sun Nov  6 08:49:37 1994
    if fields.count == 5, let month = month(fields[1]) {
      return moment(day: fields[2], month: month, year: number(fields[4]), time: fields[3])
    }
    // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT; RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
    guard fields.count == 6, ["GMT", "UTC"].contains(fields[5]), let month = month(fields[2]) else {
      return nil
    }
    var year = number(fields[3])
    if fields[3].utf8.count == 2, let short = year {
      let thisYear = CivilTime(secondsSince1970: now.seconds).year
      let guess = thisYear - thisYear % 100 + short
      year = guess > thisYear + 50 ? guess - 100 : guess
    }
    return moment(day: fields[1], month: month, year: year, time: fields[4])
  }

  static func month(_ text: String) -> Int? { months.firstIndex(of: text).map { $0 + 1 } }

  /// Digits only: `Int` would read a sign, too.
  static func number(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  /// In UTC; `nil` if there is no such day or time.
  static func moment(day: String, month: Int, year: Int?, time: String) -> Timestamp? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(number)
    guard let year, (1601...9999).contains(year), let day = number(day), (1...31).contains(day),
      clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
    else { return nil }
    let midnight = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
    // A day that the month does not have comes back as one of the next.
    guard CivilTime(secondsSince1970: midnight.secondsSince1970).day == day else { return nil }
    return Timestamp(seconds: midnight.secondsSince1970 + Int64(hour * 3600 + minute * 60 + second))
  }
}
