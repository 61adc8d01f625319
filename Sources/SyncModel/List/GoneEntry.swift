/// An entry that has left its list, and whose output is recorded (contract, section 11).
package struct GoneEntry: Sendable, Equatable {
  /// What becomes of the output.
  package enum Fate: Sendable, Equatable {
    /// It stays.
    case kept
    /// It stays, since syncmake has not written it.
    case found
    /// It is removed once everything else has succeeded.
    case removed
    /// It stays, since too many of `recorded` entries have left the list without a successor: `gone`.
    case suspect(gone: Int, recorded: Int)
  }

  /// The ``ListDeclaration/template`` that its target was made from.
  package var template: String
  /// Its identity.
  package var key: String
  /// The list's URL, secrets masked.
  package var list: String
  /// What becomes of its output.
  package var fate: Fate
  /// The name of the entry's own target, if this one is for another output that the entry has had.
  package var main: TargetName?

  /// Nothing is checked.
  package init(template: String, key: String, list: String, fate: Fate) {
    self.template = template
    self.key = key
    self.list = list
    self.fate = fate
  }
}

extension Manifest {
  /// The targets without those whose entries have left their lists.
  package var present: some Sequence<Target> { targets.lazy.filter { $0.gone == nil } }
}

extension Manifest {
  /// The URL, with secrets, of the list that names `target`, or no longer does, and the entry's key; `nil` for a target
  /// without `list`.
  package func listing(of target: Target) -> (url: String, key: String)? {
    if let gone = target.gone { return (gone.list, gone.key) }
    guard case .entry(let entry) = target.source else { return nil }
    let template = templates.first { $0.list.template.hasSameBytes(as: entry.template) }
    return template.map { ($0.list.url.shown, entry.key) }
  }
}

extension Target {
  /// What became of the entry that it was made from; `nil` if it did not leave its list.
  package var gone: GoneEntry? { if case .gone(let gone) = self.source { gone } else { nil } }

  /// Whether its entry has left a list that has lost too many.
  package var isSuspect: Bool { if case .suspect? = gone?.fate { true } else { false } }

  /// Whether it stands for a list that has lost too many entries. What such a list still has can be used.
  package var standsForSuspectList: Bool {
    if case .unlisted(let cause) = self.source { cause.code == .listSuspect } else { false }
  }

  /// Whether there is such a target only because of what the state has recorded, which is another one in each shard.
  package var isOfState: Bool { gone != nil || standsForSuspectList }

  /// Whether its failure affects only its dependents. An update changes nothing if a list is suspect, so that it need not go
  /// on.
  package func stopsNothing(inUpdate: Bool) -> Bool { self.isOptional || standsForSuspectList && !inUpdate }
}
