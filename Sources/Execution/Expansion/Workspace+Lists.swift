import Planning
import SyncModel

extension Workspace {
  /// Notes what lists say now of what a lock has of them, and which entries the lock has not.
  mutating func compare(_ listed: ListedEntries, with locked: ListedEntries) {
    for place in manifest.templates.indices {
      let name = manifest.templates[place].list.template
      guard let old = locked.byTemplate[name], let all = listed.byTemplate[name] else { continue }
      let pairing = EntryPairing(locked: old, listed: all)
      manifest.templates[place].upstream = pairing.listed.mapValues {
        (revision: ListRevision(all[$0]), urls: [all[$0].url] + all[$0].mirrors)
      }
      manifest.templates[place].unlocked = pairing.unlocked
    }
  }

  /// Notes what it took to ask for the lists, by template.
  mutating func note(_ works: [String: ListWork]) {
    for place in manifest.templates.indices {
      manifest.templates[place].work = works[manifest.templates[place].list.template]
    }
  }

  /// Stores the texts of lists that are new, of which this is what became; one whose entries cannot be targets leaves
  /// that of an earlier run as it is.
  func keep(_ asked: AskedLists) {
    func isRefused(_ template: ListTemplate) -> Bool {
      switch template.state {
      case .invalid(.value): false
      case .invalid: true
      // A group needs an entry that the list no longer has, and none of the list's targets is known without it.
      case .waiting(let other): other == template.list.template
      case .expanded, .unread: false
      }
    }
    // Others may make targets of the same list.
    let good = Set(manifest.templates.filter { !isRefused($0) }.map(AskedLists.Key.init))
    let refused = Set(manifest.templates.filter(isRefused).map(AskedLists.Key.init)).subtracting(good)
    asked.store(.text, unless: refused.contains)
  }

  /// Adds a target for each recorded entry that has left its list, and one that fails for each list that has lost too
  /// many to remove them.
  mutating func addGone(_ lists: ListReadings, _ order: ListOrder) {
    guard !lists.answers.isEmpty, let recorded = RecordedEntries(in: self) else { return }
    var taken = TakenPlaces(manifest)
    for template in manifest.templates {
      guard let entries = lists.answers[template.list.template], case .expanded = template.state else {
        continue
      }
      let gone = recorded.gone(
        from: template, entries, selected: lists.entries.byTemplate[template.list.template] ?? [],
        in: manifest, isWhole: order.mayRemove, isAsked: order.tellsFailures,
        allowsRemovals: order.allowsRemovals,
        within: order.settings.policy?.places, &taken)
      manifest.targets += gone
      if order.tellsFailures { refuseSuspect(gone, of: template) }
    }
    graph = TargetGraph(manifest)
  }

  /// Adds a target that fails if a list has lost too many entries; whoever asks for one of these by name hears of it.
  private mutating func refuseSuspect(_ gone: [Target], of template: ListTemplate) {
    let suspect = gone.filter(\.isSuspect)
    guard let first = suspect.first?.gone, case .suspect(let count, let recorded) = first.fate,
      let id = add(
        template.list.template, template.list.span,
        .listInvalid(source: first.list, .suspect(gone: count, recorded: recorded)), after: [],
        template.settings)
    else { return }
    for target in suspect { manifest.targets[target.id.index].needs = [id] }
  }

