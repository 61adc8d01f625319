extension Timestamp {
  /// The moment of `text` in the form of RFC 3339, clamped to the range of a timestamp; `nil` for anything else.
  ///
  /// Also accepted are what others write: a blank instead of the `T`, no seconds, no zone, which is UTC then, and a zone
  /// without its colon or without minutes.
  package init?(rfc3339 text: String) {
    var text = text
    let found = text.withUTF8 { bytes in
      var reader = unsafe DateReader(UnsafeRawBufferPointer(bytes))
      return reader.read()
    }
    guard let found else { return nil }
    self = found
  }

  /// Whether `text` is a date without a time, such as `2026-11-21`.
  package static func isDate(_ text: String) -> Bool {
    text.utf8.count == 10 && Timestamp(rfc3339: text + "T00:00:00Z") != nil
  }
}

/// Reads a date of RFC 3339 from its first byte to its last.
@safe private struct DateReader {
  private let text: UnsafeRawBufferPointer
  private var place = 0

  /// `text` must last as long as the reader.
  init(_ text: UnsafeRawBufferPointer) { unsafe self.text = text }

  mutating func read() -> Timestamp? {
    guard let year = number(4), take("-") != nil, let month = number(2),
      (1...12).contains(month), take("-") != nil, let day = number(2), (1...31).contains(day),
      take("T", "t", " ") != nil, let hour = number(2), hour < 24, take(":") != nil, let minute = number(2),
      minute < 60
    else { return nil }
    guard let (second, nanoseconds) = seconds(), let offset = zone(), unsafe place == text.count else {
      return nil
    }
    let midnight = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
    let start = midnight.secondsSince1970
    // A day that the month does not have comes back as one of the next.
    guard day <= 28 || CivilTime(secondsSince1970: start).day == day else { return nil }
    let seconds = start + Int64(hour * 3600 + minute * 60 + second - offset * 60)
    // Programs write the years 1 and 9999 for "never" and "for ever".
    let sum = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
    return Timestamp(nanoseconds: Int64(clamping: sum))
  }

  /// The seconds and nanoseconds, if there are any.
  private mutating func seconds() -> (Int, nanoseconds: Int)? {
    guard take(":") != nil else { return (0, 0) }
    guard let seconds = number(2), seconds <= 60 else { return nil }
    guard take(".", ",") != nil else { return (seconds, 0) }
    return fraction().map { (seconds, $0) }
  }

  private mutating func fraction() -> Int? {
    var (nanoseconds, unit, digits) = (0, 100_000_000, 0)
    while let digit = number(1) {
      nanoseconds += digit * unit
      unit /= 10
      digits += 1
    }
    return digits > 0 ? nanoseconds : nil
  }

  /// In minutes east of UTC.
  private mutating func zone() -> Int? {
    if unsafe place == text.count || take("Z", "z") != nil { return 0 }
    guard let sign = take("+", "-"), let hours = number(2), hours < 24 else { return nil }
    var minutes = 0
    if unsafe take(":") != nil || place < text.count {
      guard let written = number(2), written < 60 else { return nil }
      minutes = written
    }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
  }

  /// A number of exactly `count` digits.
  private mutating func number(_ count: Int) -> Int? {
    guard unsafe place + count <= text.count else { return nil }
    var value = 0
    for _ in 0..<count {
      let digit = unsafe text[place] &- 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
      place += 1
    }
    return value
  }

  /// The next byte, if it is one of these.
  private mutating func take(
    _ first: Unicode.Scalar, _ second: Unicode.Scalar? = nil, _ third: Unicode.Scalar? = nil
  ) -> UInt8? {
    guard unsafe place < text.count else { return nil }
    let byte = unsafe text[place]
    let scalar = Unicode.Scalar(byte)
    guard scalar == first || scalar == second || scalar == third else { return nil }
    place += 1
    return byte
  }
}
