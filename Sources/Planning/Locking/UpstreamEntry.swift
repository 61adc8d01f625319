package import SyncModel

/// What its list says now of an entry that the lock has.
package enum UpstreamEntry: Sendable, Equatable {
  /// The list was not read, or could not be.
  case unknown
  /// The list no longer has it.
  case gone
  /// The list has it in this version, at these URLs, in the lock's notation.
  case listed(ListRevision, urls: [ByteString])

  /// How the list differs from the lock; `nil` if it does not, or if only the entry's server can tell.
  func change(from pin: Pin) -> StaleReason? {
    switch (self, pin.entry.map { ListRevision($0.entry) }) {
    case (.gone, _?): .listGone
    case (.listed(let now, _), let locked?):
      if case .changed(let evidence) = verdict(now, locked, pin) {
        .listChanged(evidence, was: locked.text(of: evidence), now: now.text(of: evidence))
      } else {
        nil
      }
    default: nil
    }
  }

  /// How its URLs differ from the lock's; `nil` if the list still has one of those.
  func otherURL(than pin: Pin) -> StaleReason? {
    guard case .listed(_, let now) = self, case .urls(let locked) = pin.source,
      !now.contains(where: { locked.contains($0) })
    else { return nil }
    func text(_ urls: [ByteString]) -> String { urls.map(\.text).joined(separator: "\n") }
    return .definitionChanged([FieldChange(field: "url", was: text(locked), now: text(now))])
  }

  /// Whether the list proves that it has the locked bytes, or that it does not.
  func isDecided(for pin: Pin) -> Bool {
    switch (self, pin.entry.map { ListRevision($0.entry) }) {
    case (.gone, _?): true
    case (.listed(let now, _), let locked?): verdict(now, locked, pin) != .unknown
    default: false
    }
  }

  private func verdict(_ now: ListRevision, _ locked: ListRevision, _ pin: Pin) -> RevisionVerdict {
    RevisionRule.verdict(
      now, recorded: locked, download: pin.download.map { [ListedDigest(.sha256, $0.sha256)] } ?? [])
  }
}
