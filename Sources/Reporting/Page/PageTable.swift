import Planning
import SyncModel

/// The table of all targets: plain HTML that the page's script makes sortable and filterable.
struct PageTable {
  /// The most rows; fresh targets are left out first.
  static let most = 10_000
  /// The rows that are shown first if scripts run.
  static let mostAtFirst = 500
  /// If there are more, fresh targets are hidden at first, unless nothing else is shown.
  static let mostFreshAtFirst = 25
  /// Names in one cell.
  private static let mostNames = 12

  var page: RunPage

  /// Never empty: a run without targets says so.
  var html: String {
    let shown = chosen
    let left = page.results.count - shown.count
    let head = shown.prefix(Self.mostAtFirst).map(row).joined(separator: "\n")
    let rest = shown.dropFirst(Self.mostAtFirst).map(row).joined(separator: "\n")
    return """
      <section id="targets" aria-labelledby="targets-title">
      <h2 id="targets-title">Targets <small>\(PageNumber.grouped(page.results.count))</small></h2>
      \(left > 0 ? "<p class=\"more\">\(leftOut(left))</p>\n" : "")\(controls)
      <div class="scroll" role="region" aria-labelledby="targets-title" tabindex="0">
      <table class="\(foldsFresh ? "fold" : "")" data-first="\(Self.mostAtFirst)">
      <thead><tr>\(Self.columns)</tr></thead>
      <tbody>
      \(head)
      </tbody>
      <tbody class="rest">
      \(rest)
      </tbody>
      </table>
      </div>
      <p class="needs-script more" id="more" hidden><button type="button"></button></p>
      </section>
      """
  }

  /// In manifest order; if there are too many, fresh targets are left out first, then updated ones.
  private var chosen: [TargetResult] {
    guard page.results.count > Self.most else { return page.results }
    let order: [Outcome] = [.failed, .skipped, .updated, .fresh]
    let kept = order.flatMap { outcome in page.results.filter { $0.outcome == outcome } }.prefix(Self.most)
    return kept.sorted { $0.id < $1.id }
  }

  private func leftOut(_ count: Int) -> String {
    "\(PageNumber.grouped(count)) are left out, fresh ones first; <code>--json</code> has all of them."
  }

  private var foldsFresh: Bool {
    let fresh = page.results.count { $0.outcome == .fresh }
    return fresh > Self.mostFreshAtFirst && fresh < page.results.count
  }

  private var controls: String {
    let boxes = Outcome.allCases.map { outcome in
      let count = page.results.count { $0.outcome == outcome }
      let isOn = outcome != .fresh || !foldsFresh
      guard count > 0 else { return "" }
      return """
        <label class="\(outcome.rawValue)"><input type="checkbox" value="\(outcome.rawValue)"\
        \(isOn ? " checked" : "")>\
        <i class="mark"></i>\(outcome.rawValue) \(PageNumber.grouped(count))</label>
        """
    }
    return """
      <form class="controls needs-script" role="search">
      <input type="search" placeholder="Filter by name, reason or path" aria-label="Filter the targets">
      <fieldset><legend class="hidden">Outcomes shown</legend>\(boxes.joined())</fieldset>
      <output aria-live="polite"></output>
      </form>
      """
  }

  private static let columns = [
    ("name", "Target", ""), ("outcome", "Outcome", ""), ("reason", "Reason", ""), ("size", "Size", "n"),
    ("received", "Received", "n"), ("requests", "Requests", "n minor"), ("time", "Time", "n"),
    ("output", "Output and source", ""),
  ].map { key, title, kind in
    "<th scope=\"col\" data-key=\"\(key)\"\(kind.isEmpty ? "" : " class=\"\(kind)\"")>\(title)</th>"
  }.joined()

  private func row(_ result: TargetResult) -> String {
    "<tr id=\"\(RunPage.anchor(result.id))\" class=\"\(result.pageClass)\">"
      + "<th scope=\"row\">\(page.secrets.page(result.name.text))\(about(result))</th>"
      + "<td data-v=\"\(Self.rank(result.outcome))\"><span class=\"state\"><i class=\"mark\"></i>"
      + "\(result.outcome.rawValue)</span>\(small(qualifier(result)))</td>"
      + "<td>\(reason(result))</td>"
      + number(result.content?.size) { Quantity.size($0) }
      + number(result.outcome == .skipped ? nil : result.totals.bytes, resumed(result)) { Quantity.size($0) }
      + number(result.outcome == .skipped ? nil : Int64(result.totals.requests), minor: true) { "\($0)" }
      + number(result.outcome == .skipped ? nil : Quantity.milliseconds(result.duration)) {
        Quantity.duration(.milliseconds($0))
      }
      + "<td>\(page.secrets.page(result.output.shown ?? ""))\(small(source(result)))</td></tr>"
  }

  /// Problems sort first.
  private static func rank(_ outcome: Outcome) -> Int {
    switch outcome {
    case .failed: 0
    case .skipped: 1
    case .updated: 2
    case .fresh: 3
    }
  }

  /// `text` is escaped already.
  private func small(_ text: String?) -> String { text.map { "<small>\($0)</small>" } ?? "" }

  private func about(_ result: TargetResult) -> String {
    var lines = [page.manifest[result.id].summary.map(page.secrets.page)]
    var seen: Set<TargetID> = []
    let names = page.graph.dependencies(of: result.id).filter { seen.insert($0.from).inserted }
    if !names.isEmpty {
      let list = names.prefix(Self.mostNames).map { page.secrets.page(page.manifest[$0.from].name.text) }
      lines.append("depends on \(list.row(of: names.count))")
    }
    return lines.compactMap { small($0) }.joined()
  }

  private func qualifier(_ result: TargetResult) -> String? {
    if result.outcome == .updated, result.isUnchanged { return "same content" }
    return result.outcome == .failed && result.isOptional ? "optional" : nil
  }

  private func reason(_ result: TargetResult) -> String {
    let secrets = page.secrets
    if let failure = result.failure {
      return "<code>\(failure.code.rawValue)</code>"
        + (small(HTMLText.escape(FailureText.message(failure, secrets: secrets))))
    }
    let detail = ResultWording.detail(result, secrets: secrets).map { HTMLText.escape(CleanText.clean($0)) }
    guard let code = result.reason?.code, result.outcome != .skipped else { return small(detail) }
    return "<code>\(code.rawValue)</code>" + small(detail)
  }

  private func resumed(_ result: TargetResult) -> String? {
    result.bytesResumed > 0 ? "\(Quantity.size(result.bytesResumed)) from before" : nil
  }

  private func source(_ result: TargetResult) -> String? {
    if case .target(let id) = page.manifest[result.id].source {
      return "made from \(page.secrets.page(page.manifest[id].name.text))"
    }
    let status = result.httpStatus.map { "\($0) " } ?? ""
    let url = result.url ?? page.manifest[result.id].source.mirrors?.first.map(\.shown)
    return url.map { status + page.secrets.page($0) }
  }

  private func number(
    _ value: Int64?, _ beside: String? = nil, minor: Bool = false, _ text: (Int64) -> String
  ) -> String {
    let kind = minor ? "n minor" : "n"
    guard let value else { return "<td class=\"\(kind)\"></td>" }
    return "<td class=\"\(kind)\" data-v=\"\(value)\">\(text(value))\(small(beside))</td>"
  }
}
