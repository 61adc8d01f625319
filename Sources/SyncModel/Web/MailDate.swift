/// Reads the dates of mail (RFC 5322, section 3.3), which RSS has too: `Sat, 21 Nov 2026 10:00:00 +0100`.
package enum MailDate {
  /// The zones with a name that RFC 5322, section 4.3 defines, in hours.
  private static let zones = [
    "GMT": 0, "UT": 0, "UTC": 0, "Z": 0, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7,
    "PDT": -7, "PST": -8,
  ]

  /// The moment of `text`; the weekday and the seconds may be missing. `nil` for anything else.
  ///
  /// A year of two digits is one from 1950 to 2049, as the RFC says.
  package static func parse(_ text: String) -> Timestamp? {
    var fields = text.split { $0 == " " || $0 == "," || $0 == "\t" || $0 == "\n" || $0 == "\r\n" }[...]
    if let first = fields.first, HTTPDate.number(first) == nil { fields = fields.dropFirst() }
    guard fields.count == 5 else { return nil }
    let (day, monthName, yearText) = (fields.removeFirst(), fields.removeFirst(), fields.removeFirst())
    let (time, zone) = (String(fields.removeFirst()), fields.removeFirst())
    guard let month = HTTPDate.month(String(monthName)), var year = HTTPDate.number(yearText),
      let minutes = minutes(zone)
    else { return nil }
    if yearText.utf8.count == 2 { year += year < 50 ? 2000 : 1900 }
    let hasSeconds = time.utf8.count { $0 == UInt8(ascii: ":") } == 2
    let local = HTTPDate.moment(
      day: String(day), month: month, year: year, time: hasSeconds ? time : time + ":00")
    return local.map { Timestamp(seconds: $0.seconds - Int64(minutes) * 60) }
  }

  /// East of Greenwich; `nil` for an unknown name.
  private static func minutes(_ zone: Substring) -> Int? {
    if let hours = zones[zone.uppercased()] { return hours * 60 }
    let digits = zone.utf8.dropFirst()
    guard let sign = zone.utf8.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      digits.count == 4, let number = HTTPDate.number(Substring(digits)), number % 100 < 60, number < 2400
    else { return nil }
    let minutes = number / 100 * 60 + number % 100
    return sign == UInt8(ascii: "-") ? -minutes : minutes
  }
}
