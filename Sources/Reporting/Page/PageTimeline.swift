import SyncModel

/// Each target's requests, download, pauses and end, on the run's time axis.
struct PageTimeline {
  /// Targets that get a line of their own.
  static let mostTargets = 60

  var page: RunPage

  /// Empty if there was no request and no work.
  var html: String {
    let spans = page.course.spans
    guard !spans.isEmpty else { return "" }
    let axis = TimeAxis(length: max(page.duration, spans.map(\.end).max() ?? .zero))
    let targets = byTarget(spans)
    let chosen = Self.chosen(targets)
    var parts = [
      "<section id=\"timeline\" aria-labelledby=\"timeline-title\">",
      "<h2 id=\"timeline-title\">Timeline\(note(chosen.count, of: targets.count))</h2>", Self.legend,
      "<svg class=\"defs\" aria-hidden=\"true\"><g id=\"grid\">\(axis.grid)</g></svg>",
      "<div class=\"chart\">", axis.html,
    ]
    if targets.count > chosen.count { parts.append(TimelineActivity(spans, axis).html) }
    parts += chosen.map { row($0, axis) }
    return (parts + ["</div>", "</section>"]).joined(separator: "\n")
  }

  /// One target's spans, in their order.
  struct TargetSpans {
    var id: TargetID
    var spans: [RunTimeline.Span]

    var start: Duration { spans.map(\.start).min() ?? .zero }
    var end: Duration { spans.map(\.end).max() ?? .zero }
  }

  private func byTarget(_ spans: [RunTimeline.Span]) -> [TargetSpans] {
    var places: [TargetID: Int] = [:]
    var targets: [TargetSpans] = []
    for span in spans {
      if let place = places[span.target] {
        targets[place].spans.append(span)
      } else {
        places[span.target] = targets.count
        targets.append(TargetSpans(id: span.target, spans: [span]))
      }
    }
    return targets.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
  }

  /// If there are too many: those with a failure, then those that took longest.
  private static func chosen(_ targets: [TargetSpans]) -> [TargetSpans] {
    guard targets.count > mostTargets else { return targets }
    func weight(_ target: TargetSpans) -> (Int, Duration) {
      (target.spans.contains { $0.isFailed } ? 0 : 1, target.start - target.end)
    }
    // At most half of the lines for failures: thousands of refused connections say nothing.
    let ordered = targets.sorted { (weight($0).1, $0.id) < (weight($1).1, $1.id) }
    let failed = ordered.filter { weight($0).0 == 0 }.prefix(mostTargets / 2)
    let ids = Set(failed.map(\.id))
    let rest = ordered.filter { !ids.contains($0.id) }.prefix(mostTargets - failed.count)
    return (failed + rest).sorted { ($0.start, $0.id) < ($1.start, $1.id) }
  }

  private func note(_ shown: Int, of total: Int) -> String {
    guard shown < total else { return " <small>\(PageNumber.count(total, "target"))</small>" }
    return " <small>the \(shown) of \(PageNumber.grouped(total)) targets that failed or took longest</small>"
  }

  private func row(_ target: TargetSpans, _ axis: TimeAxis) -> String {
    let result = TargetResult.find(target.id, in: page.results)
    let name =
      result.map(page.link) ?? page.secrets.page(page.manifest[target.id].name.text)
    let said = target.spans.map(words).joined(separator: "; ")
    return """
      <div class="row \(result?.pageClass ?? "")"><span class="name">\(name)</span>\
      <svg class="bar" role="img" aria-label="\(said)"><use href="#grid"/>\
      \(target.spans.map { bar($0, axis) }.joined())</svg></div>
      """
  }

  /// One span for a tooltip and for screen readers; escaped.
  private func words(_ span: RunTimeline.Span) -> String {
    let note = span.note.isEmpty ? "" : " (\(page.secrets.page(span.note)))"
    return "\(span.isFailed ? "failed " : "")\(span.kind.rawValue) from \(Quantity.duration(span.start)), "
      + "\(Quantity.duration(span.end - span.start))\(note)"
  }

