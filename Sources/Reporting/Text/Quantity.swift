/// Numbers as people read them.
package enum Quantity {
  /// Bytes in decimal units with one decimal, such as `456 B` or `12.3 MB`; negative counts as 0.
  package static func size(_ bytes: Int64) -> String {
    let bytes = UInt64(max(0, bytes))
    if bytes < 1000 { return "\(bytes) B" }
    var unit: UInt64 = 1000
    var names = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
    while true {
      let tenths = bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit
      let name = names.removeFirst()
      if tenths < 10_000 || names.isEmpty { return "\(tenths / 10).\(tenths % 10) \(name)" }
      unit *= 1000
    }
  }

  /// Two sizes for comparison: in full if rounding would make them look equal.
  package static func sizes(_ a: Int64, _ b: Int64) -> (String, String) {
    let short = (size(a), size(b))
    return a != b && short.0 == short.1 ? ("\(a) bytes", "\(b) bytes") : short
  }

  /// A length of time in its one or two largest units: `450 ms`, `3.2 s`, `1m30s`, `12h`, `7d`.
  ///
  /// Rounded down; negative counts as 0.
  package static func duration(_ duration: Duration) -> String {
    let ms = milliseconds(duration)
    if ms < 1000 { return "\(ms) ms" }
    if ms < 60_000 { return ms % 1000 < 100 ? "\(ms / 1000) s" : "\(ms / 1000).\(ms % 1000 / 100) s" }
    let parts = units(ms / 1000).prefix(2)
    return parts.filter { $0.count > 0 }.map { "\($0.count)\($0.unit)" }.joined()
  }

  /// How long ago something was, in its largest unit: `45s`, `3h`; negative counts as 0.
  package static func age(_ duration: Duration) -> String {
    units(milliseconds(duration) / 1000).first.map { "\($0.count)\($0.unit)" } ?? "0s"
  }

  /// Whole milliseconds, rounded down; negative counts as 0, and the largest is a few million years.
  package static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    guard duration > .zero else { return 0 }
    return min(seconds, 100_000_000_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
  }

  /// Whole microseconds, rounded down; negative counts as 0.
  package static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    guard duration > .zero else { return 0 }
    return min(seconds, 9_000_000_000_000) * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// `1 target`, `3 targets`.
  package static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }

  /// Days, hours, minutes and seconds from the largest that is not 0; empty for 0.
  private static func units(_ seconds: Int64) -> [(count: Int64, unit: String)] {
    let all: [(count: Int64, unit: String)] = [
      (seconds / 86400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
    ]
    return Array(all.drop { $0.count == 0 })
  }
}