  /// Adds a target that fails for each template without targets, and one for each target that waits for it or for the
  /// value of an output; `locked` are the entries that are the lock's.
  mutating func add(_ failures: [String: FailureCause], locked: ListedEntries) {
    var ids: [String: TargetID] = [:]
    func cause(_ template: ListTemplate) -> FailureCause? {
      switch template.state {
      case .invalid(.value(let problem)): return .valueInvalid(problem)
      case .invalid(let fault):
        let isLocked = locked.byTemplate[template.list.template] != nil
        let source = isLocked ? LockFile.fileName : manifest.secrets.mask(template.list.url.shown)
        return .listInvalid(source: source, .expansion(fault))
      case .unread: return failures[template.list.template] ?? .internalError("a list was not read")
      case .expanded, .waiting: return nil
      }
    }
    for template in manifest.templates {
      guard let cause = cause(template) else { continue }
      let values = manifest.values.filter { template.values.contains($0.name) }
      let targets = manifest.targets.filter { target in values.contains { $0.target == target.name } }
      ids[template.list.template] = add(
        template.list.template, template.list.span, cause, after: targets.map(\.id), template.settings)
    }
    let waiting = manifest.templates.compactMap { template -> WaitingTarget? in
      guard case .waiting(let other) = template.state else { return nil }
      return WaitingTarget(
        name: TargetName(template.list.template), span: template.list.span, template: other,
        settings: template.settings)
    }
    addWaiting(waiting + manifest.waiting, &ids)
  }

  /// The same for those only that wait for the value of an output.
  mutating func addWaitingForValues() {
    guard !manifest.values.isEmpty else { return }
    let keys = Set(manifest.values.map(\.key))
    let names = Set(manifest.waiting.filter { keys.contains($0.template) }.map(\.name.text))
    var ids: [String: TargetID] = [:]
    addWaiting(manifest.waiting.filter { keys.contains($0.template) || names.contains($0.template) }, &ids)
  }

  /// Adds one for each of these; `ids` are those of what stands for templates and targets by name.
  private mutating func addWaiting(_ waiting: [WaitingTarget], _ ids: inout [String: TargetID]) {
    var left = waiting
    let values = ValueIndex(left.isEmpty ? nil : manifest)
    var unknown: [WaitingTarget] = []
    // One that waits for another comes after it.
    while !left.isEmpty {
      let names = Set(left.map(\.name.text))
      var later: [WaitingTarget] = []
      for target in left {
        guard let (cause, needs) = standing(target, ids, values, isLater: names.contains) else {
          later.append(target)
          continue
        }
        ids[target.name.text] = add(target.name.text, target.span, cause, after: needs, target.settings)
        if case .valueInvalid(let problem) = cause, problem.fault == .unknown { unknown.append(target) }
      }
      if later.count == left.count, let one = circle(in: later) {
        // Entries that need each other, and of which at least this one is missing: the others come after it.
        let target = later.remove(at: one)
        ids[target.name.text] = add(
          target.name.text, target.span, lack(of: target.template), after: [], target.settings)
      }
      left = later
    }
    complete(unknown, ids)
    for index in manifest.groups.indices {
      for id in manifest.groups[index].awaited.compactMap({ ids[$0] })
      where !manifest.groups[index].members.contains(id) {
        manifest.groups[index].members.append(id)
      }
    }
    graph = TargetGraph(manifest)
  }

  /// With what a waiting target fails, and after which targets; `nil` if what it waits for is not added yet.
  private func standing(
    _ target: WaitingTarget, _ ids: [String: TargetID], _ values: ValueIndex, isLater: (String) -> Bool
  ) -> (FailureCause, [TargetID])? {
    if let fault = target.fault { return (.valueInvalid(fault), []) }
    if let value = values.byKey[target.template] {
      if let failure = value.failure { return (failure, []) }
      let unknown = FailureCause.valueInvalid(
        ValueProblem(variable: value.name, target: value.target, .unknown))
      // Its target may itself be one that waits.
      if let own = values.targets[value.target] ?? ids[value.target.text] { return (unknown, [own]) }
      return isLater(value.target.text) ? nil : (unknown, [])
    }
    if let id = ids[target.template] {
      // A plan looks at them, too; then they show why there is nothing to wait for.
      guard case .unlisted(let cause) = manifest[id].source else { return nil }
      return (cause, [id])
    }
    guard !isLater(target.template) else { return nil }
    return (lack(of: target.template), [])
  }

