import SyncModel

extension ManifestReader {
  /// Declares the targets of an entry with `list`, if the list's entries are known.
  ///
  /// Problems of the manifest are found by reading the template itself, whose values of the entry are missing. What is
  /// wrong with a target besides is the list's fault.
  func declareListed(
    _ entry: MappingEntry, _ fields: Fields<TargetKey>, _ list: MappingEntry, _ repeated: inout Int
  ) {
    lists.isUsed = true
    if let matrix = fields[.matrix] {
      error("\"matrix\" and \"list\" exclude each other", at: matrix.key, hint: "keep one of them")
    }
    let written = document.text(of: entry.key)
    let name = home.prefix + written
    let earlier = values.isEmpty ? nil : log
    variables.usedValues = []
    lists.valueFault = nil
    let declaration = listDeclaration(list, name: entry.key)
    let waiting = earlier.flatMap { waitingList(name, entry, since: $0) }
    let known = declaration.map { EntryFields($0) } ?? .unknown
    var scope = Scope(entry: EntryValues(scope: EntryScope(template: name, fields: known), index: nil))
    if fields[.matrix] != nil { scope.unreadable = scopeOfUnknownKeys(name: entry.key).unreadable }
    let example = withoutValues("a name") {
      self.name(entry.key, Want("the name", "text"), scope.used(in: .name))
    }
    if let example, !TargetName.isValid(listedName(example, entry.key)) {
      refuseAsName(written, at: entry.key)
    }
    lostDrafts.append(
      TargetDraft(name: name, template: templates.count - 1, scope: scope, isRepetition: false))
    guard declaration != nil || waiting != nil else { return lose(namesFrom: written) }
    let isOne = !hasEntry(name)
    // With variables before the entry, more names than its own may be meant; then some are waited for in vain.
    let beginning = isOne ? home.prefix + (example ?? written) : literalPrefix(name)
    lists.names.append((beginning, isOne, name))
    if let waiting { return lists.omitted.append(waiting) }
    guard let declaration else { return }
    var template = ListTemplate(declaration, lists.excluded.templates[name] ?? .unread)
    template.listValues = (lists.valuesOfLists[name] ?? []).map { values[$0].declaration.name }
    if case .unread = template.state, let entries = context.lists.byTemplate[name] {
      template.state = .expanded(first: TargetID(drafts.count), entries: entries)
      let weight = weight(of: entry, without: list)
      expand(template.list, entries, entry, weight: weight, isOne: isOne, &repeated)
    }
    lists.templates.append(template)
  }

  /// Whether one of these steps verifies a digest that is written here.
  private func demandsDigest(_ steps: NodeID) -> Bool {
    guard document[steps].kind == .sequence else { return false }
    return document.children(of: steps).contains { step in
      guard document[step].kind == .mapping,
        let check = entries(of: step).first(where: { document.text(of: $0.key) == "verify" }),
        document[check.value].kind == .mapping
      else { return false }
      return entries(of: check.value).contains { rule in
        guard let key = VerifyKey(rawValue: document.text(of: rule.key)),
          ![.size, .minisign].contains(key), document[rule.value].kind == .scalar
        else { return false }
        return !hasEntry(document.text(of: rule.value))
      }
    }
  }

  /// Whether a text uses a value of an entry.
  func hasEntry(_ name: String) -> Bool {
    guard let template = try? Template(name) else { return false }
    return template.variableNames.contains { $0.hasPrefix(EntryScope.prefix) }
  }

  /// Whether a text in a value depends on an entry.
  func hasEntry(_ id: NodeID) -> Bool {
    guard document[id].kind == .scalar else { return document.children(of: id).contains { hasEntry($0) } }
    return hasEntry(document.text(of: id))
  }

  private func expand(
    _ list: ListDeclaration, _ entries: [ListEntry], _ entry: MappingEntry, weight: Int, isOne: Bool,
    _ repeated: inout Int
  ) {
    guard !isOne || entries.count == 1 else { return refuse(list.template, .notOne(count: entries.count)) }
    // The manifest breaks the policy, whoever has made the list.
    if let limit = exceededLimit(drafts.count + entries.count) {
      return error(PolicyLimits.tooManyTargets(limit), at: entry.key)
    }
    guard drafts.count + entries.count <= Self.maximumTargets else {
      return refuse(list.template, .tooMany(count: entries.count))
    }
    guard repeated >= 0, entries.count <= (Self.repetitionBudget - repeated) / weight else {
      return refuse(list.template, .repeatsTooMuch(count: entries.count))
    }
    repeated += entries.count * weight
    let scope = EntryScope(
      template: list.template, fields: EntryFields(list), entries: entries, isTree: list.rules.tree,
      origin: WebURL(list.url.text)?.origin, versionOrigin: list.versionOrigin)
    for index in entries.indices {
      let values = Scope(entry: EntryValues(scope: scope, index: index))
      if let fault = declareListed(entry.key, values, entries[index]) {
        return refuse(list.template, fault)
      }
    }
  }

