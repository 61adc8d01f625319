import SyncModel

/// What an earlier reading of the same manifest found out about its lists.
struct ListExclusions {
  /// By name, the templates that make no targets.
  var templates: [String: ListTemplate.State] = [:]
  /// By name, the targets that wait for such a template, and which one that is.
  var targets: [String: String] = [:]
  /// The settings of ``targets``.
  var settings: [String: Shared<TargetSettings>] = [:]
  /// What else is known of ``targets``.
  var known: [String: KnownParts] = [:]
  /// What else ``targets`` cannot be without, and what they come after.
  var neighbours: [String: (needs: [TargetName], after: [TargetName])] = [:]
  /// By the name of a target of ``targets``, why a value makes it impossible.
  var faults: [String: ValueProblem] = [:]
  /// By the template, the names that a target or a group needs of it and that its list does not make.
  var absent: [String: Set<String>] = [:]
}

/// What is known of the lists of a manifest while it is read.
struct ListDrafts {
  /// Whether any target has `list`. Without one, nothing else here is used.
  var isUsed = false
  var templates: [ListTemplate] = []
  /// What an earlier reading found out.
  var excluded = ListExclusions()
  /// What this reading has found out, too.
  var found = ListExclusions()
  /// Why the target that is read is impossible.
  var fault: ListExpansionFault?
  /// Why a value makes the target that is read impossible.
  var valueFault: (value: Int, fault: ValueFault)?
  /// By the number of a target, the values of outputs that it uses.
  var users: [Int: [Int]] = [:]
  /// By the name of a template, the values that its list uses.
  var valuesOfLists: [String: [Int]] = [:]
  /// The template that the target that is read waits for.
  var awaited: String?
  /// The targets of this reading that wait for a template.
  var waiting: [(target: Int, template: String)] = []
  /// The numbers of the groups that are published together and have a missing member, with the template of that.
  var waitingUnits: [(group: Int, template: String)] = []
  /// The names of missing targets that the target that is read has mentioned.
  var mentioned: [String] = []
  /// The targets that were left out.
  var omitted: [WaitingTarget] = []
  /// The names of entries that their lists do not have, where nothing fails for that.
  var absences = DiagnosticLog()
  /// The names of templates, or the beginnings of the names that they make.
  var names: [(name: String, isWhole: Bool, template: String)] = []

  /// Whether the manifest must be read again, without what was found.
  var mustRepeat: Bool { !found.templates.isEmpty || !found.targets.isEmpty }

  /// Notes that the entry called `name` is not there, if the list of `template` is known and does not have it.
  ///
  /// What depends on an entry fails then; a group, and what only has to come after it, do without.
  mutating func notesAbsence(_ name: String, of template: String, at span: SourceSpan) -> Bool {
    guard excluded.targets[name] == nil, isExpanded(template) else { return false }
    absences.error(
      "the list of \(Quoting.quoted(template)) gives no target \(Quoting.quoted(name))", at: span,
      hint: "remove the name, or have the list select its entry")
    return true
  }

  /// Notes that something cannot do without `name`, if the list of `template` is known and does not have it.
  mutating func notesNeed(_ name: String, of template: String) {
    guard isExpanded(template) else { return }
    found.absent[template, default: []].insert(name)
  }

  private func isExpanded(_ template: String) -> Bool {
    templates.contains { if case .expanded = $0.state { $0.list.template == template } else { false } }
  }

  /// The template that `name` is waited for; `nil` if it cannot be the name of a target that is missing.
  func template(awaitedAs name: String) -> String? {
    if let template = excluded.targets[name] { return template.hasPrefix("${") ? name : template }
    let possible = names.filter { $0.isWhole ? $0.name == name : name.hasPrefix($0.name) }.map(\.template)
    return possible.first { !isExpanded($0) } ?? possible.first
  }
}
