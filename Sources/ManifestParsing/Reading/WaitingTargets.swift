import SyncModel

extension ManifestReader {
  /// What the next reading leaves out; `nil` if none is needed.
  var exclusionsToRepeat: ListExclusions? {
    guard log.isEmpty, lists.mustRepeat else { return nil }
    var exclusions = lists.excluded
    exclusions.templates.merge(lists.found.templates) { first, _ in first }
    exclusions.targets.merge(lists.found.targets) { first, _ in first }
    exclusions.settings.merge(lists.found.settings) { first, _ in first }
    exclusions.known.merge(lists.found.known) { first, _ in first }
    exclusions.neighbours.merge(lists.found.neighbours) { first, _ in first }
    exclusions.faults.merge(lists.found.faults) { first, _ in first }
    exclusions.absent.merge(lists.found.absent) { $0.union($1) }
    return exclusions
  }

  /// Whether a target with that name was found to wait for a template; it is noted then.
  func isOmitted(_ name: String, at key: NodeID) -> Bool {
    guard let template = lists.excluded.targets[name] else { return false }
    let settings = lists.excluded.settings[name] ?? Shared(TargetSettings())
    var waiting = WaitingTarget(
      name: TargetName(name), span: span(key), template: template, settings: settings)
    waiting.known = lists.excluded.known[name] ?? KnownParts()
    (waiting.needs, waiting.after) = lists.excluded.neighbours[name] ?? ([], [])
    waiting.fault = lists.excluded.faults[name]
    lists.omitted.append(waiting)
    return true
  }

  /// The template without targets that a name is waited for, and the name in full; `nil` if it cannot be one of a
  /// target that is missing.
  func awaitedTemplate(_ name: String) -> (template: String, full: String)? {
    let full = home.prefix + name
    if let template = lists.template(awaitedAs: full) { return (template, full) }
    guard !isAlone, files?.mayBeBelow(name, home.number) == true else { return nil }
    return lists.template(awaitedAs: name).map { ($0, name) }
  }

  /// Reads a target, and notes whether it waits for a list.
  func readAwaiting(_ index: Int) -> ReadTarget {
    guard mayWait else { return readTarget(drafts[index]) }
    // A default that reads from a missing target is every target's.
    let awaited = lists.awaited
    defer { lists.awaited = awaited }
    let read = values.isEmpty ? readListed(drafts[index]) : readWithValues(index)
    if let template = lists.awaited { lists.waiting.append((index, template)) }
    return read
  }

  /// Finds the targets that wait for templates without targets, through others too.
  func findWaiting(_ read: PiecewiseArray<ReadTarget>, _ groups: [TargetGroup]) {
    guard mayWait, !lists.waiting.isEmpty || !lists.waitingUnits.isEmpty else { return }
    let seeds =
      lists.waiting
      + lists.waitingUnits.flatMap { unit in groups[unit.group].members.map { ($0.index, unit.template) } }
    let (dependents, units) = (dependents(read), PublishedTogether(groups, targets: read.count))
    // Only a first reading leaves nothing out.
    if !values.isEmpty, lists.excluded.targets.isEmpty, lists.excluded.templates.isEmpty {
      let templates = Set(lists.names.map(\.template))
      refuseValues(spread(from: seeds.filter { templates.contains($0.1) }, dependents, units) { $1 })
    }
    let keys = Set(values.map(\.key))
    let awaited = spread(from: seeds, dependents, units) { target, template in
      // A value is awaited only by those that use it.
      keys.contains(template) ? drafts[target].scope.entry?.scope.template ?? drafts[target].name : template
    }
    for (target, template) in awaited.sorted(by: { $0.key < $1.key }) {
      exclude(target, read[target], for: template)
    }
  }

  /// What the targets wait for that are, or depend on, one of `seeds`; `named` says what those wait for that depend on one
  /// that waits.
  private func spread(
    from seeds: [(target: Int, template: String)], _ dependents: [Int: [Int]], _ units: PublishedTogether,
    as named: (Int, String) -> String
  ) -> [Int: String] {
    var awaited: [Int: String] = [:]
    var queue: [Int] = []
    func wait(_ target: Int, for template: String) {
      guard awaited[target] == nil else { return }
      awaited[target] = template
      queue.append(target)
    }
    for (target, template) in seeds { wait(target, for: template) }
    while let next = queue.popLast(), let template = awaited[next] {
      let own = named(next, template)
      for target in dependents[next] ?? [] { wait(target, for: own) }
      guard let unit = units.unit(of: TargetID(next)) else { continue }
      for member in units.members(of: unit) { wait(member.index, for: own) }
    }
    return awaited
  }

  /// A value is known before any list is read, so its target needs no entry of one; `awaited` has the template for each
  /// target that needs one.
  private func refuseValues(_ awaited: [Int: String]) {
    for value in values {
      guard let target = value.target, let template = awaited[target.index] else { continue }
      log.error(
        "a value is known before lists are read, but target \(quoted(value.declaration.target.text)) waits for "
          + "the list of \(quoted(template))",
        at: reader(of: value).span(value.targetPlace),
        hint: "take the value from a target that neither needs an entry of a list nor comes after one")
    }
  }

  private func exclude(_ target: Int, _ read: ReadTarget, for template: String) {
    let draft = drafts[target]
    guard let values = draft.scope.entry else {
      lists.found.targets[draft.name] = template
      lists.found.settings[draft.name] = read.shared.values
      lists.found.known[draft.name] = knownParts(read, draft)
      let names = read.references.map { (id: $0.id, name: TargetName(drafts[$0.id.index].name)) }
      let after = names.filter { read.after.contains($0.id) && !read.needs.contains($0.id) }.map(\.name)
      lists.found.neighbours[draft.name] = (names.map(\.name).filter { !after.contains($0) }, after)
      return
    }
    let own = values.scope.template
    if lists.found.templates[own] == nil { lists.found.templates[own] = .waiting(for: template) }
  }

  /// For each target those that cannot be without it.
  private func dependents(_ read: PiecewiseArray<ReadTarget>) -> [Int: [Int]] {
    var dependents: [Int: [Int]] = [:]
    for (index, target) in read.enumerated() {
      for reference in target.references {
        dependents[reference.id.index, default: []].append(index)
      }
    }
    return dependents
  }
}
