package import SyncModel

/// What happened while the lists of a manifest were asked, before its targets were known.
package struct ListTale: Sendable {
  /// Has a target for each list, under the template's name; the events are about these.
  package let askers: Manifest
  /// The time of day when it began.
  package let time: Timestamp
  /// The same moment by the monotonic clock.
  package let began: Duration
  private(set) var events: [(event: RunEvent, at: Duration)] = []
  /// How many connections were made, as far as their numbers were told.
  package private(set) var connections = 0

  /// Nothing has happened yet.
  package init(askers: Manifest, time: Timestamp, began: Duration) {
    self.askers = askers
    self.time = time
    self.began = began
  }

  /// Takes what happened at `now`.
  package mutating func add(_ event: RunEvent, at now: Duration) {
    // Only a display needs it.
    if case .tick = event { return }
    events.append((event, now))
    if case .requested(_, let trace) = event { connections = max(connections, trace.connection ?? 0) }
  }
}