  private func declareListed(_ key: NodeID, _ scope: Scope, _ entry: ListEntry) -> ListExpansionFault? {
    let (name, fault) = quietly(entry) { self.name(key, Want("the name", "text"), scope.used(in: .name)) }
    if let fault { return fault }
    let own = listedName(name ?? "", key)
    guard TargetName.isValid(own) else { return .badName(own, key: entry.key) }
    let text = home.prefix + own
    let number = drafts.count
    drafts.append(
      TargetDraft(
        name: text, template: templates.count - 1, scope: scope, isRepetition: scope.entry?.index != 0))
    switch claim(text, as: number) {
    case nil: break
    case .target(let other)?:
      guard let values = drafts[other.index].scope.entry, values.scope === scope.entry?.scope,
        let first = values.entry
      else { return .nameTaken(text, key: entry.key) }
      let versions = first.key.hasSameBytes(as: entry.key) ? [first.version, entry.version] : []
      return .sameName(text, keys: [first.key, entry.key], versions: versions.compactMap(\.self))
    case .group?: return .nameTaken(text, key: entry.key)
    }
    return nil
  }

  /// Notes what all targets of a template share, if `draft` is the template itself.
  func noteSettings(_ read: ReadTarget, of draft: TargetDraft) {
    guard lists.isUsed, let entry = draft.scope.entry, entry.index == nil else { return }
    if let place = lists.templates.firstIndex(where: { $0.list.template.hasSameBytes(as: draft.name) }) {
      lists.templates[place].settings = read.shared.values
      lists.templates[place].known = knownParts(read, draft)
      lists.templates[place].known.neighbours =
        (read.references.map { drafts[$0.id.index].name } + lists.mentioned).map { TargetName($0) }
      lists.templates[place].values = variables.usedValues.map { values[$0].declaration.name }
    } else if let place = lists.omitted.firstIndex(where: { $0.name.text.hasSameBytes(as: draft.name) }) {
      lists.omitted[place].settings = read.shared.values
      lists.omitted[place].known = knownParts(read, draft)
    }
  }

  /// What a reading without the list or the value has found out about a target.
  func knownParts(_ read: ReadTarget, _ draft: TargetDraft) -> KnownParts {
    var known = KnownParts()
    known.urls = read.source?.mirrors.map(Array.init) ?? []
    known.output = read.output
    if case .folder? = read.product { known.isFolder = true }
    if draft.scope.entry != nil, let output = fields(of: draft.template)[.output] {
      known.isExample = hasEntry(document.text(of: output.value))
    }
    if draft.scope.entry != nil {
      // Where the target's own value depends on an entry, the settings have the one of `defaults`.
      let (fields, settings) = (fields(of: draft.template), read.settings.values)
      let stepsDemand = fields[.steps].map { demandsDigest($0.value) } ?? settings.verifiesLiteralDigest
      let ruleDemands =
        settings.comparesLiteralDigest && fields[.freshness].map { refers($0.value, to: []) } != true
      known.demandsDigest = stepsDemand || ruleDemands
    }
    return known
  }

  /// The name that an entry made, whose first character the manifest's own text may have to answer for.
  private func listedName(_ name: String, _ key: NodeID) -> String {
    document.text(of: key).utf8.first == UInt8(ascii: "$") ? ListedName.whole(name) : name
  }

  // MARK: The faults of lists

  /// Does something for one entry; its problems become a fault of the list.
  func quietly<Result>(_ entry: ListEntry, _ body: () -> Result) -> (Result, ListExpansionFault?) {
    let saved = log
    log = DiagnosticLog()
    lists.fault = nil
    defer { log = saved }
    let result = body()
    let message = log.firstMessage.map { SignatureMask.mask(secrets.mask($0)) }
    return (result, lists.fault ?? message.map { .refused($0, key: entry.key) })
  }

  /// Leaves out the targets of a template; the first fault counts.
  func refuse(_ template: String, _ fault: ListExpansionFault) {
    if lists.found.templates[template] == nil { lists.found.templates[template] = .invalid(fault) }
  }

  /// Whether the number is that of a listed target, whose name is needed for something else; it is refused then.
  func refuseName(ofListed target: TargetID) -> Bool {
    guard lists.isUsed, let values = drafts[target.index].scope.entry, let entry = values.entry else {
      return false
    }
    refuse(values.scope.template, .nameTaken(drafts[target.index].name, key: entry.key))
    return true
  }

  /// Whether one of two targets whose outputs conflict is listed; it is refused then.
  func refuseOutput(_ conflict: OutputConflict, _ read: PiecewiseArray<ReadTarget>) -> Bool {
    guard lists.isUsed else { return false }
    for (own, other) in [(conflict.second, conflict.first), (conflict.first, conflict.second)] {
      guard let values = drafts[own].scope.entry, let entry = values.entry, let output = read[own].output
      else { continue }
      refuse(
        values.scope.template,
        .outputTaken(output.text, key: entry.key, other: drafts[other].name))
      return true
    }
    return false
  }
}
