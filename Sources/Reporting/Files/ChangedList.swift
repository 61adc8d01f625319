package import SyncModel

/// The outputs whose content changed in a run, one per line, relative to the manifest's folder (`--changed`).
///
/// Empty if none changed. Names are shown as in messages, so that a control character in one cannot start a new
/// line.
package struct ChangedList: RunReport {
  private let secrets: SecretMask

  /// Needs only the secrets that must be masked.
  package init(_ header: RunHeader) { secrets = header.manifest.secrets }

  /// Writes nothing before the run has ended.
  package mutating func handle(_ event: RunEvent, at now: Duration) -> String { "" }

  /// The whole list, in manifest order.
  package mutating func finish(_ end: RunEnd, at now: Duration) -> String {
    end.results.filter(\.hasNewContent).sorted { $0.id < $1.id }.map { secrets.shown($0.output) + "\n" }
      .joined()
  }
}
