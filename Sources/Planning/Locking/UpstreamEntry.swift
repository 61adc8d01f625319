package import SyncModel

/// What its list says now of an entry that the lock has.
package enum UpstreamEntry: Sendable, Equatable {
  /// The list was not read, or could not be.
  case unknown
  /// The list no longer has it.
  case gone
  /// The list has it in this version.
  case listed(ListRevision)

  /// How the list differs from the lock; `nil` if it does not, or if only the entry's server can tell.
  func change(from pin: Pin) -> StaleReason? {
    switch (self, pin.entry.map { ListRevision($0.entry) }) {
    case (.gone, _?): .listGone
    case (.listed(let now), let locked?):
      if case .changed(let evidence) = verdict(now, locked, pin) {
        .listChanged(evidence, was: locked.text(of: evidence), now: now.text(of: evidence))
      } else {
        nil
      }
    default: nil
    }
  }

  /// Whether the list proves that it has the locked bytes, or that it does not.
  func isDecided(for pin: Pin) -> Bool {
    switch (self, pin.entry.map { ListRevision($0.entry) }) {
    case (.gone, _?): true
    case (.listed(let now), let locked?): verdict(now, locked, pin) != .unknown
    default: false
    }
  }

  private func verdict(_ now: ListRevision, _ locked: ListRevision, _ pin: Pin) -> RevisionVerdict {
    RevisionRule.verdict(
      now, recorded: locked, download: pin.download.map { [ListedDigest(.sha256, $0.sha256)] } ?? [])
  }
}
