import Planning
import SyncModel

/// The dependency graph with what became of each target, drawn as far as eyes can follow it.
struct PageGraph {
  /// The most nodes in one drawing.
  static let mostNodes = 120
  /// The most arrows in one drawing.
  static let mostArrows = 400

  var page: RunPage

  /// Empty if no target of the run depends on another.
  var html: String {
    let arrows = Self.arrows(among: page.results, page.graph)
    guard !arrows.isEmpty else { return "" }
    let connected = Self.connected(arrows, page)
    if Self.fits(connected, arrows) { return section(connected, arrows, note: alone(connected.count)) }
    let (nodes, rest) = troubled(connected, arrows)
    if !nodes.isEmpty, Self.fits(nodes, rest), !rest.isEmpty {
      return section(
        nodes, rest,
        note: "only what did not succeed, what it depends on and what depends on it: "
          + "\(nodes.count) of \(PageNumber.grouped(connected.count)) targets")
    }
    return frame(
      "",
      "<p class=\"more\">\(PageNumber.grouped(connected.count)) targets and "
        + "\(PageNumber.grouped(arrows.count)) arrows are too many to draw; "
        + "<code>syncmake graph --format dot</code> gives them to other programs.</p>")
  }

  // MARK: What is drawn

  private struct Arrow: Hashable {
    var from: TargetID
    var to: TargetID
    var kind: DependencyKind
  }

  private static func arrows(among results: [TargetResult], _ graph: TargetGraph) -> [Arrow] {
    let selected = Set(results.map(\.id))
    var seen: Set<Arrow> = []
    return results.flatMap { graph.dependencies(of: $0.id) }
      .map { Arrow(from: $0.from, to: $0.to, kind: $0.kind) }
      .filter { selected.contains($0.from) && seen.insert($0).inserted }
  }

  private static func connected(_ arrows: [Arrow], _ page: RunPage) -> [TargetID] {
    let ends = Set(arrows.flatMap { [$0.from, $0.to] })
    return page.graph.order.filter(ends.contains)
  }

  private static func fits(_ nodes: [TargetID], _ arrows: [Arrow]) -> Bool {
    nodes.count <= mostNodes && arrows.count <= mostArrows
  }

  /// Failed and skipped targets, and their neighbours on both sides.
  private func troubled(_ nodes: [TargetID], _ arrows: [Arrow]) -> ([TargetID], [Arrow]) {
    let bad = Set(page.results.filter { $0.outcome == .failed || $0.outcome == .skipped }.map(\.id))
    let near = arrows.filter { bad.contains($0.from) || bad.contains($0.to) }
    let ends = Set(near.flatMap { [$0.from, $0.to] })
    return (nodes.filter(ends.contains), near)
  }

  private func alone(_ connected: Int) -> String {
    let rest = page.results.count - connected
    guard rest > 0 else { return PageNumber.count(connected, "target") }
    return "\(PageNumber.count(connected, "target")); "
      + "\(PageNumber.grouped(rest)) without dependencies \(rest == 1 ? "is" : "are") not drawn"
  }

  // MARK: How it is drawn

  private static let width = 168
  private static let height = 24
  private static let columnStep = 232
  private static let rowStep = 32.0
  private static let margin = 8

  private func section(_ nodes: [TargetID], _ arrows: [Arrow], note: String) -> String {
    var number: [TargetID: Int] = [:]
    for (place, id) in nodes.enumerated() { number[id] = place }
    let pairs = arrows.map { (from: number[$0.from] ?? 0, to: number[$0.to] ?? 0) }
    let layout = GraphLayout(nodes: nodes.count, arrows: pairs)
    let width = (layout.columns - 1) * Self.columnStep + Self.width + 2 * Self.margin
    let height = Int((layout.rows - 1) * Self.rowStep) + Self.height + 2 * Self.margin
    var parts = [
      "<div class=\"scroll\" role=\"region\" aria-labelledby=\"graph-title\" tabindex=\"0\">",
      "<svg class=\"graph\" role=\"group\" aria-label=\"Dependency graph; the table names what each target comes after\" "
        + "width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\">",
    ]
    for (place, arrow) in arrows.enumerated() {
      parts.append(
        curve(
          layout.places[pairs[place].from], layout.bends[place], layout.places[pairs[place].to], arrow.kind))
    }
    for (place, id) in nodes.enumerated() { parts.append(node(id, layout.places[place])) }
    parts += ["</svg>", "</div>"]
    return frame(note, Self.legend(arrows) + parts.joined(separator: "\n"))
  }

