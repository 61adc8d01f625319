import Planning
import SyncModel

extension Workspace {
  /// Notes what lists say now of what a lock has of them, and which entries the lock has not.
  mutating func compare(_ listed: ListedEntries, with locked: ListedEntries) {
    for place in manifest.templates.indices {
      let name = manifest.templates[place].list.template
      guard let old = locked.byTemplate[name], let all = listed.byTemplate[name] else { continue }
      manifest.templates[place].upstream = Dictionary(
        all.map { (ByteString($0.key), ListRevision($0)) }, uniquingKeysWith: { first, _ in first })
      let keys = Set(old.map { ByteString($0.key) })
      manifest.templates[place].unlocked = all.map(\.key).filter { !keys.contains(ByteString($0)) }
    }
  }

  /// Adds a target for each recorded entry that has left its list, and one that fails for each list that has lost too
  /// many to remove them.
  mutating func addGone(_ lists: ListReadings, _ order: ListOrder) {
    guard !lists.answers.isEmpty, let recorded = RecordedEntries(in: self) else { return }
    var taken = TakenPlaces(manifest)
    for template in manifest.templates {
      guard let answer = lists.answers[template.list.template], case .expanded = template.state else {
        continue
      }
      let gone = recorded.gone(
        from: template, answer, in: manifest, isWhole: order.mayRemove,
        allowsRemovals: order.allowsRemovals, &taken)
      manifest.targets += gone
      guard order.tellsFailures, let first = gone.first?.gone,
        case .suspect(let count, let recorded) = first.fate
      else { continue }
      _ = add(
        template.list.template, template.list.span,
        .listInvalid(source: first.list, .suspect(gone: count, recorded: recorded)), after: nil,
        template.settings)
    }
    graph = TargetGraph(manifest)
  }

  /// Adds a target that fails for each template without targets, and one for each target that waits for it.
  mutating func add(_ failures: [String: FailureCause]) {
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
