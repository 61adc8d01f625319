/// A moment, in nanoseconds since 1970-01-01 UTC; always passed in, never read from a clock here.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Negative before 1970.
  package var nanoseconds: Int64

  /// The number of nanoseconds after 1970-01-01 UTC.
  @inlinable
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Clamps to the range of 64-bit nanoseconds: the years 1677 to 2262.
  package init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    nanoseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  /// `nanoseconds` after that second; `nil` if the sum is outside the range of 64-bit nanoseconds.
  package init?(seconds: Int64, nanoseconds: Int64) {
    let second = Timestamp(seconds: seconds).nanoseconds
    let (sum, overflow) = second.addingReportingOverflow(nanoseconds)
    if overflow { return nil }
    self.init(nanoseconds: sum)
  }

  /// Whole seconds, rounded down.
  package var seconds: Int64 {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The earlier moment is the smaller one.
  package static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }

  /// How much later `a` is; exact, however far apart they are.
  package static func - (a: Timestamp, b: Timestamp) -> Duration {
    .nanoseconds(a.nanoseconds) - .nanoseconds(b.nanoseconds)
  }

  /// RFC 3339 in UTC with whole seconds, such as `2026-11-21T10:00:00Z`.
  package var rfc3339: String { rfc3339(nanoseconds: 0) }

  /// ``rfc3339`` with nine digits of a second where it is not whole.
  package var exactRFC3339: String {
    let rest = Int(nanoseconds % 1_000_000_000)
    return rfc3339(nanoseconds: rest < 0 ? rest + 1_000_000_000 : rest)
  }

  /// Writes the digits one by one, since caches and documents have thousands of moments.
  private func rfc3339(nanoseconds: Int) -> String {
    let time = CivilTime(secondsSince1970: seconds)
    // All years of a timestamp have four digits.
    var parts: [(number: Int, width: Int, mark: Unicode.Scalar)] = [
      (time.year, 4, "-"), (time.month, 2, "-"), (time.day, 2, "T"), (time.hour, 2, ":"),
      (time.minute, 2, ":"), (time.second, 2, nanoseconds == 0 ? "Z" : "."),
    ]
    if nanoseconds != 0 { parts.append((nanoseconds, 9, "Z")) }
    return unsafe String(unsafeUninitializedCapacity: 30) { out in
      var place = 0
      for part in parts {
        var rest = part.number
        for digit in (place..<place + part.width).reversed() {
          unsafe out[digit] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        unsafe out[place + part.width] = UInt8(ascii: part.mark)
        place += part.width + 1
      }
      return place
    }
  }
}

/// A date of the proleptic Gregorian calendar and a time of day, UTC.
package struct CivilTime: Equatable, Sendable {
  /// 0 is the year before 1.
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int
  /// 0 to 23.
  package var hour: Int
  /// 0 to 59.
  package var minute: Int
  /// 0 to 59: leap seconds are not counted.
  package var second: Int

  /// Nothing is checked: values out of their ranges stay as they are.
  package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// In UTC; the year may be any, before 0 too.
  package init(secondsSince1970: Int64) {
    let days = Int(secondsSince1970 >= 0 ? secondsSince1970 / 86400 : (secondsSince1970 - 86399) / 86400)
    let ofDay = Int(secondsSince1970) - days * 86400
    // Days are counted from 0000-03-01, so that the leap day ends a year and an era is 400 years.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = ofDay / 3600
    minute = ofDay / 60 % 60
    second = ofDay % 60
  }

  /// Counted from 1970-01-01 UTC; negative before that.
  package var secondsSince1970: Int64 {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return Int64(days * 86400 + hour * 3600 + minute * 60 + second)
  }

  /// 0 is Sunday.
  package var weekday: Int {
    let days = Int((secondsSince1970 - Int64(hour * 3600 + minute * 60 + second)) / 86400)
    return ((days + 4) % 7 + 7) % 7
  }
}

/// `number` in decimal, with zeros in front up to `width` digits.
package func pad(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