  private func frame(_ note: String, _ body: String) -> String {
    """
    <section id="graph" aria-labelledby="graph-title">
    <h2 id="graph-title">Graph \(note.isEmpty ? "" : "<small>\(note)</small>")</h2>
    \(body)
    </section>
    """
  }

  private static func legend(_ arrows: [Arrow]) -> String {
    let used = [DependencyKind.needs, .after, .from, .verify].filter { kind in
      arrows.contains { $0.kind == kind }
    }
    let items = used.map {
      "<li><svg><path class=\"arrow \($0.rawValue)\" d=\"M0 9H24\"/></svg>\($0.rawValue)</li>"
    }
    return "<ul class=\"legend\" aria-hidden=\"true\">\(items.joined())</ul>\n"
  }

  private func node(_ id: TargetID, _ place: GraphLayout.Place) -> String {
    let result = TargetResult.find(id, in: page.results)
    let outcome = result?.outcome.rawValue ?? "skipped"
    let kind = result?.pageClass ?? outcome
    let (x, y) = Self.corner(place)
    let name = page.manifest[id].name
    let full = page.secrets.page(name.text)
    let shown = HTMLText.escape(TextWidth.cutMiddle(page.secrets.shown(name), to: 22))
    return """
      <a href="#\(RunPage.anchor(id))" class="node \(kind)"><title>\(full): \(kind.with(", ", for: " "))</title>\
      <rect x="\(x)" y="\(y)" width="\(Self.width)" height="\(Self.height)" rx="4"/>\
      \(Self.mark(outcome, x + 12, y + Self.height / 2))\
      <text x="\(x + 23)" y="\(y + 16)">\(shown)</text></a>
      """
  }

  /// The outcome's shape, as everywhere in the page: dot, ring, diamond, dash.
  private static func mark(_ outcome: String, _ x: Int, _ y: Int) -> String {
    switch outcome {
    case "updated": "<circle class=\"shape\" cx=\"\(x)\" cy=\"\(y)\" r=\"4\"/>"
    case "fresh": "<circle class=\"shape ring\" cx=\"\(x)\" cy=\"\(y)\" r=\"3.5\"/>"
    case "failed": "<path class=\"shape\" d=\"M\(x - 5) \(y)l5 -5l5 5l-5 5z\"/>"
    default: "<path class=\"shape\" d=\"M\(x - 5) \(y - 1)h10v3h-10z\"/>"
    }
  }

  private static func corner(_ place: GraphLayout.Place) -> (x: Int, y: Int) {
    (margin + place.column * columnStep, margin + Int((place.row * rowStep).rounded()))
  }

  private func curve(
    _ from: GraphLayout.Place, _ bends: [GraphLayout.Place], _ to: GraphLayout.Place, _ kind: DependencyKind
  ) -> String {
    let half = Self.height / 2
    var (x, y) = Self.corner(from)
    x += Self.width
    y += half
    var path = "M\(x) \(y)"
    func lead(to end: (x: Int, y: Int)) {
      let middle = (end.x - x) / 2
      path += "C\(x + middle) \(y) \(end.x - middle) \(end.y) \(end.x) \(end.y)"
      (x, y) = end
    }
    for bend in bends {
      let (left, top) = Self.corner(bend)
      lead(to: (left, top + half))
      x = left + Self.width
      path += "H\(x)"
    }
    let (left, top) = Self.corner(to)
    lead(to: (left - 5, top + half))
    let tip = "<path class=\"tip\" d=\"M\(left) \(top + half)l-7 -4v8z\"/>"
    return "<path class=\"arrow \(kind.rawValue)\" d=\"\(path)\"/>\(tip)"
  }
}
