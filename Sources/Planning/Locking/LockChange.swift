package import SyncModel

/// How one lock differs from another (`update --json`).
package struct PinChange: Sendable, Equatable {
  /// The change of a target's pin.
  package enum Kind: String, Sendable, CaseIterable {
    /// The lock had no such target.
    case added
    /// The bytes of download or output are others.
    case moved
    /// The same bytes under another URL or other validators.
    case renewed
    /// The manifest no longer has such a target.
    case removed
  }

  /// The target whose pin changed.
  package var name: TargetName
  /// In what way it changed; it agrees with ``was`` and ``now``.
  package var kind: Kind
  /// `nil` exactly for ``Kind/added``.
  package var was: Pin?
  /// `nil` for ``Kind/removed``, and in a forecast (``UpdateForecast``).
  package var now: Pin?

  /// `was` must be `nil` exactly for ``Kind/added``; see ``now`` for the other.
  package init(name: TargetName, kind: Kind, was: Pin?, now: Pin?) {
    self.name = name
    self.kind = kind
    self.was = was
    self.now = now
  }
}

/// How the locked value of a variable differs from another (contract, section 8).
package struct ValueChange: Sendable, Equatable {
  /// The variable's name.
  package var name: String
  /// The value in the lock.
  package var was: String
  /// The new one; `nil` if only an update can tell.
  package var now: String?

  /// Nothing is checked.
  package init(name: String, was: String, now: String?) {
    self.name = name
    self.was = was
    self.now = now
  }

  /// What an update would change, by a plan: the values that `manifest` has instead of those of `lock`.
  package static func forecast(_ plan: Plan, _ lock: LockFile?, in manifest: Manifest) -> [ValueChange] {
    let moved = plan.moved(in: manifest)
    return manifest.values.compactMap { value in
      // Another line, or that of another target, is another value, too.
      guard let was = lock?.value(named: value.name)?.text else { return nil }
      if let now = value.upstream ?? value.text, now != was {
        return ValueChange(name: value.name, was: was, now: now)
      }
      guard moved.contains(value.target), value.isUnread else { return nil }
      return ValueChange(name: value.name, was: was, now: nil)
    }
  }
}
