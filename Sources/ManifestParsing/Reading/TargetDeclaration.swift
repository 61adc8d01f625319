import SyncModel

extension ManifestReader {
  /// The most targets that a manifest may have, matrices expanded.
  static let maximumTargets = 1_000_000
  /// How many keys and values matrices and lists may repeat altogether, those under `matrix` and `list` not counted.
  static let repetitionBudget = 32_000_000
  private static let shownRepetitionBudget = "32 million"

  /// Names every target, so that whatever is read later can refer to any of them.
  func declareTargets(_ id: NodeID) {
    guard
      let entries = entries(
        of: id, Want("targets", "a mapping from name to target", hint: "write NAME: {url: …} for each"))
    else {
      lose(namesFrom: "")
      return
    }
    templates.reserveCapacity(entries.count)
    if first.target == 0 { names = TextIndex(capacity: entries.count) }
    var repeated = 0
    for entry in entries {
      guard let fields = template(entry) else {
        lose(namesFrom: document.text(of: entry.key))
        continue
      }
      switch reading(of: fields, named: entry.key) {
      case .lost(let scope): loseUnnamed(entry.key, scope)
      case .targets(let scopes):
        guard hasRoom(for: scopes.count, after: drafts.count, entry, fields, &repeated) else {
          loseUnnamed(entry.key, scopes.first ?? .none)
          continue
        }
        for index in scopes.indices { declare(entry.key, scopes[index], isRepetition: index > 0) }
      case .rows(let table): declareRows(of: table, entry, fields, &repeated)
      case .listed(let list): declareListed(entry, fields, list, &repeated)
      }
    }
    for entry in entries.duplicates { declareDuplicate(entry) }
  }

  /// A target whose name is another's is not one, and its other problems are reported.
  private func declareDuplicate(_ entry: MappingEntry) {
    guard let fields = template(entry) else { return }
    switch reading(of: fields, named: entry.key) {
    case .lost(let scope): loseUnnamed(entry.key, scope)
    case .targets(let scopes): loseUnnamed(entry.key, scopes.first ?? .none)
    case .rows(let table): loseUnnamed(entry.key, table.scope)
    case .listed:
      let scope = EntryScope(template: document.text(of: entry.key), fields: .unknown)
      loseUnnamed(entry.key, Scope(entry: EntryValues(scope: scope, index: nil)))
    }
  }

  private func reading(of fields: Fields<TargetKey>, named name: NodeID) -> MatrixReading {
    // One search for both, since nearly no target has either.
    if fields.entries.contains(where: { $0.key.makesMany }) {
      if let list = fields[.list] { return .listed(list) }
      if let matrix = fields[.matrix] {
        return withoutValues("\"matrix\"") { self.matrix(matrix.value, name: name) }
      }
    }
    guard fields.mayHide("matrix") else { return .targets(MatrixScopes([])) }
    let scope = scopeOfUnknownKeys(name: name)
    return scope.unreadable.isEmpty ? .targets(MatrixScopes([])) : .lost(scope)
  }

  /// The policy's limit of targets, if so many are more than it allows: nothing is expanded that is refused in the end.
  func exceededLimit(_ count: Int) -> Int? { context.policy?.policy.limits.targets(exceededBy: count) }

  /// The most targets that this manifest may have.
  var mostTargets: Int { min(Self.maximumTargets, context.policy?.policy.limits.targets ?? .max) }

  /// Whether the limits allow these targets after so many others; the first entry for which they do not is an error.
  ///
  /// `repeated` counts the keys and values that matrices and lists repeat; it is negative after an error.
  func hasRoom(
    for count: Int, after others: Int, _ entry: MappingEntry, _ fields: Fields<TargetKey>,
    _ repeated: inout Int
  ) -> Bool {
    guard repeated >= 0 else { return false }
    let matrix = fields[.matrix]
    if let matrix {
      repeated += count * weight(of: entry, without: matrix)
    }
    // Targets that are written one by one are no more work than the text is: the policy's check of the whole manifest
    // reports them, beside whatever else they break.
    let exceeded = matrix == nil ? nil : exceededLimit(others + count)
    let isFull = exceeded != nil || others + count > Self.maximumTargets
    guard isFull || repeated > Self.repetitionBudget else { return true }
    error(
      isFull
        ? exceeded.map(PolicyLimits.tooManyTargets) ?? "more than a million targets"
        : "matrices repeat more than \(Self.shownRepetitionBudget) keys and values",
      at: matrix?.key ?? entry.key,
      hint: isFull ? nil : "move the common keys to \"defaults\"")
    lose(namesFrom: "")
    repeated = -1
    return false
  }

