import Planning
import SyncModel

/// A run as one self-contained HTML page, for looking rather than reading (`run --report`).
///
/// Nothing in it is fetched from anywhere: its policy forbids that, and names its one style sheet and its one
/// script by their digests. Without scripts everything is still there, only that nothing sorts or filters.
/// The same values give the same bytes.
struct RunPage {
  var graph: TargetGraph
  /// In manifest order.
  var results: [TargetResult]
  var status: RunStatus
  /// A failure that belongs to no target.
  var failure: FailureCause?
  var duration: Duration
  var course: RunTimeline
  private let header: RunHeader

  /// - end: with the results in any order; all skipped if the run could not begin.
  init(header: RunHeader, graph: TargetGraph, end: RunEnd, course: RunTimeline) {
    self.header = header
    self.graph = graph
    results = end.results.sorted { $0.id < $1.id }
    status = end.status
    failure = end.failure
    duration = end.duration
    self.course = course
  }

  var manifest: Manifest { header.manifest }
  var secrets: SecretMask { manifest.secrets }
  /// As people know it; masked, not yet safe in a page.
  var manifestPath: String { header.manifestPath }
  func path(of span: SourceSpan) -> String { header.path(of: span) }
  var began: Timestamp { header.time }

  /// The whole document; ends in a line end.
  func render() -> String {
    let summary = PageSummary(page: self)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <meta name="generator" content="syncmake \(HTMLText.escape(header.version))">
      <title>\(summary.headline) - \(secrets.page(manifestPath))</title>
      <style>\(PageStyle.text)</style>
      <script>\(PageScript.text)</script>
      </head>
      <body>
      \(summary.header)
      <main>
      \(sections.joined(separator: "\n"))
      </main>
      <footer><p>Written by syncmake \(HTMLText.escape(header.version)). Nothing in this page is loaded from anywhere.</p></footer>
      </body>
      </html>

      """
  }

  /// What the page may load: only its own style and script, allowed by their digests.
  private static var policy: String {
    "default-src 'none'; style-src 'sha256-\(PageStyle.sha256)'; script-src 'sha256-\(PageScript.sha256)'; "
      + "base-uri 'none'; form-action 'none'"
  }

  private var sections: [String] {
    [
      PageErrors(page: self).html, PageWarnings(page: self).html, PageTimeline(page: self).html,
      PageGraph(page: self).html, PageTable(page: self).html,
    ].filter { !$0.isEmpty }
  }

  /// A target's place in the table.
  static func anchor(_ id: TargetID) -> String { "t\(id.index)" }

  /// A link to a target's line in the table, with its name.
  func link(_ result: TargetResult) -> String {
    "<a href=\"#\(Self.anchor(result.id))\">\(secrets.page(result.name.text))</a>"
  }
}
