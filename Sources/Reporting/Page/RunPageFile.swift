import Planning
package import SyncModel

/// The file that `--report` writes: a page for looking at a run, rendered when it is over.
package struct RunPageFile: RunReport {
  private let header: RunHeader
  private var course: RunTimeline

  /// For a run that is about to begin.
  package init(_ header: RunHeader) {
    self.header = header
    course = RunTimeline(secrets: header.manifest.secrets, began: header.began)
  }

  /// Keeps what the page is to show; nothing is written before the end.
  package mutating func handle(_ event: RunEvent, at now: Duration) -> String {
    course.handle(event, at: now)
    return ""
  }

  /// The whole page.
  package func finish(_ end: RunEnd, at now: Duration) -> String {
    RunPage(
      header: header, graph: TargetGraph(header.manifest), end: end, course: course
    ).render()
  }
}
