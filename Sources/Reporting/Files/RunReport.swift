package import SyncModel

/// A file about a run that is made for machines, fed by the run's events.
///
/// Every time is the monotonic clock's, as in ``RunSpan``; nothing in here reads a clock.
package protocol RunReport {
  /// Takes in what happened at `now`; returns what is to be written already, in whole lines, or nothing.
  mutating func handle(_ event: RunEvent, at now: Duration) -> String

  /// The run is over: returns the rest of the file.
  mutating func finish(_ end: RunEnd, at now: Duration) -> String
}

/// A run when it is over, as far as reports of it tell.
package struct RunEnd: Sendable {
  /// One for each selected target.
  package var results: [TargetResult]
  package var status: RunStatus
  /// Why the run failed beside what its targets tell.
  package var failure: FailureCause?
  /// With the wait for another run; zero where none was begun, and with `--touch`.
  package var duration: Duration

  package init(results: [TargetResult], status: RunStatus, duration: Duration) {
    self.results = results
    self.status = status
    self.duration = duration
  }
}

/// What a report knows of its run from the beginning.
package struct RunHeader: Sendable {
  package var manifest: Manifest
  /// Where a repository has the manifest, such as `assets/syncmake.yaml`; else as the user named it.
  package var manifestPath: String
  /// Such as `0.1.0`.
  package var version: String
  /// The time of day when the run began.
  package var time: Timestamp
  /// The same moment by the monotonic clock.
  package var began: Duration

  package init(
    manifest: Manifest, manifestPath: String? = nil, version: String, time: Timestamp, began: Duration
  ) {
    self.manifest = manifest
    self.manifestPath = manifest.secrets.mask(manifestPath ?? manifest.fileName)
    self.version = version
    self.time = time
    self.began = began
  }

  /// Microseconds from the run's beginning to `moment`; 0 for anything earlier.
  func microseconds(_ moment: Duration) -> Int64 { Quantity.microseconds(moment - began) }

  /// A target's name, secrets masked.
  func name(_ id: TargetID) -> String { manifest.secrets.mask(manifest[id].name.text) }
}