  /// Has the targets that stand for `waiting` come after all that these name and that is known.
  private mutating func complete(_ waiting: [WaitingTarget], _ ids: [String: TargetID]) {
    guard !waiting.isEmpty else { return }
    let places = Dictionary(
      manifest.targets.lazy.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
    func known(_ names: [TargetName]) -> [TargetID] {
      Set(names.compactMap { places[$0] }).sorted { $0.index < $1.index }
    }
    for target in waiting {
      guard let id = ids[target.name.text] else { continue }
      let needs = manifest[id].needs
      manifest.targets[id.index].needs += known(target.needs).filter { !needs.contains($0) }
      manifest.targets[id.index].after = known(target.after).filter { !manifest[id].needs.contains($0) }
    }
  }

  /// Has what stands for an unread template come after all that the template names: whoever selects an entry of its list
  /// selects that, too.
  private mutating func connectTemplates() {
    let places = Dictionary(
      manifest.targets.lazy.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
    for template in manifest.templates where template.state == .unread {
      guard let id = places[TargetName(template.list.template)] else { continue }
      let known = manifest[id].needs + manifest[id].after
      let further = Set(template.known.neighbours.compactMap { places[$0] }).subtracting(known + [id])
      manifest.targets[id.index].after += further.sorted { $0.index < $1.index }
    }
    graph = TargetGraph(manifest)
  }

  /// Why there is nothing to wait for: the list of `template` does not have the entry.
  private func lack(of template: String) -> FailureCause {
    guard let list = manifest.templates.first(where: { $0.list.template == template })?.list else {
      return .internalError("the list of \(template) was not read")
    }
    // Of several, it is not known which one is missed here.
    let absent = manifest.absentEntries[template] ?? []
    return .listInvalid(
      source: manifest.secrets.mask(list.url.shown),
      .expansion(.noSuchEntry(name: absent.count == 1 ? absent.first : nil)))
  }

  /// The place of one of these that waits for itself, also through others; `nil` if there is none.
  private func circle(in waiting: [WaitingTarget]) -> Int? {
    let places = Dictionary(
      waiting.enumerated().map { ($0.element.name.text, $0.offset) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<Int> = []
    var place = waiting.indices.first
    while let here = place, seen.insert(here).inserted {
      let awaited = waiting[here].template
      let value = manifest.values.first { $0.key == awaited }
      place = places[value?.target.text ?? awaited]
    }
    return place
  }

  /// The same manifest. Something stands for each target that is missing, so that it can be selected.
  var withStandIns: Workspace {
    var whole = self
    whole.add([:], locked: ListedEntries())
    whole.connectTemplates()
    return whole
  }

  /// Notes why values are not known, and which of them have moved.
  mutating func take(_ values: ValueStates) {
    for place in manifest.values.indices {
      let name = manifest.values[place].name
      manifest.values[place].failure = values.failures[name]
      manifest.values[place].upstream = values.upstream[name]
      manifest.values[place].isUnread = values.unread.contains(name)
    }
  }

  /// A target without bytes, and its id; `nil` if its name cannot be a path.
  ///
  /// Of `settings` it has what people select it by and judge it with.
  private mutating func add(
    _ name: String, _ span: SourceSpan, _ cause: FailureCause, after others: [TargetID],
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
        needs: others, settings: Shared(own)))
    return id
  }
}

/// The values of outputs by their ``ManifestValue/key``, and their targets by name: there may be thousands of both.
private struct ValueIndex {
  var byKey: [String: ManifestValue] = [:]
  var targets: [TargetName: TargetID] = [:]

  /// `manifest`: `nil` if nothing is to be found.
  init(_ manifest: Manifest?) {
    guard let manifest, !manifest.values.isEmpty else { return }
    for value in manifest.values { byKey[value.key] = value }
    let names = Set(manifest.values.map(\.target))
    for target in manifest.targets where names.contains(target.name) { targets[target.name] = target.id }
  }
}
