import Planning
package import SyncModel

/// Whose entries become targets, the lists' or the lock's.
package enum LockedLists: Sendable {
  /// Those that the lists have now: no lock is there.
  case asked
  /// Those of the lock; lists of which it has none are asked.
  case locked(LockFile)
  /// The same, and all lists are asked what has moved.
  case compared(LockFile)
  /// Those that the lists have now, instead of those of the lock.
  case renewed(LockFile)

  /// `nil` if there is none.
  fileprivate var lock: LockFile? {
    switch self {
    case .asked: nil
    case .locked(let lock), .compared(let lock), .renewed(let lock): lock
    }
  }
}

/// How the lists of a manifest are read.
package struct ListOrder {
  /// With ``RunSettings/isOffline`` the stored lists are used.
  package var settings: RunSettings
  /// Whether what was read is stored for the next run, as a run does it; a plan writes nothing.
  package var keeps: Bool
  /// What a lock has a say in.
  package var locked: LockedLists
  /// Whether a list that has lost many entries may remove their outputs (`--allow-removals`).
  package var allowsRemovals = false
  /// Whether a list that cannot be used becomes a target that fails.
  var tellsFailures = true
  /// With ``LockedLists/renewed(_:)``: chooses the targets that are renewed, of a manifest that has the entries of
  /// lists and lock; all others stay as locked. `nil` renews all.
  package var renewing: ((Manifest) throws -> Set<TargetID>)?

  /// `locked` is ``LockedLists/asked`` without a lock.
  package init(settings: RunSettings, keeps: Bool, locked: LockedLists) {
    self.settings = settings
    self.keeps = keeps
    self.locked = locked
  }
}

/// Makes targets of what lists name, before the graph is built; nothing is dynamic after it (contract, section 11).
package enum ManifestExpansion {
  /// The manifest with a target for each selected entry of its lists; itself if it has none.
  ///
  /// What becomes of a list that cannot be used is in the manifest too: a target with the template's name, which fails.
  /// Throws `RunFault.interrupted` after `stop`, and what ``ListOrder/renewing`` throws.
  package static func perform(
    on opened: OpenedManifest, _ order: ListOrder, stop: StopSignal
  ) throws -> OpenedManifest {
    guard let first = opened.workspace, !first.manifest.templates.isEmpty else { return opened }
    let locked = order.locked.lock?.listed ?? ListedEntries()
    let lists = try ListReadings(first, order, locked, stop)
    var known = lists.entries
    switch order.locked {
    case .asked: break
    case .locked, .compared: known.byTemplate.merge(locked.byTemplate) { _, locked in locked }
    case .renewed:
      guard let renewing = order.renewing else { break }
      known = try lists.renewed(opened, locked, renewing)
    }
    var expanded = opened.expanded(by: known)
    expanded.workspace?.addGone(lists, order)
    if order.tellsFailures {
      expanded.workspace?.add(lists.failures.filter { known.byTemplate[$0.key] == nil })
    }
    expanded.workspace?.upstream = lists.upstream(of: locked)
    if case .compared = order.locked { expanded.workspace?.noteUnlocked(lists.entries, locked) }
    return expanded
  }

  /// The same by the lock and the stored lists, for commands that ask nobody; a list that is not known has no targets.
  package static func performByStored(on opened: OpenedManifest, lock: LockFile?) throws -> OpenedManifest {
    var settings = RunSettings()
    settings.isOffline = true
    var order = ListOrder(settings: settings, keeps: false, locked: lock.map { .locked($0) } ?? .asked)
    order.tellsFailures = false
    return try perform(on: opened, order, stop: StopSignal())
  }
}

/// What one list said.
struct ListAnswer {
  /// All of it.
  var entries: [ListEntry]
  /// What the template's rules select.
  var outcome: ListSelection.Outcome
}

/// What the lists of a manifest said.
private struct ListReadings {
  /// The selected entries by template.
  private(set) var entries = ListedEntries()
  /// By template.
  private(set) var answers: [String: ListAnswer] = [:]
  /// By template.
  private(set) var failures: [String: FailureCause] = [:]

  init(
    _ workspace: Workspace, _ order: ListOrder, _ locked: ListedEntries, _ stop: StopSignal
  ) throws(RunFault) {
    var templates = workspace.manifest.templates
    if case .locked = order.locked { templates.removeAll { locked.byTemplate[$0.list.template] != nil } }
    guard !templates.isEmpty else { return }
    let answers = try ListAsking.ask(
      templates, in: workspace, settings: order.settings, keeps: order.keeps, stop: stop)
    for (template, answer) in zip(templates, answers) {
      let name = template.list.template
      switch answer {
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

  /// What the lists that were read say of the templates in `locked`.
  func upstream(of locked: ListedEntries) -> [String: [ByteString: ListRevision]] {
    var upstream: [String: [ByteString: ListRevision]] = [:]
    for name in locked.byTemplate.keys {
      guard let listed = entries.byTemplate[name] else { continue }
      upstream[name] = Dictionary(
        listed.map { (ByteString($0.key), ListRevision($0)) }, uniquingKeysWith: { first, _ in first })
    }
    return upstream
  }
}

extension Workspace {
  /// Notes which entries the lists have and the lock has not.
  fileprivate mutating func noteUnlocked(_ listed: ListedEntries, _ locked: ListedEntries) {
    for place in manifest.templates.indices {
      let name = manifest.templates[place].list.template
      guard let old = locked.byTemplate[name], let all = listed.byTemplate[name] else { continue }
      let keys = Set(old.map { ByteString($0.key) })
      manifest.templates[place].unlocked = all.map(\.key).filter { !keys.contains(ByteString($0)) }
    }
  }

  /// Adds a target for each recorded entry that has left its list, and one that fails for each list that has lost too
  /// many to remove them.
  fileprivate mutating func addGone(_ lists: ListReadings, _ order: ListOrder) {
    guard !lists.answers.isEmpty, let recorded = RecordedEntries(in: self) else { return }
    var taken = TakenPlaces(manifest)
    for template in manifest.templates {
      guard let answer = lists.answers[template.list.template], case .expanded = template.state else {
        continue
      }
      let gone = recorded.gone(
        from: template, answer, in: manifest, isWhole: !order.settings.isOffline,
        allowsRemovals: order.allowsRemovals, &taken)
      manifest.targets += gone
      guard order.tellsFailures, let first = gone.first?.gone,
        case .suspect(let count, let recorded) = first.fate
      else { continue }
      _ = add(
        template.list.template, template.list.span,
        .listInvalid(source: first.list, .suspect(gone: count, recorded: recorded)), after: nil)
    }
    graph = TargetGraph(manifest)
  }

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
    manifest.targets.append(
      Target(
        id: id, name: TargetName(name), span: span, source: .unlisted(cause), output: output,
        needs: other.map { [$0] } ?? [], settings: Shared(own)))
    return id
  }
}
