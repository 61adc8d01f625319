/// The number of targets that were requested, received and paused at each moment: a small chart of the whole run.
struct TimelineActivity {
  private static let slices = 120
  /// From the bottom up.
  private static let kinds: [RunTimeline.Kind] = [.receiving, .placing, .asking, .pausing]

  /// By slice of the axis, then by kind: targets at once, on average over the slice.
  private(set) var load: [[Double]]
  private let axis: TimeAxis

  init(_ spans: [RunTimeline.Span], _ axis: TimeAxis) {
    self.axis = axis
    load = Array(repeating: Array(repeating: 0, count: Self.kinds.count), count: Self.slices)
    let slice = axis.length / Self.slices
    for span in spans {
      guard let kind = Self.kinds.firstIndex(of: span.kind) else { continue }
      let first = min(Self.slices - 1, Int(span.start / slice))
      let last = min(Self.slices - 1, Int(span.end / slice))
      for i in first...max(first, last) {
        let overlap = min(span.end, slice * (i + 1)) - max(span.start, slice * i)
        if overlap > .zero { load[i][kind] += overlap / slice }
      }
    }
  }

  /// Targets at once in the busiest slice, rounded up.
  var peak: Int { Int(((load.map { $0.reduce(0, +) }.max() ?? 0) - 0.001).rounded(.up)) }

  /// A row of the timeline's chart.
  var html: String {
    let bars = load.enumerated().map { i, kinds in column(i, kinds) }.joined()
    return """
      <div class="row activity"><span class="name">all, up to \(peak) at once</span>\
      <svg class="bar" role="img" aria-label="Targets in progress over time, up to \(peak) at once">\
      <use href="#grid"/>\(bars)</svg></div>
      """
  }

  private func column(_ slice: Int, _ kinds: [Double]) -> String {
    guard peak > 0, kinds.contains(where: { $0 > 0 }) else { return "" }
    let x = axis.x(axis.length / Self.slices * slice)
    var top = 100.0
    let rects = zip(Self.kinds, kinds).map { kind, load in
      guard load > 0 else { return "" }
      let height = load / Double(peak) * 100
      top -= height
      return "<rect class=\"\(kind.rawValue)\" x=\"\(x)\" width=\"0.8%\" y=\"\(Self.percent(top))\" "
        + "height=\"\(Self.percent(height))\"/>"
    }
    return rects.joined()
  }

  private static func percent(_ number: Double) -> String {
    let tenths = max(0, Int((number * 10).rounded()))
    return "\(tenths / 10).\(tenths % 10)%"
  }
}
