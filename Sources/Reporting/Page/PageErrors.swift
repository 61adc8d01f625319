import SyncModel

/// The errors: that of the run, and each failed target with what happened, what was kept and the next step.
struct PageErrors {
  /// The most errors in full; the table has the others.
  static let most = 100
  /// The errors of one code beyond this number are folded.
  static let mostOpen = 5

  var page: RunPage

  /// Empty if nothing failed.
  var html: String {
    let failed = page.results.filter { $0.failure != nil }
    guard !failed.isEmpty || page.failure != nil else { return "" }
    let total = failed.count + (page.failure == nil ? 0 : 1)
    // Errors that made the run fail come first.
    let told = (failed.filter { !$0.isOptional } + failed.filter(\.isOptional)).prefix(Self.most)
    var parts = ["<section id=\"errors\" aria-labelledby=\"errors-title\">"]
    parts.append("<h2 id=\"errors-title\">Errors <small>\(PageNumber.grouped(total))</small></h2>")
    if let failure = page.failure { parts.append(article(ofRun: failure)) }
    for code in FailureCode.allCases {
      let group = told.filter { $0.failure?.code == code }
      if !group.isEmpty { parts.append(render(group, code, of: failed.count { $0.failure?.code == code })) }
    }
    if failed.count > told.count {
      let rest = PageNumber.grouped(failed.count - told.count)
      parts.append("<p class=\"more\">\(rest) more are in the <a href=\"#targets\">table</a>.</p>")
    }
    return (parts + ["</section>"]).joined(separator: "\n")
  }

  /// Errors with one code; common advice is printed once.
  private func render(_ group: [TargetResult], _ code: FailureCode, of total: Int) -> String {
    let hints = Set(group.map(hint))
    let common = group.count > 2 && hints.count == 1 ? hints.first ?? nil : nil
    let articles = group.map { article($0, hint: common == nil ? hint($0) : nil) }
    let open = articles.prefix(total > Self.mostOpen + 1 ? Self.mostOpen : articles.count)
    let folded = articles.dropFirst(open.count)
    var text = open.joined(separator: "\n")
    if !folded.isEmpty {
      text +=
        "\n<details><summary>\(PageNumber.grouped(folded.count)) more with "
        + "<code>\(code.rawValue)</code></summary>\n\(folded.joined(separator: "\n"))\n</details>"
    }
    guard group.count > 2 else { return text }
    let head = "<h3>\(PageNumber.count(total, "target")) with <code>\(code.rawValue)</code></h3>"
    return "<div class=\"group\">\n\(head)\(Self.paragraph(common))\n\(text)\n</div>"
  }

  private func hint(_ result: TargetResult) -> String? {
    result.failure.flatMap {
      FailureText.hint($0, target: page.manifest[result.id], of: page.manifest)
    }
  }

  private func article(ofRun cause: FailureCause) -> String {
    let hint = FailureText.hint(TargetFailure(cause), target: nil, of: page.manifest)
    return """
      <article class="error">
      <h3><i class="mark"></i>The run <code>\(cause.code.rawValue)</code></h3>
      <p class="what">\(message(cause))</p>\(Self.paragraph(hint))
      </article>
      """
  }

  private func article(_ result: TargetResult, hint: String?) -> String {
    guard let failure = result.failure else { return "" }
    let target = page.manifest[result.id]
    let kept = FailureText.kept(failure, of: target).map {
      "\n<p class=\"kept\">\(HTMLText.escape(sentence($0)))</p>"
    }
    let span = target.span
    let place = "\(page.secrets.page(page.path(of: span))):\(span.line)"
    return """
      <article class="error\(result.isOptional ? " optional" : "")">
      <h3><i class="mark"></i>\(page.link(result)) <code>\(failure.code.rawValue)</code>\
      \(result.isOptional ? " <small>optional</small>" : "") <small class="place">\(place)</small></h3>
      <p class="what">\(message(failure.cause))</p>\(kept ?? "")\(Self.paragraph(hint))
      </article>
      """
  }

  private func message(_ cause: FailureCause) -> String {
    HTMLText.escape(sentence(FailureText.message(cause, secrets: page.secrets)))
  }

  private static func paragraph(_ hint: String?) -> String {
    hint.map { "\n<p class=\"hint\"><b>Hint:</b> \(HTMLText.prose($0))</p>" } ?? ""
  }

  private func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}

/// The warnings of the run.
struct PageWarnings {
  /// Warnings beyond these are counted only.
  static let most = 20

  var page: RunPage

  /// Empty if there were none.
  var html: String {
    let warnings = page.course.warnings
    guard !warnings.isEmpty else { return "" }
    let items = warnings.prefix(Self.most).map(render).joined(separator: "\n")
    let total = warnings.count + page.course.warningsLeftOut
    let more =
      total > Self.most ? "\n<p class=\"more\">And \(PageNumber.grouped(total - Self.most)) more.</p>" : ""
    return """
      <section id="warnings" aria-labelledby="warnings-title">
      <h2 id="warnings-title">Warnings <small>\(PageNumber.grouped(total))</small></h2>
      <ul class="warnings">
      \(items)
      </ul>\(more)
      </section>
      """
  }

  private func render(_ warning: RunWarning) -> String {
    let secrets = page.secrets
    let hint = WarningText.hint(warning).map {
      " <span class=\"hint\"><b>Hint:</b> \(HTMLText.prose(secrets.shown($0)))</span>"
    }
    return "<li>\(secrets.page(WarningText.message(warning, manifest: page.manifest)))\(hint ?? "")</li>"
  }
}
