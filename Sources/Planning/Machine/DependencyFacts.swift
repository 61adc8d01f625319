package import SyncModel

/// A run's facts about one dependency of a target when the target's turn comes.
package struct DependencyFacts: Sendable, Equatable {
  /// The dependency's index.
  package var id: TargetID
  /// In what way the target depends on it.
  package var kind: DependencyKind
  /// The dependency's name.
  package var name: TargetName
  /// The line's name for ``DependencyKind/verify``.
  package var entry: String?
  /// The sha256 of its output; `nil` if unknown.
  package var content: HexDigest?
  /// Whether its output was edited and is kept.
  package var isKeptEdit: Bool
  /// The digest of its output in the present or the next lock; for ``DependencyKind/verify`` that of the line.
  ///
  /// `nil` if unknown; known only if a lock is made.
  package var locked: HexDigest?

  /// `entry` is set exactly for ``DependencyKind/verify``.
  package init(
    id: TargetID, kind: DependencyKind, name: TargetName, entry: String? = nil, content: HexDigest? = nil,
    isKeptEdit: Bool = false, locked: HexDigest? = nil
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.entry = entry
    self.content = content
    self.isKeptEdit = isKeptEdit
    self.locked = locked
  }

  /// Whether `input` was recorded of this dependency.
  func isSame(as input: InputRecord) -> Bool {
    input.kind == kind && input.name == name && input.entry.hasSameBytes(as: entry)
  }

  /// The fact that a later run would compare; `nil` for a dependency that only orders.
  var state: DependencyState? {
    guard kind != .after else { return nil }
    let digest = kind == .verify ? locked : content
    // A list that cannot be read states nothing that could be trusted.
    let unknown: DependencyState.Content = kind == .verify ? .takenAsChanged : .takenAsUnchanged
    return DependencyState(
      kind: kind, name: name, entry: entry, content: digest.map { .settled($0) } ?? unknown)
  }
}
