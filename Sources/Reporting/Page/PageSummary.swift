import SyncModel

/// The top of a report page: how the run went, in one sentence and a few figures.
struct PageSummary {
  var page: RunPage

  /// Such as `2 of 8 targets failed`; safe in an element.
  var headline: String {
    let total = page.results.count
    let standing = count(.updated) + count(.fresh)
    if page.status == .interrupted {
      return "Interrupted: \(upToDate(standing, of: total))"
    }
    if total == 0 { return "No target was selected" }
    if count(.failed) == 0, count(.skipped) > 0, standing == 0 { return "Nothing was begun" }
    if page.status == .failed, count(.failed) == 0 { return "The run failed" }
    if page.status == .failed {
      return "\(PageNumber.grouped(count(.failed))) of \(PageNumber.count(total, "target")) failed"
    }
    if standing < total { return upToDate(standing, of: total) }
    return total == 1 ? "The target is up to date" : "All \(PageNumber.grouped(total)) targets are up to date"
  }

  private func upToDate(_ standing: Int, of total: Int) -> String {
    let verb = standing == 1 || total == 1 ? "is" : "are"
    return "\(PageNumber.grouped(standing)) of \(PageNumber.count(total, "target")) \(verb) up to date"
  }

  /// The page's header element.
  var header: String {
    """
    <header>
    <div class="top"><h1>\(headline)</h1>
    <div class="theme needs-script" role="group" aria-label="Colours">\(themes)</div></div>
    <p class="meta">\(page.secrets.page(page.manifestPath)) <span>\(time)</span> \
    <span>took \(Quantity.duration(page.duration))</span></p>
    <ul class="counts" aria-label="Targets by outcome">\(outcomes)</ul>
    <dl class="figures">\(figures)</dl>
    </header>
    """
  }

  private var themes: String {
    ["auto", "light", "dark"].map {
      "<button type=\"button\" data-theme=\"\($0)\" aria-pressed=\"\($0 == "auto")\">\($0)</button>"
    }.joined()
  }

  private var time: String {
    let text = page.began.rfc3339
    let shown = text.with(" ", for: "T").with(" UTC", for: "Z")
    return "<time datetime=\"\(text)\">\(shown)</time>"
  }

  private var outcomes: String {
    Outcome.allCases.filter { count($0) > 0 }.map {
      "<li class=\"\($0.rawValue)\"><i class=\"mark\"></i>\(PageNumber.grouped(count($0))) \($0.rawValue)</li>"
    }.joined()
  }

  private var figures: String {
    let costs = page.results.map(\.totals) + listCosts
    let bytes = sum(costs.map(\.bytes))
    let resumed = sum(page.results.map(\.bytesResumed))
    var parts = [("received", Quantity.size(bytes))]
    if resumed > 0 { parts.append(("kept from before", Quantity.size(resumed))) }
    let requests = Int(sum(costs.map { Int64($0.requests) }))
    parts.append((requests == 1 ? "request" : "requests", PageNumber.grouped(requests)))
    let retries = page.course.spans.count { $0.kind == .pausing }
    if retries > 0 { parts.append((retries == 1 ? "retry" : "retries", PageNumber.grouped(retries))) }
    let milliseconds = Quantity.milliseconds(page.duration)
    if bytes >= 1_000_000, milliseconds >= 100 {
      parts.append(("on average", "\(Quantity.size(bytes / milliseconds * 1000))/s"))
    }
    return parts.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }.joined()
  }

  private func count(_ outcome: Outcome) -> Int { page.results.count { $0.outcome == outcome } }

  /// What it took to ask for lists, except for those of which a result has it: one that stands for a list's targets.
  private var listCosts: [ExchangeTotals] {
    let works = page.manifest.templates.filter { $0.work != nil }
    guard !works.isEmpty else { return [] }
    let told = Set(page.results.lazy.filter { $0.outcome != .skipped && isStandIn($0.id) }.map(\.name.text))
    return works.filter { !told.contains($0.list.template) }.compactMap(\.work?.totals)
  }

  private func isStandIn(_ id: TargetID) -> Bool {
    if case .unlisted = page.manifest[id].source { true } else { false }
  }

  /// Stops at the largest number instead of going past it.
  private func sum(_ values: [Int64]) -> Int64 {
    values.reduce(0) { sum, value in
      let (total, isTooMuch) = sum.addingReportingOverflow(max(0, value))
      return isTooMuch ? .max : total
    }
  }
}
