import SyncModel

/// Lays a run in progress out for a terminal: the `[done/total]` line, and one for each active target.
package enum LiveLines {
  /// More lines do not help a person.
  static let mostTargets = 8

  /// Lines that fit into `columns` by `rows`, each at most `columns - 1` wide so that none wraps.
  ///
  /// Empty before the run has begun, and if there is no room for one line.
  package static func render(
    _ run: LiveRun, at now: Duration, columns: Int, rows: Int, style: TextStyle
  ) -> [String] {
    guard run.total > 0, rows > 1, columns > 10 else { return [] }
    let width = columns - 1
    let room = min(mostTargets, rows - 2)
    let isCut = run.active.count > room
    let shown = run.active.prefix(isCut ? max(0, room - 1) : room)
    let nameWidth = min(shown.map { TextWidth.of($0.name) }.max() ?? 0, max(8, width / 3))
    var lines = [TextWidth.cutEnd(head(run, now), to: width)]
    let columns = aligned(shown.map { parts($0, now, hasBar: width >= 70) })
    lines += zip(shown, columns).map { target($0, $1, nameWidth, width) }
    if isCut, room > 0 { lines.append("  and \(run.active.count - shown.count) more") }
    lines[0] = style.paint(lines[0], .bold)
    return lines
  }

  /// `[12/40]  34.2 MB  5.1 MB/s  about 12 s left`.
  private static func head(_ run: LiveRun, _ now: Duration) -> String {
    var parts = ["[\(run.done)/\(run.total)]"]
    if run.bytes > 0 { parts.append(Quantity.size(run.bytes)) }
    if let rate = run.rate.bytesPerSecond(at: now), run.bytes > 0 {
      parts.append("\(Quantity.size(Int64(rate)))/s")
    }
    if let left = run.timeLeft(at: now) { parts.append("about \(Quantity.duration(roundedUp(left))) left") }
    return parts.joined(separator: "  ")
  }

  /// `  genes  [=====>    ]  12.3 MB of 40.0 MB  5.1 MB/s  5 s`; what does not fit is left out from the right.
  private static func target(_ target: LiveRun.Active, _ parts: [String], _ nameWidth: Int, _ width: Int)
    -> String
  {
    var line = "  " + TextWidth.pad(TextWidth.cutMiddle(target.name, to: nameWidth), to: nameWidth)
    for part in parts {
      guard TextWidth.of(line) + 2 + TextWidth.of(part) <= width else { break }
      line += "  " + part
    }
    return TextWidth.cutEnd(line, to: width)
  }

  /// Those of several lines as columns: the last part of a line is never padded, nor is the only one.
  private static func aligned(_ lines: [[String]]) -> [[String]] {
    let longest = lines.map(\.count).max() ?? 0
    let widths = (0..<longest).map { column in
      lines.filter { $0.count > 1 && column < $0.count }.map { TextWidth.of($0[column]) }.max() ?? 0
    }
    return lines.map { line in
      line.indices.map { column in
        column + 1 < line.count ? TextWidth.pad(line[column], to: widths[column]) : line[column]
      }
    }
  }

  private static func parts(_ target: LiveRun.Active, _ now: Duration, hasBar: Bool) -> [String] {
    switch target.activity {
    case .asking: return ["asking"]
    case .waiting(let until):
      return [until > now ? "tries again in \(Quantity.duration(roundedUp(until - now)))" : "tries again"]
    case .receiving(let here):
      var parts: [String] = []
      if let expected = target.expected, expected > 0, here <= expected {
        if hasBar { parts.append(bar(Double(here) / Double(expected))) }
        parts.append("\(Quantity.size(here)) of \(Quantity.size(expected))")
      } else {
        parts.append(Quantity.size(here))
      }
      guard let rate = target.rate.bytesPerSecond(at: now) else { return parts }
      parts.append("\(Quantity.size(Int64(rate)))/s")
      if let expected = target.expected, expected > here, rate > 0 {
        parts.append(Quantity.duration(roundedUp(LiveRun.time(for: Double(expected - here), at: rate))))
      }
      return parts
    }
  }

  /// Twenty columns between brackets.
  private static func bar(_ part: Double) -> String {
    let filled = Int(part * 20)
    let tip = filled < 20 ? ">" : ""
    return "[" + TextWidth.pad(String(repeating: "=", count: filled) + tip, to: 20) + "]"
  }

  /// Whole seconds, at least one: a countdown with a fraction flickers, and 0 is past.
  private static func roundedUp(_ duration: Duration) -> Duration {
    let (seconds, attoseconds) = duration.components
    return .seconds(max(1, seconds + (attoseconds > 0 ? 1 : 0)))
  }
}
