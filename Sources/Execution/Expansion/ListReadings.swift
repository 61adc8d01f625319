import Planning
import SyncModel

/// What the lists of a manifest said.
struct ListReadings {
  /// The selected entries by template.
  private(set) var entries = ListedEntries()
  /// All entries by template.
  private(set) var answers: [String: [ListEntry]] = [:]
  /// By template.
  private(set) var failures: [String: FailureCause] = [:]
  /// What it took to ask, by template.
  private(set) var works: [String: ListWork] = [:]
  /// All that was asked; `nil` if nothing was.
  private(set) var asked: AskedLists?

  init(
    _ workspace: Workspace, _ order: ListOrder, _ locked: ListedEntries, _ stop: StopSignal
  ) throws(RunFault) {
    var templates = workspace.manifest.templates
    if case .locked = order.locked { templates.removeAll { locked.byTemplate[$0.list.template] != nil } }
    guard !templates.isEmpty else { return }
    let asked = try ListAsking.ask(templates, in: workspace, order.asking, stop: stop)
    self.asked = asked
    var counted: Set<AskedLists.Key> = []
    for template in templates {
      let (name, key) = (template.list.template, AskedLists.Key(template))
      works[name] = asked.works[key]
      // Requests that templates share are those of the first, as in the events.
      if !counted.insert(key).inserted { works[name]?.totals = ExchangeTotals() }
      switch asked.entries(of: template) {
      case .success(let all):
        let selected = ListSelection(template.list.rules).outcome(all).selected
        // Nothing of such a file would be compared, and nobody would know.
        if template.list.format == .checksums, let file = selected.first(where: \.digests.isEmpty) {
          failures[name] = ListPages(template.list, workspace.manifest.secrets)
            .cause(ListFault(.notCompared("another algorithm", of: file.key)))
          continue
        }
        entries.byTemplate[name] = selected
        answers[name] = all
      case .failure(let cause): failures[name] = cause
      }
    }
  }

  /// The locked entries, of which those of the chosen targets are as the lists have them now.
  ///
  /// Who is published together with a chosen target is chosen, too.
  func renewed(
    _ opened: OpenedManifest, _ locked: ListedEntries, _ choose: (Manifest) throws -> Set<TargetID>
  ) throws -> ListedEntries {
    var both = entries
    for (name, old) in locked.byTemplate {
      let pairing = EntryPairing(locked: old, listed: both.byTemplate[name, default: []])
      both.byTemplate[name, default: []] += old.filter { pairing.listed[$0.identity] == nil }
    }
    guard let workspace = opened.expanded(by: both).workspace else { return both }
    let clashing = Set(
      workspace.manifest.templates.filter(\.isInvalid).map(\.list.template).filter {
        locked.byTemplate[$0] != nil && entries.byTemplate[$0] != nil
      })
    guard clashing.isEmpty else { return try renewed(opened, both, locked, clashing, choose) }
    let chosen = try Self.names(of: workspace, choose)
    for template in workspace.manifest.templates {
      guard case .expanded(let first, let all) = template.state else { continue }
      let old = locked.byTemplate[template.list.template, default: []]
      let pairing = EntryPairing(locked: old, listed: all)
      both.byTemplate[template.list.template] = all.enumerated().compactMap { place, entry in
        let name = workspace.manifest[TargetID(first.index + place)].name
        return chosen.contains(name) ? entry : pairing.locked[place].map { old[$0] }
      }
    }
    return both
  }

  /// The same if the old and the new entries of the `clashing` templates make equal names or outputs, so that their targets
  /// are known of each side alone.
  private func renewed(
    _ opened: OpenedManifest, _ both: ListedEntries, _ locked: ListedEntries, _ clashing: Set<String>,
    _ choose: (Manifest) throws -> Set<TargetID>
  ) throws -> ListedEntries {
    func side(_ own: ListedEntries) -> Workspace? {
      var known = both
      for name in clashing { known.byTemplate[name] = own.byTemplate[name] }
      return opened.expanded(by: known).workspace
    }
    guard let new = side(entries), let old = side(locked) else { return both }
    let chosen: Set<TargetName>
    do {
      // A name that has left the list is known to the lock only.
      chosen = try Self.names(of: new, choose).union((try? Self.names(of: old, choose)) ?? [])
    } catch {
      guard let names = try? Self.names(of: old, choose) else { throw error }
      chosen = names
    }
    var result = both
    for (place, template) in new.manifest.templates.enumerated() {
      let name = template.list.template
      guard let listed = new.entries(of: place), let kept = old.entries(of: place) else {
        if clashing.contains(name) { result.byTemplate[name] = entries.byTemplate[name] }
        continue
      }
      let taken = listed.filter { chosen.contains($0.target.name) }
      // A chosen entry that has left its list stays as locked.
      let (names, outputs) = (Set(taken.map(\.target.name)), Set(taken.map(\.target.path)))
      let left = kept.filter { !names.contains($0.target.name) && !outputs.contains($0.target.path) }
      if clashing.contains(name) {
        result.byTemplate[name] = (taken + left).map(\.entry)
      } else {
        let old = locked.byTemplate[name, default: []]
        let pairing = EntryPairing(locked: old, listed: listed.map(\.entry))
        result.byTemplate[name] = listed.enumerated().compactMap { place, item in
          chosen.contains(item.target.name) ? item.entry : pairing.locked[place].map { old[$0] }
        }
      }
    }
    return result
  }

  /// The names of the chosen targets, and of those that are published together with one.
  private static func names(
    of workspace: Workspace, _ choose: (Manifest) throws -> Set<TargetID>
  ) throws -> Set<TargetName> {
    Set(workspace.graph.units.withFellows(try choose(workspace.manifest)).map { workspace.manifest[$0].name })
  }
}

extension Workspace {
  /// The entries of a template with their targets; `nil` if it has none.
  fileprivate func entries(of template: Int) -> [(entry: ListEntry, target: Target)]? {
    guard case .expanded(let first, let all) = manifest.templates[template].state else { return nil }
    return all.enumerated().map { ($1, manifest[TargetID(first.index + $0)]) }
  }
}

extension ListTemplate {
  fileprivate var isInvalid: Bool { if case .invalid = state { true } else { false } }
}
