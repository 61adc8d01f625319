import SyncModel

extension ManifestReader {
  private enum DefaultsOwner { static let name = "\"defaults\"" }

  /// Reads `defaults` once for all targets, save what a matrix's keys go into.
  func readDefaults(_ id: NodeID) {
    guard let entries = entries(of: id, Want("defaults", "a mapping of target keys")) else { return }
    let fields = fields(
      entries, TargetKey.self, of: DefaultsOwner.name, fits: { $0.mayBeDefault && $0.fits($1) },
      isKnown: \.mayBeDefault, place: { Self.placeHint(for: $0, isOfDefaults: true) })
    func keys(_ draft: TargetDraft) -> [String] { draft.isRepetition ? [] : draft.scope.knownNames }
    let matrixKeys = Set(drafts[first.target...].lazy.flatMap(keys)).union(lostDrafts.flatMap(keys))
    for key in fields.order {
      guard let entry = fields[key] else { continue }
      guard key.mayBeDefault else {
        error(
          "\"\(key.rawValue)\" is not allowed in \"defaults\"", at: entry.key, hint: "set it for each target")
        continue
      }
      if !matrixKeys.isEmpty || lists.isUsed, refers(entry.value, to: matrixKeys) {
        defaults.varying.append(TargetDefaults.Varying(key: key, value: entry.value))
        defaults.matrixKeys = matrixKeys.sorted()
      } else {
        apply(key, entry.value, .none, to: &defaults.settings)
      }
    }
    refuseTwoCredentials(defaults.settings.values, at: fields[.auth]?.key)
    defaults.shared = SharedSettings(defaults.settings)
  }

  /// A header `Authorization` would not be sent beside `auth`; a `place` is there if both were set together.
  private func refuseTwoCredentials(_ settings: TargetSettings, at place: NodeID?) {
    guard settings.authentication != nil, let place, settings.headers.contains(where: isAuthorization) else {
      return
    }
    error(
      "\"auth\" and the header \"Authorization\" exclude each other", at: place, hint: "keep one of them")
  }

  private func isAuthorization(_ header: RequestHeader) -> Bool {
    header.name.lowercased() == "authorization"
  }

  /// Reports the problems of defaults that every target replaces, as far as they do not depend on a matrix.
  func readUnusedDefaults() {
    var settings = ReadSettings()
    var scope = Scope(unreadable: defaults.matrixKeys)
    if lists.isUsed {
      scope.entry = EntryValues(scope: EntryScope(template: "", fields: .unknown), index: nil)
    }
    for varying in defaults.varying where !varying.isUsed {
      apply(varying.key, varying.value, scope, to: &settings)
    }
  }

  /// Whether a text in it has one of these variables.
  func refers(_ id: NodeID, to names: Set<String>) -> Bool {
    let node = document[id]
    guard node.kind == .scalar else {
      return document.children(of: id).contains { refers($0, to: names) }
    }
    guard !Template.isPlain(document.text(of: id)), let template = try? Template(document.text(of: id)) else {
      return false
    }
    return template.variableNames.contains { name in
      names.contains(name) || lists.isUsed && name.hasPrefix(EntryScope.prefix)
    }
  }

  func readTarget(_ draft: TargetDraft) -> ReadTarget {
    readTarget(
      fields(of: draft.template), draft.scope, key: templates[draft.template].key,
      isRepetition: draft.isRepetition)
  }

  func readTarget(
    _ fields: Fields<TargetKey>, _ scope: Scope, key: NodeID, isRepetition: Bool
  ) -> ReadTarget {
    log.reportsPlacesOnce = isRepetition
    defer { log.reportsPlacesOnce = false }
    // What a key was meant to be is not known.
    lacksReference = fields.isIncomplete || !fields.misspelt.isEmpty
    var read = ReadTarget(
      outputPlace: key, shared: settings(fields, scope), needs: [], after: [],
      references: [])
    readNeighbours(fields, scope, into: &read)
    readSource(fields, scope, key: key, into: &read)
    placeSignatures(in: &read)
    read.lacksReferences = lacksReference
    return read
  }

  /// The target's own values, and defaults for the rest.
  private func settings(_ fields: Fields<TargetKey>, _ scope: Scope) -> SharedSettings {
    if let entry = scope.entry, entry.index != nil { return sameSettings(fields, scope, of: entry.scope, []) }
    if let row = scope.row, row.isAtRow { return sameSettings(fields, scope, of: row, Set(row.names)) }
    return ownSettings(fields, scope)
  }

  /// One object for all targets of a list or a row file, unless its values or these variables change something.
  private func sameSettings(
    _ fields: Fields<TargetKey>, _ scope: Scope, of owner: AnyObject, _ names: @autoclosure () -> Set<String>
  ) -> SharedSettings {
    if let known = sameSettings, known.owner === owner {
      return known.value ?? ownSettings(fields, scope)
    }
    let settings = ownSettings(fields, scope)
    let names = names()
    let varies = fields.order.contains { key in
      key.mayBeDefault && fields[key].map { refers($0.value, to: names) } == true
    }
    sameSettings = (owner, varies || !defaults.varying.isEmpty || !values.isEmpty ? nil : settings)
    return settings
  }

