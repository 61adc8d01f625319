import Planning
import SyncModel

/// A run as one self-contained HTML page, for looking rather than reading (`run --report`).
///
/// Nothing in it is fetched from anywhere: its policy forbids that, and names its one style sheet and its one
/// script by their digests. Without scripts everything is still there, only that nothing sorts or filters.
/// The same values give the same bytes.
package struct RunPage {
  var manifest: Manifest
  var graph: TargetGraph
  /// In manifest order.
  var results: [TargetResult]
  var status: RunStatus
  var began: Timestamp
  var duration: Duration
  var course: RunCourse
  var version: String

  /// - results: those of a run, in any order; all skipped where it could not begin.
  /// - version: of the program, such as `0.1.0`.
  package init(
    manifest: Manifest, graph: TargetGraph, results: [TargetResult], status: RunStatus, began: Timestamp,
    duration: Duration, course: RunCourse, version: String
  ) {
    self.manifest = manifest
    self.graph = graph
    self.results = results.sorted { $0.id < $1.id }
    self.status = status
    self.began = began
    self.duration = duration
    self.course = course
    self.version = version
  }

  var secrets: SecretMask { manifest.secrets }

  /// The whole document; ends in a line end.
  package func render() -> String {
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
      <meta name="generator" content="syncmake \(HTMLText.escape(version))">
      <title>\(summary.headline) - \(secrets.page(manifest.fileName))</title>
      <style>\(PageStyle.text)</style>
      <script>\(PageScript.text)</script>
      </head>
      <body>
      \(summary.header)
      <main>
      \(sections.joined(separator: "\n"))
      </main>
      <footer><p>Written by syncmake \(HTMLText.escape(version)). Nothing in this page is loaded from anywhere.</p></footer>
      </body>
      </html>

      """
  }

  /// What the page may load: its own style and script, known by their digests, and nothing else.
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
