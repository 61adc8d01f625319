import SyncModel

extension ManifestReader {
  /// The most targets that a manifest may have, matrices expanded.
  static let maximumTargets = 1_000_000
  /// How many nodes may be read for matrices altogether.
  static let matrixBudget = 10_000_000

  /// Names every target, so that whatever is read later can refer to any of them.
  func declareTargets(_ id: NodeID) {
    guard let entries = entries(of: id, Want("targets", "a mapping from name to target")) else {
      lostNamePrefixes.append("")
      return
    }
    templates.reserveCapacity(entries.count)
    drafts.reserveCapacity(entries.count)
    names.reserveCapacity(entries.count)
    targetNames.reserveCapacity(entries.count)
    var matrixNodes = 0
    for entry in entries {
      guard let template = template(entry) else {
        lostNamePrefixes.append(literalPrefix(document.text(of: entry.key)))
        continue
      }
      var scopes: [Scope] = [.none]
      if let matrix = template.fields[.matrix] {
        guard let expanded = self.scopes(matrix.value, name: entry.key) else {
          templates.append(template)
          lose(entry.key, .unknown, isRepetition: false)
          continue
        }
        scopes = expanded
        matrixNodes += scopes.count * Int(document[entry.value].weight)
      }
      let hasRoom = drafts.count + scopes.count <= Self.maximumTargets
      guard hasRoom, matrixNodes <= Self.matrixBudget else {
        error(
          hasRoom
            ? "matrices repeat more than 10 million keys and values"
            : "these are more than a million targets",
          at: template.fields[.matrix]?.key ?? entry.key,
          hint: hasRoom ? "what the targets have in common can stand in \"defaults\", once" : nil)
        lostNamePrefixes.append("")
        return
      }
      templates.append(template)
      for index in scopes.indices { declare(entry.key, scopes[index], isRepetition: index > 0) }
    }
  }

  private func template(_ entry: MappingEntry) -> TargetTemplate? {
    // Only a problem has to be put into words.
    func shown() -> String { "target \(quoted(document.text(of: entry.key)))" }
    guard
      let entries = entries(of: entry.value, Want("the \(shown())", "a mapping with \"url\" or \"from\""))
    else {
      _ = checkedName(entry.key, .none)
      return nil
    }
    return TargetTemplate(key: entry.key, fields: fields(entries, TargetKey.self, of: shown()))
  }

  private func declare(_ key: NodeID, _ scope: Scope, isRepetition: Bool) {
    log.reportsPlacesOnce = isRepetition
    defer { log.reportsPlacesOnce = false }
    guard let name = checkedName(key, scope) else { return lose(key, scope, isRepetition: isRepetition) }
    let id = TargetID(drafts.count)
    if case .target(let other)? = names[name] {
      let line = span(templates[drafts[other.index].template].key).line
      error("duplicate target name \(quoted(name))", at: key, hint: "line \(line) makes it already")
    } else {
      names[name] = .target(id)
      targetNames.append(name)
    }
    drafts.append(
      TargetDraft(
        id: id, name: name, template: templates.count - 1, scope: scope, isRepetition: isRepetition))
  }

  private func lose(_ key: NodeID, _ scope: Scope, isRepetition: Bool) {
    lostNamePrefixes.append(literalPrefix(document.text(of: key)))
    // The first of a matrix tells what is to be told of them all.
    guard !isRepetition else { return }
    lostDrafts.append(
      TargetDraft(
        id: TargetID(drafts.count), name: document.text(of: key), template: templates.count - 1, scope: scope,
        isRepetition: false))
  }

  /// The name of a target or a group; `nil` after an error.
  func checkedName(_ key: NodeID, _ scope: Scope) -> String? {
    guard let name = name(key, Want("the name", "text"), scope) else { return nil }
    guard TargetName.isValid(name) else {
      error(
        "\(quoted(name)) cannot be a name", at: key,
        hint: "a letter, a digit or _ comes first, then letters, digits, _, ., +, / and -")
      return nil
    }
    return name
  }

  /// Whether `name` may be one that an error elsewhere kept from being made.
  func isLost(_ name: String) -> Bool {
    // Past a hundred, one stops telling them apart.
    lostNamePrefixes.count > 100 || lostNamePrefixes.contains(where: name.hasPrefix)
  }

  private func literalPrefix(_ text: String) -> String { String(text.prefix { $0 != "$" }) }
}
