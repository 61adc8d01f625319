package import SyncModel

/// A file about a run for programs, made from the run's events.
///
/// Every time is the monotonic clock's, as in ``RunSpan``; this module reads no clock.
package protocol RunReport {
  /// Takes an event that happened at `now`; returns whole lines to write at once, or nothing.
  mutating func handle(_ event: RunEvent, at now: Duration) -> String

  /// Takes what happened before the run, while its lists were asked; returns whole lines, too.
  mutating func takeLists(_ tale: EarlyTale) -> String

  /// The run is over: returns the rest of the file.
  mutating func finish(_ end: RunEnd, at now: Duration) -> String
}

extension RunReport {
  /// Most reports are about targets only.
  package mutating func takeLists(_ tale: EarlyTale) -> String { "" }

  /// Takes all that happened before the targets of `manifest` were known; returns whole lines.
  package mutating func take(_ tale: EarlyTale, in manifest: Manifest) -> String {
    let lines = tale.happenings(in: manifest).reduce(into: "") { $0 += handle($1.event, at: $1.at) }
    return lines + takeLists(tale)
  }
}

/// A finished run, as far as reports need it.
package struct RunEnd: Sendable {
  /// One for each selected target.
  package var results: [TargetResult]
  /// The status of the run as a whole.
  package var status: RunStatus
  /// Why the run failed, if the reason belongs to no target.
  package var failure: FailureCause?
  /// Includes the wait for another run; zero if no run began, and with `--touch`.
  package var duration: Duration

  /// `results` has one entry for each selected target; ``failure`` is `nil` until it is set.
  package init(results: [TargetResult], status: RunStatus, duration: Duration) {
    self.results = results
    self.status = status
    self.duration = duration
  }
}

/// What a report knows of its run at the start.
package struct RunHeader: Sendable {
  /// The manifest of the run; its ``SyncModel/Manifest/secrets`` mask the report's texts.
  package var manifest: Manifest
  /// The manifest's path in the repository, such as `assets/syncmake.yaml`, or else as the user named it.
  package var manifestPath: String
  /// Such as `0.1.0`.
  package var version: String
  /// The time of day when the run began.
  package var time: Timestamp
  /// The same moment by the monotonic clock.
  package var began: Duration
  /// The part of the targets that it is about; `nil` for all that are selected.
  package var shard: ShardFacts?

  /// `manifestPath` is `nil` for the path as the user named it; secrets in it are masked here.
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

  /// The path of the file that a place is in, like ``manifestPath``, secrets masked.
  func path(of span: SourceSpan) -> String {
    span.file == 0
      ? manifestPath
      : manifestPath.folderPrefix + manifest.secrets.mask(manifest.included[span.file - 1].path.text)
  }

  /// A target's name, secrets masked.
  func name(_ id: TargetID) -> String { manifest.secrets.mask(manifest[id].name.text) }
}