  private func ownSettings(_ fields: Fields<TargetKey>, _ scope: Scope) -> SharedSettings {
    guard !defaults.varying.isEmpty || fields.entries.contains(where: { $0.key.mayBeDefault }) else {
      return defaults.shared
    }
    var settings = defaults.settings
    for (index, varying) in defaults.varying.enumerated()
    where fields[varying.key] == nil && !(varying.key == .freshness && fields[.from] != nil) {
      withoutValues("\"defaults\"") { apply(varying.key, varying.value, scope, to: &settings) }
      defaults.varying[index].isUsed = true
    }
    for field in fields.entries where field.key.mayBeDefault {
      apply(field.key, field.entry.value, scope, to: &settings)
    }
    // A target's own replaces what `defaults` have, in whichever form.
    switch (fields[.auth], fields[.headers]) {
    case (_?, nil): settings.values.headers.removeAll(where: isAuthorization)
    case (nil, _?) where settings.values.headers.contains(where: isAuthorization):
      settings.values.authentication = nil
    case (let auth?, _?): refuseTwoCredentials(settings.values, at: auth.key)
    default:
      let varying = defaults.varying.first { $0.key == .auth || $0.key == .headers }
      refuseTwoCredentials(settings.values, at: varying?.value)
    }
    return SharedSettings(settings)
  }

  /// `needs` and `after`, and what steps and the rule read from.
  private func readNeighbours(_ fields: Fields<TargetKey>, _ scope: Scope, into read: inout ReadTarget) {
    // Nearly no target has any of them.
    func add(_ references: [Reference]) { if !references.isEmpty { read.references += references } }
    if let needs = fields[.needs].map({ references($0.value, "needs", scope) }) {
      read.needs = needs.map(\.id)
      add(needs)
    }
    if let after = fields[.after].map({ references($0.value, "after", scope) }) {
      read.after = after.map(\.id)
      add(after)
    }
    add(read.shared.value.stepNotes.references)
    if fields[.from] == nil { add(read.shared.value.freshnessReferences) }
  }

  private func readSource(
    _ fields: Fields<TargetKey>, _ scope: Scope, key: NodeID, into read: inout ReadTarget
  ) {
    if let output = fields[.output] {
      read.outputPlace = output.value
      read.output = self.output(
        output.value, scope, read.product, isUnknown: read.settings.stepNotes.areUnreadable)
    }
    if case .folder? = read.product, let mode = fields[.mode] {
      error(
        "\"mode\" is for an output that is one file, and this output is a folder", at: mode.key,
        hint: "remove it; unpack: {modes: archive} keeps the archive's permissions")
    }
    if case .folder? = read.product, case .digest(let rule)? = read.settings.values.freshness?.innermost,
      rule.of == .output, rule.algorithm != .sha256
    {
      error(
        "\"of: output\" of a folder is its tree digest, a sha256 and no \(rule.algorithm.rawValue)",
        at: fields[.freshness]?.value ?? key, hint: "write \"sha256\", or \"of: download\"")
    }
    if scope.entry != nil, let list = fields[.list] {
      return readListedSource(fields, list, scope, into: &read)
    }
    switch (fields[.url], fields[.from]) {
    case (let url?, nil):
      let before = variables.usedValues.count
      guard let sources = urls(url.value, scope) else { return }
      let first = sources.first
      if fields[.output] == nil, !fields.mayHide("output") {
        read.outputPlace =
          document[url.value].kind == .sequence ? document.children(of: url.value).first! : url.value
        read.output = defaultOutput(first, steps: read.settings.values.steps, place: read.outputPlace)
        if variables.usedValues.count > before, !isSafe(read.output) { read.output = nil }
      }
      refuseOwnOutput(first, read)
      for mirror in sources.mirrors { refuseOwnOutput(mirror, read) }
      read.source = .urls(Mirrors(first.url, others: sources.mirrors.map(\.url)))
    case (nil, let from?):
      if let freshness = fields[.freshness] {
        error(
          "\"freshness\" is not allowed with \"from\"", at: freshness.key,
          hint: "a target with \"from\" is stale when its input changes")
      }
      guard let id = reference(from.value, "from", "the name of a target", scope) else { return }
      read.references.append(Reference(id: id, place: from.value))
      read.source = .target(id)
      if fields[.output] == nil { read.outputPlace = from.value }
    case (let url?, let from?):
      error("\"url\" and \"from\" exclude each other", at: from.key, hint: "keep one of them")
      _ = urls(url.value, scope)
      _ = reference(from.value, "from", "the name of a target", scope)
    case (nil, nil):
      guard !fields.mayHide("url"), !fields.mayHide("from") else { return }
      error(
        "target \(quoted(document.text(of: key))) has none of \"url\", \"from\" and \"list\"", at: key,
        hint: "one of them must name the source")
    }
  }

  /// The targets that a list names, each once.
  private func references(_ id: NodeID, _ key: String, _ scope: Scope) -> [Reference] {
    guard let items = items(id, Want(key, "a list of target names")) else {
      lacksReference = true
      return []
    }
    var references: [Reference] = []
    var seen: Set<TargetID> = []
    for item in items {
      guard let id = reference(item, key, "a list of target names", scope), seen.insert(id).inserted else {
        continue
      }
      references.append(Reference(id: id, place: item))
    }
    return references
  }

  /// The target that `id` names; `nil` after an error.
  func reference(_ id: NodeID, _ key: String, _ form: String, _ scope: Scope) -> TargetID? {
    let name = withoutValues("a target's name") { text(id, Want(key, form), scope) }
    guard let name else {
      lacksReference = true
      return nil
    }
    switch mentioned(name) {
    case .target(let target): return target
    case .group:
      error(
        "\(quoted(name)) is a group, but only targets are allowed in \"\(key)\"", at: id,
        hint: "list the targets instead")
    case nil:
      guard !isLost(name) else { break }
      if mayWait, let (template, full) = awaitedTemplate(name) {
        // What is not there need not come first.
        if key != "after" || !lists.notesAbsence(full, of: template, at: span(id)) {
          lists.awaited = template
          lists.mentioned.append(full)
          lists.notesNeed(full, of: template)
        }
        return nil
      }
      error("unknown target \(quoted(name))", at: id, hint: nameHint(name, among: targetNames))
    }
    lacksReference = true
    return nil
  }
}
