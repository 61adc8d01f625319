import Planning
package import SyncModel

/// Makes targets of what lists name, before the graph is built; nothing is dynamic after it (contract, section 11).
package enum ManifestExpansion {
  /// The manifest with a target for each selected entry of its lists; itself if it has none.
  ///
  /// What becomes of a list that cannot be used is in the manifest too: a target with the template's name, which fails.
  /// `keeps`: what was read is stored for the next run, as a run does it; a plan writes nothing. With
  /// ``RunSettings/isOffline`` the stored lists are used. Throws `RunFault.interrupted` after `stop`. `report` hears of
  /// the requests; see ``ListAsking``.
  package static func perform(
    on opened: OpenedManifest, settings: RunSettings, keeps: Bool, stop: StopSignal,
    report: @escaping (RunEvent) -> Void = { _ in }
  ) throws(RunFault) -> OpenedManifest {
    let (expanded, failures) = try expand(
      opened, settings: settings, keeps: keeps, stop: stop, report: report)
    var opened = expanded
    opened.workspace?.add(failures)
    return opened
  }

  /// The same by the stored lists, for commands that ask nobody; a list that is not stored has no targets.
  package static func performByStored(on opened: OpenedManifest) throws(RunFault) -> OpenedManifest {
    var settings = RunSettings()
    settings.isOffline = true
    return try expand(opened, settings: settings, keeps: false, stop: StopSignal(), report: { _ in }).expanded
  }

  private static func expand(
    _ opened: OpenedManifest, settings: RunSettings, keeps: Bool, stop: StopSignal,
    report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> (expanded: OpenedManifest, failures: [String: FailureCause]) {
    guard let first = opened.workspace, !first.manifest.templates.isEmpty else { return (opened, [:]) }
    let templates = first.manifest.templates
    let answers = try ListAsking.ask(
      templates, in: first, settings: settings, keeps: keeps, stop: stop, report: report)
    var known = ListedEntries()
    var failures: [String: FailureCause] = [:]
    for (template, answer) in zip(templates, answers) {
      let name = template.list.template
      switch answer {
      case .success(let entries):
        known.byTemplate[name] = ListSelection(template.list.rules).outcome(entries).selected
      case .failure(let cause): failures[name] = cause
      }
    }
    return (opened.expanded(by: known), failures)
  }
}

extension Workspace {
  /// Adds a target that fails for each template without targets, and one for each target that waits for it.
  fileprivate mutating func add(_ failures: [String: FailureCause]) {
    var ids: [String: TargetID] = [:]
    func cause(_ template: ListTemplate) -> FailureCause? {
      switch template.state {
      case .invalid(let fault):
        return .listInvalid(source: manifest.secrets.mask(template.list.url.shown), .expansion(fault))
      case .unread: return failures[template.list.template] ?? .internalError("a list was not read")
      case .expanded, .waiting: return nil
      }
    }
    for template in manifest.templates {
      guard let cause = cause(template) else { continue }
      ids[template.list.template] = add(
        template.list.template, template.list.span, cause, after: nil, template.settings)
    }
    let waiting = manifest.templates.compactMap { template -> WaitingTarget? in
      guard case .waiting(let other) = template.state else { return nil }
      return WaitingTarget(
        name: TargetName(template.list.template), span: template.list.span, template: other,
        settings: template.settings)
    }
    // A plan looks at them, too; then they show why there is nothing to wait for.
    func awaitedCause(_ template: String) -> FailureCause {
      if let id = ids[template], case .unlisted(let cause) = manifest[id].source { return cause }
      guard let list = manifest.templates.first(where: { $0.list.template == template })?.list else {
        return .internalError("the list of \(template) was not read")
      }
      return .listInvalid(source: manifest.secrets.mask(list.url.shown), .expansion(.noSuchEntry))
    }
    for target in waiting + manifest.waiting {
      ids[target.name.text] = add(
        target.name.text, target.span, awaitedCause(target.template), after: ids[target.template],
        target.settings)
    }
    for index in manifest.groups.indices {
      for id in manifest.groups[index].awaited.compactMap({ ids[$0] })
      where !manifest.groups[index].members.contains(id) {
        manifest.groups[index].members.append(id)
      }
    }
    graph = TargetGraph(manifest)
  }

  /// A target without bytes, and its id; `nil` if its name cannot be a path.
  ///
  /// Of `settings` it has what people select it by and judge it with.
  private mutating func add(
    _ name: String, _ span: SourceSpan, _ cause: FailureCause, after other: TargetID?,
    _ settings: Shared<TargetSettings>
  ) -> TargetID? {
    guard let output = try? RelativePath(name) else { return nil }
    let id = TargetID(manifest.targets.count)
    var own = TargetSettings()
    (own.isOptional, own.tags, own.summary) = (settings.isOptional, settings.tags, settings.summary)
    own.authentication = settings.authentication
    manifest.targets.append(
      Target(
        id: id, name: TargetName(name), span: span, source: .unlisted(cause), output: output,
        needs: other.map { [$0] } ?? [], settings: Shared(own)))
    return id
  }
}