  /// How many keys and values each target of a matrix or a list repeats; `maker`, which is that, is read once.
  func weight(of entry: MappingEntry, without maker: MappingEntry) -> Int {
    max(1, document.extent(of: entry.value).weight - document.extent(of: maker.value).weight)
  }

  /// The keys of an entry, which becomes the last of ``templates``; `nil` after an error.
  private func template(_ entry: MappingEntry) -> Fields<TargetKey>? {
    // Only a problem has to be put into words.
    func shown() -> String { "target \(quoted(document.text(of: entry.key)))" }
    guard
      let entries = entries(
        of: entry.value,
        Want(
          "the \(shown())", "a mapping with \"url\", \"from\" or \"list\"",
          hint: "write {url: …}, or its keys below it, further to the right"))
    else {
      _ = checkedName(entry.key, .none)
      return nil
    }
    let fields = fields(
      entries, TargetKey.self, of: shown(), fits: { $0.fits($1) }, foreign: { TargetKey(foreign: $0) },
      place: { Self.placeHint(for: $0) })
    templates.append(TargetTemplate(key: entry.key, fields: keep(fields)))
    return fields
  }

  private func declare(_ key: NodeID, _ scope: Scope, isRepetition: Bool) {
    log.reportsPlacesOnce = isRepetition
    defer { log.reportsPlacesOnce = false }
    guard let name = checkedName(key, scope) else { return lose(key, scope, isRepetition: isRepetition) }
    guard !omitsTargets || !isOmitted(name, at: key) else { return }
    let number = drafts.count
    drafts.append(
      TargetDraft(name: name, template: templates.count - 1, scope: scope, isRepetition: isRepetition))
    switch claim(name, as: number) {
    case nil: break
    case .target(let other):
      guard !refuseName(ofListed: other) else { return }
      let place = shown(keySpan(of: other.index), from: span(key))
      error("duplicate target name \(quoted(name))", at: key, hint: "already defined \(place)")
    case .group(let index): refuseName(ofGroup: index, name, at: span(key))
    }
  }

  /// Reports a target with the name of a group, which is one of an included file.
  func refuseName(ofGroup index: Int, _ name: String, at place: SourceSpan) {
    log.error(
      "\(quoted(name)) names a target and a group", at: place,
      hint: "the group is \(shown(earlierGroups[index].span, from: place))")
  }

  /// Loses a target whose name was not made, after a look at the name.
  private func loseUnnamed(_ key: NodeID, _ scope: Scope) {
    _ = checkedName(key, scope)
    lose(key, scope, isRepetition: false)
  }

  func lose(_ key: NodeID, _ scope: Scope, isRepetition: Bool) {
    lose(namesFrom: document.text(of: key))
    // The first target of a matrix reports the problems of all.
    guard !isRepetition else { return }
    lostDrafts.append(
      TargetDraft(
        name: document.text(of: key), template: templates.count - 1, scope: scope, isRepetition: false))
  }

  /// The name of a target or a group, in full; `nil` after an error.
  func checkedName(_ key: NodeID, _ scope: Scope) -> String? {
    let name = withoutValues("a name") { self.name(key, Want("the name", "text"), scope) }
    guard let name else { return nil }
    guard TargetName.isValid(name) else {
      refuseAsName(name, at: key)
      return nil
    }
    return home.prefix.isEmpty ? name : home.prefix + name
  }

  func refuseAsName(_ text: String, at key: NodeID) {
    error(
      "\(quoted(text)) cannot be a name", at: key,
      hint:
        "a name starts with an ASCII letter, a digit or _, and continues with ASCII letters, digits, _, ., +, / and -"
    )
  }

  /// Whether `name` may be one that an error elsewhere kept from being made.
  func isLost(_ name: String) -> Bool {
    // Past a hundred, one stops telling them apart.
    if lostNamePrefixes.count > 100 { return true }
    let full = home.prefix + name
    return lostNamePrefixes.contains { full.hasPrefix($0) || name.hasPrefix($0) }
  }

  /// Notes that names of this file which begin as the text of a name does may not be known.
  func lose(namesFrom text: String) { lostNamePrefixes.append(home.prefix + literalPrefix(text)) }

  func literalPrefix(_ text: String) -> String { String(text.prefix { $0 != "$" }) }
}
