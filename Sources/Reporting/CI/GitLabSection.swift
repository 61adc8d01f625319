package import SyncModel

/// The marks by which GitLab folds a part of a job's log.
package enum GitLabSection {
  private static let name = "syncmake_run"

  /// Begins a section that is shown folded.
  package static func start(_ title: String, at time: Timestamp) -> String {
    "\u{1B}[0Ksection_start:\(time.seconds):\(name)[collapsed=true]\r\u{1B}[0K\(CleanText.clean(title))\n"
  }

  /// Ends the section; GitLab takes whole seconds of `time`.
  package static func end(at time: Timestamp) -> String {
    "\u{1B}[0Ksection_end:\(time.seconds):\(name)\r\u{1B}[0K\n"
  }
}