  private func bar(_ span: RunTimeline.Span, _ axis: TimeAxis) -> String {
    let (x, width) = axis.place(span.start, span.end)
    let mark =
      span.isFailed
      ? "<rect class=\"cross\" x=\"\(axis.x(span.end))\" width=\"2\" y=\"1\" height=\"16\"/>" : ""
    return "<g><title>\(words(span))</title>\(TimelineBar.rect(span.kind, x, width))\(mark)</g>"
  }

  private static let legend = """
    <ul class="legend" aria-hidden="true">\
    \(RunTimeline.Kind.allCases.map { "<li><svg>\(TimelineBar.rect($0, "0%", "100%"))</svg>\($0.rawValue)</li>" }.joined())\
    <li><svg><rect class="cross" x="50%" width="2" y="1" height="16"/></svg>a try failed</li></ul>
    """
}

/// The look of a bar: its kind shows in its height as well as in its colour.
enum TimelineBar {
  static func rect(_ kind: RunTimeline.Kind, _ x: String, _ width: String) -> String {
    let (y, height) =
      switch kind {
      case .asking: (6, 5)
      case .receiving: (3, 11)
      case .pausing: (8, 2)
      case .steps: (15, 2)
      case .placing: (6, 5)
      }
    return "<rect class=\"\(kind.rawValue)\" x=\"\(x)\" width=\"\(width)\" y=\"\(y)\" height=\"\(height)\"/>"
  }
}

/// The run's clock as a horizontal axis in percent, with round marks.
struct TimeAxis {
  let length: Duration
  /// Between two marks.
  let step: Duration

  init(length: Duration) {
    self.length = max(length, .milliseconds(1))
    step = Self.step(for: self.length)
  }

  /// Round numbers for people, giving four to eight marks.
  private static func step(for length: Duration) -> Duration {
    let seconds: [Double] = [
      0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
      3600, 7200, 14400, 21600, 43200, 86400,
    ]
    let step = seconds.first { length / .seconds($0) <= 6 } ?? 86400
    return max(.seconds(step), length / 12)
  }

  private var marks: [Duration] {
    (0...12).map { step * $0 }.prefix { $0 <= length }
  }

  func x(_ time: Duration) -> String { PageNumber.percent(time, of: length) }

  /// A bar's position; never so narrow that it is invisible.
  func place(_ start: Duration, _ end: Duration) -> (x: String, width: String) {
    (x(start), PageNumber.percent(max(end - start, length / 600), of: length))
  }

  /// Lines for each mark, for use behind every row.
  var grid: String { marks.map { "<line x1=\"\(x($0))\" x2=\"\(x($0))\" y1=\"0\" y2=\"100%\"/>" }.joined() }

  /// The line of numbers.
  var html: String {
    let marks = self.marks
    // The last number then ends at its mark; in a narrow window it takes the room of the one before.
    let isEndTaken = marks.last.map { $0 > length * 0.92 } ?? false
    let texts = marks.enumerated().map { place, mark -> String in
      let text = mark == .zero ? "0" : Quantity.duration(mark)
      var look = ""
      if isEndTaken, place == marks.count - 1 { look = " text-anchor=\"end\"" }
      if isEndTaken, place == marks.count - 2, place > 0 { look = " class=\"minor\"" }
      return "<text x=\"\(x(mark))\" y=\"12\"\(look)>\(text)</text>"
    }
    return
      "<div class=\"row axis\" aria-hidden=\"true\"><span class=\"name\"></span><svg class=\"bar\">\(texts.joined())</svg></div>"
  }
}

extension TargetResult {
  /// Its class in drawings: the outcome, and whether it is a failure that is only a warning.
  var pageClass: String {
    self.outcome.rawValue + (self.outcome == .failed && self.isOptional ? " optional" : "")
  }

  /// The result of `id` among `results`, which are in manifest order.
  static func find(_ id: TargetID, in results: [TargetResult]) -> TargetResult? {
    var range = 0..<results.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if results[middle].id == id { return results[middle] }
      range = results[middle].id < id ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }
}
