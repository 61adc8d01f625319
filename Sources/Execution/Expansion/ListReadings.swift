import Planning
import SyncModel

/// What one list said.
struct ListAnswer {
  /// All of it.
  var entries: [ListEntry]
  /// What the template's rules select.
  var outcome: ListSelection.Outcome
}

/// What the lists of a manifest said.
struct ListReadings {
  /// The selected entries by template.
  private(set) var entries = ListedEntries()
  /// By template.
  private(set) var answers: [String: ListAnswer] = [:]
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
        let outcome = ListSelection(template.list.rules).outcome(all)
        entries.byTemplate[name] = outcome.selected
        self.answers[name] = ListAnswer(entries: all, outcome: outcome)
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
      let listed = Set(both.byTemplate[name, default: []].map { ByteString($0.key) })
      both.byTemplate[name, default: []] += old.filter { !listed.contains(ByteString($0.key)) }
    }
    guard let manifest = opened.expanded(by: both).workspace?.manifest else { return both }
    let chosen = try choose(manifest)
    for template in manifest.templates {
      guard case .expanded(let first, let all) = template.state else { continue }
      let name = template.list.template
      let old = Dictionary(
        locked.byTemplate[name, default: []].map { (ByteString($0.key), $0) }, uniquingKeysWith: { $1 })
      both.byTemplate[name] = all.enumerated().compactMap { place, entry in
        chosen.contains(TargetID(first.index + place)) ? entry : old[ByteString(entry.key)]
      }
    }
    return both
  }
}
