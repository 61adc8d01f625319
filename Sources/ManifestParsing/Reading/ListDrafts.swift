import SyncModel

/// What an earlier reading of the same manifest found out about its lists.
struct ListExclusions {
  /// By name, the templates that make no targets.
  var templates: [String: ListTemplate.State] = [:]
  /// By name, the targets that wait for such a template, and which one that is.
  var targets: [String: String] = [:]
  /// The settings of ``targets``.
  var settings: [String: Shared<TargetSettings>] = [:]
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
  /// The template that the target that is read waits for.
  var awaited: String?
  /// The targets of this reading that wait for a template.
  var waiting: [(target: Int, template: String)] = []
  /// The numbers of the groups that are published together and have a missing member, with the template of that.
  var waitingUnits: [(group: Int, template: String)] = []
  /// The targets that were left out.
  var omitted: [WaitingTarget] = []
  /// The names of templates, or the beginnings of the names that they make.
  var names: [(name: String, isWhole: Bool, template: String)] = []

  /// Whether the manifest must be read again, without what was found.
  var mustRepeat: Bool { !found.templates.isEmpty || !found.targets.isEmpty }

  /// The template that `name` is waited for; `nil` if it cannot be the name of a target that is missing.
  func template(awaitedAs name: String) -> String? {
    if let template = excluded.targets[name] { return template }
    return names.first { $0.isWhole ? $0.name == name : name.hasPrefix($0.name) }?.template
  }
}
