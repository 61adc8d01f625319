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
    for template in templates {
      let name = template.list.template
      switch asked.entries(of: template) {
      case .success(let all):
        entries.byTemplate[name] = ListSelection(template.list.rules).outcome(all).selected
        answers[name] = all
      case .failure(let cause): failures[name] = cause
      }
    }
  }

  /// The locked entries, of which those of the chosen targets are as the lists have them now.
  func renewed(
    _ opened: OpenedManifest, _ locked: ListedEntries, _ choose: (Manifest) throws -> Set<TargetID>
  ) throws -> ListedEntries {
    var both = entries
    for (name, old) in locked.byTemplate {
      let pairing = EntryPairing(locked: old, listed: both.byTemplate[name, default: []])
      both.byTemplate[name, default: []] += old.filter { pairing.listed[$0.identity] == nil }
    }
    guard let manifest = opened.expanded(by: both).workspace?.manifest else { return both }
    let chosen = try choose(manifest)
    for template in manifest.templates {
      guard case .expanded(let first, let all) = template.state else { continue }
      let old = locked.byTemplate[template.list.template, default: []]
      let pairing = EntryPairing(locked: old, listed: all)
      both.byTemplate[template.list.template] = all.enumerated().compactMap { place, entry in
        chosen.contains(TargetID(first.index + place)) ? entry : pairing.locked[place].map { old[$0] }
      }
    }
    return both
  }
}
