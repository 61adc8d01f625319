package import SyncModel

/// What happened before the targets of a manifest were known: while targets whose outputs have values were brought up to
/// date, and while lists were asked.
///
/// Only the deciding thread uses it.
package final class EarlyTale {
  /// The time of day when it began.
  package let time: Timestamp
  /// The same moment by the monotonic clock.
  package let began: Duration
  /// Has a target for each list, under the template's name; ``ofLists`` are about these.
  private(set) var askers: Manifest?
  private(set) var ofLists: [Happening] = []
  /// About targets by their names, since these have other ids once all targets are known; without a name about the run.
  private var ofTargets: [(name: TargetName?, Happening)] = []
  /// How many connections were made, as far as their numbers were told.
  package private(set) var connections = 0

  /// An event, and when it happened.
  typealias Happening = (event: RunEvent, at: Duration)

  /// Nothing has happened yet.
  package init(time: Timestamp, began: Duration) {
    self.time = time
    self.began = began
  }

  /// Takes what happened at `now` to one of the `askers` of lists.
  package func add(_ event: RunEvent, ofListIn askers: Manifest, at now: Duration) {
    // Only a display needs it.
    if case .tick = event { return }
    self.askers = askers
    ofLists.append((event, now))
    note(event)
  }

  /// Takes what happened at `now` to a target of `part`, some of the manifest's targets; its result and its progress
  /// are left out, as the run tells of the one, and only a display needs the other.
  package func add(_ event: RunEvent, ofTargetIn part: Manifest, at now: Duration) {
    switch event {
    case .finished, .received: return
    default: break
    }
    switch event {
    case .warning, .waitingForLock: break
    // The rest of what is about no target comes again with the run.
    default: if event.target == nil { return }
    }
    ofTargets.append((event.target.map { part[$0].name }, (event, now)))
    note(event)
  }

  /// Takes that the command waited for another run from `now` on.
  package func add(wait: RunEvent, at now: Duration) { ofTargets.append((nil, (wait, now))) }

  /// The lists are asked again.
  package func forgetLists() { (askers, ofLists) = (nil, []) }

  private func note(_ event: RunEvent) {
    if case .requested(_, let trace) = event { connections = max(connections, trace.connection ?? 0) }
  }

  /// What happened to targets of `manifest`, in order.
  package func happenings(in manifest: Manifest) -> [(event: RunEvent, at: Duration)] {
    guard !ofTargets.isEmpty else { return [] }
    let names = Set(ofTargets.compactMap(\.name))
    var ids: [TargetName: TargetID] = [:]
    for target in manifest.targets where names.contains(target.name) { ids[target.name] = target.id }
    return ofTargets.compactMap { name, happening in
      guard let name else { return happening }
      return ids[name].map { (happening.event.about($0), happening.at) }
    }
  }
}
