import SyncModel

/// A variable whose value comes from a target's output, as read.
struct ReadValue {
  /// The target's name is complete once ``ManifestReader/findTargetsOfValues()`` has found it.
  var declaration: ManifestValue
  /// The number of the file that defines it, and the only one that can use it.
  var file: Int
  /// The place of the target's name, in that file.
  var targetPlace: NodeID
  /// The target; `nil` if it is not there, since it waits for something itself.
  var target: TargetID?
  /// Where a target has used it last.
  var usedAt: NodeID?

  var key: String { declaration.key }
  var text: String? { declaration.text }
}

// MARK: What `vars` says

extension ManifestReader {
  private enum ValueKey: String, CaseIterable {
    case target, line, regex, json
  }

  /// In bytes.
  private static let longestPattern = 1 << 10

  /// Whether a target may wait for something that is not known yet.
  var mayWait: Bool { lists.isUsed || !values.isEmpty }

  /// Reads the mapping of a variable, which becomes the last of ``values``; `nil` after an error.
  func readValue(_ name: String, _ entry: MappingEntry) -> Int? {
    let owner = "the variable \"\(name)\""
    guard let entries = entries(of: entry.value, Want(owner, "text, or a mapping with \"target\"")) else {
      return nil
    }
    let fields = fields(entries, ValueKey.self, of: owner)
    let target = fields[.target].flatMap { lockedLine($0.value, Want("target", "the name of a target")) }
    if fields[.target] == nil {
      requireKey("target", in: fields, at: entry.key, hint: "write {target: NAME, line: 1}")
    }
    let pick = readPick(fields, at: entry.key)
    guard let target, let place = fields[.target]?.value else { return nil }
    // Another file may have a variable with that name.
    let name = home.number == 0 ? name : "\(files?.files[home.number - 1].path.text ?? ""):\(name)"
    let value = ReadValue(
      declaration: ManifestValue(
        name: name, span: span(entry.key), target: TargetName(home.prefix + target), pick: pick ?? .line(1),
        text: context.values.texts[name]),
      file: home.number, targetPlace: place)
    guard pick != nil else {
      lostValues.append(value)
      return nil
    }
    values.append(value)
    return values.count - 1
  }

  private func readPick(_ fields: Fields<ValueKey>, at name: NodeID) -> ValuePick? {
    let keys = fields.order.filter { $0 != .target }
    if let first = keys.first, let second = keys.dropFirst().first, let entry = fields[second] {
      error(
        "\"\(first.rawValue)\" and \"\(second.rawValue)\" exclude each other", at: entry.key,
        hint: "keep one of them")
    }
    let picks = keys.map { key in fields[key].flatMap { pick(key, $0.value) } }
    guard let pick = picks.first else {
      if !ValueKey.allCases.contains(where: { $0 != .target && fields.mayHide($0.rawValue) }) {
        error(
          "\"line\", \"regex\" or \"json\" is missing", at: name,
          hint: "one of them says which part of the output is the value")
      }
      return nil
    }
    return picks.count == 1 ? pick : nil
  }

  private func pick(_ key: ValueKey, _ id: NodeID) -> ValuePick? {
    switch key {
    case .target: return nil
    case .line:
      let number = integer(id, Want("line", "the number of a line, from 1"), in: 1...1_000_000, .none)
      return number.map { .line(Int($0)) }
    case .regex:
      guard let text = lockedLine(id, Want("regex", "an expression with one group")),
        isUsable(pattern: text, at: id)
      else { return nil }
      return .pattern(text)
    case .json:
      let want = Want("json", "a JSON pointer such as /tag_name")
      guard document[id].kind == .scalar, !document.isNull(id) else {
        unwanted(id, want)
        return nil
      }
      let text = document.text(of: id)
      guard let pointer = JSONPointer(text) else {
        unwanted(text, at: id, want)
        return nil
      }
      return .json(pointer)
    }
  }

  private func isUsable(pattern: String, at id: NodeID) -> Bool {
    guard pattern.utf8.count <= Self.longestPattern else {
      error("\"regex\" has \(pattern.utf8.count) bytes, and \(Self.longestPattern) are allowed", at: id)
      return false
    }
    let shape = PatternShape(pattern)
    if let escape = shape.escape {
      let letter = escape.character
      log.error(
        escape.isInBrackets
          ? "in brackets \\\(letter) is a backslash or the letter \(letter)"
          : "\"regex\" has \\\(letter), which POSIX extended expressions do not have",
        at: span(id, bytes: escape.range), hint: escape.hint)
      return false
    }
    guard shape.cost <= PatternShape.highestCost else {
      error("\"regex\" repeats too much", at: id, hint: "use smaller numbers between { and }, or * and +")
      return false
    }
    // One with more is not even compiled.
    switch shape.groups > 1 ? .groups(shape.groups) : context.lookAtPattern?(pattern) {
    case nil, .groups(1): return true
    case .groups(let count):
      error(
        "\"regex\" has \(count == 0 ? "no group" : "\(count) groups"), and one is needed", at: id,
        hint: "write ( and ) around the value, and nowhere else; \\( is a parenthesis")
    case .invalid(let text):
      error("\"regex\" is not a POSIX extended expression: \(text)", at: id)
    }
    return false
  }

  /// Finds the targets that the values of this file come from, once all names are known that it may mention.
  func findTargetsOfValues() {
    for index in values.indices where values[index].file == home.number {
      var value = values[index]
      findTarget(of: &value)
      values[index] = value
    }
    for var value in lostValues { findTarget(of: &value) }
  }

  /// The one place where the name of a value's target is resolved.
  private func findTarget(of value: inout ReadValue) {
    let full = value.declaration.target.text
    let name = String(decoding: full.utf8.dropFirst(home.prefix.utf8.count), as: UTF8.self)
    switch mentioned(name) {
    case .target(let id):
      let draft = drafts[id.index]
      guard draft.scope.entry == nil, draft.scope.row == nil,
        reader(of: id.index).fields(of: draft.template)[.matrix] == nil
      else {
        return refuseTarget(name, "is made by a matrix or a list", at: value.targetPlace)
      }
      value.target = id
      value.declaration.target = TargetName(draft.name)
    case .group: refuseTarget(name, "is a group", at: value.targetPlace)
    case nil:
      let full = awaitedTemplate(name)?.full
      if let full, lists.excluded.targets[full] != nil {
        // It waits for something itself.
        value.declaration.target = TargetName(full)
      } else if isLost(name) {
        return
      } else if lists.isUsed, full != nil {
        refuseTarget(name, "is made by a list", at: value.targetPlace)
      } else {
        error(
          "unknown target \(quoted(name))", at: value.targetPlace,
          hint: nameHint(name, among: targetNames))
      }
    }
  }

  private func refuseTarget(_ name: String, _ what: String, at place: NodeID) {
    error(
      "\(quoted(name)) \(what), but a value comes from the output of one target", at: place,
      hint: "name a target that has its own entry under \"targets\"")
  }

  func reader(of value: ReadValue) -> ManifestReader {
    value.file == home.number ? self : files?.files[value.file - 1].reader ?? self
  }

  /// A value's target is new before anything uses the value, so the two are not published together.
  func refuseValues(in units: PublishedTogether, _ read: PiecewiseArray<ReadTarget>) {
    for number in values.indices {
      guard let target = values[number].target, let unit = units.unit(of: target) else { continue }
      let users = lists.users.filter { $0.value.contains(number) }.keys.map { TargetID($0) }
      guard let user = users.filter({ units.unit(of: $0) == unit }).min() else { continue }
      let (name, declaration) = (drafts[user.index].name, values[number].declaration)
      log.error(
        "target \(quoted(name)) uses the value \(quoted(declaration.name)), for which target "
          + "\(quoted(declaration.target.text)) comes first; but the group \(quoted(units.name(of: unit).text)) is "
          + "published together",
        at: span(of: user.index, read[user.index].references.first { $0.id == target }?.place),
        hint: "take \(quoted(declaration.target.text)) out of the group")
    }
  }

  /// A folder has no lines.
  func refuseFoldersAsValues(_ read: PiecewiseArray<ReadTarget>) {
    for value in values {
      guard let target = value.target, case .folder? = read[target.index].product else { continue }
      log.error(
        "a value needs a file, but target \(quoted(value.declaration.target.text)) makes a folder",
        at: reader(of: value).span(value.targetPlace))
    }
  }

  /// The values with the targets that use them; valid once all targets are read.
  var declaredValues: [ManifestValue] {
    values.indices.map { number in
      var value = values[number].declaration
      value.users = lists.users.filter { $0.value.contains(number) }.keys.sorted().map { TargetID($0) }
      return value
    }
  }
}

// MARK: Where values are used

extension ManifestReader {
  /// Reads something that cannot contain a value of an output, since it must be known before; `place` is its name.
  func withoutValues<Result>(_ place: String, _ body: () -> Result) -> Result {
    guard variables.haveOutputValues else { return body() }
    let outer = variables.valueFreePlace
    variables.valueFreePlace = outer ?? place
    defer { variables.valueFreePlace = outer }
    return body()
  }

  /// Whether all values are known that were used after the first `before`.
  func areKnown(since before: Int) -> Bool {
    variables.usedValues.count == before
      || variables.usedValues[before...].allSatisfy { values[$0].text != nil }
  }

  /// Notes that the text at `id` has used values.
  func placeValues(from first: Int, at id: NodeID) {
    for number in variables.usedValues[first...] { values[number].usedAt = id }
  }

  /// Reads a target of a manifest with values; what a value makes impossible is no problem of the manifest.
  func readWithValues(_ index: Int) -> ReadTarget {
    let draft = drafts[index]
    let earlier = log
    variables.usedValues = []
    lists.valueFault = nil
    var read = readListed(draft)
    let listed = draft.scope.entry.flatMap { lists.valuesOfLists[$0.scope.template] } ?? []
    let used = Self.distinct(variables.usedValues + listed)
    guard !used.isEmpty else { return read }
    lists.users[index] = used
    blame(used, for: index, read, since: earlier)
    if let unknown = used.first(where: { values[$0].text == nil }) {
      lists.awaited = lists.awaited ?? values[unknown].key
    }
    guard context.values.orders else { return read }
    for number in used {
      guard let id = values[number].target, !context.values.locked.contains(values[number].declaration.name),
        !read.after.contains(id), !read.needs.contains(id),
        read.source != .target(id)
      else { continue }
      read.after.append(id)
      read.references.append(Reference(id: id, place: values[number].usedAt ?? values[number].targetPlace))
    }
    return read
  }

  /// Reads a template or a target without a name, for its problems; those that a value makes are its targets'.
  @discardableResult func readForProblems(_ draft: TargetDraft) -> ReadTarget {
    guard !values.isEmpty else { return readTarget(draft) }
    let earlier = log
    variables.usedValues = []
    let read = readTarget(draft)
    if variables.usedValues.contains(where: { values[$0].text != nil }) { log = earlier }
    return read
  }

  /// The first known value that a target uses, which is to blame for its problems: what is wrong with the manifest itself
  /// was found by the reading that knew no value.
  func knownValue(of index: Int) -> Int? { firstKnown(lists.users[index] ?? []) }

  private func firstKnown(_ used: [Int]) -> Int? { used.first { values[$0].text != nil } }

  /// Makes the new problems a fault of the first known value among `used`.
  private func blame(_ used: [Int], for index: Int, _ read: ReadTarget, since earlier: DiagnosticLog) {
    guard let known = firstKnown(used) else { return }
    let message = log.first(after: earlier).map { SignatureMask.mask(secrets.mask($0.message)) }
    let fault = lists.valueFault ?? message.map { (value: known, fault: ValueFault.refused($0)) }
    guard let fault else { return }
    log = earlier
    refuse(index, read, fault)
  }

  /// The same of a target that may use no value.
  func blameValues(for index: Int, _ read: ReadTarget, since earlier: DiagnosticLog) {
    if let used = lists.users[index] { blame(used, for: index, read, since: earlier) }
  }

  /// Leaves out a target that a value makes impossible.
  private func refuse(_ index: Int, _ read: ReadTarget, _ fault: (value: Int, fault: ValueFault)) {
    let value = values[fault.value].declaration
    let problem = ValueProblem(variable: value.name, target: value.target, fault.fault)
    let draft = drafts[index]
    if let entry = draft.scope.entry {
      return refuse(entry.scope.template, .value(problem))
    }
    guard lists.found.faults[draft.name] == nil else { return }
    lists.found.targets[draft.name] = value.key
    lists.found.settings[draft.name] = read.shared.values
    lists.found.known[draft.name] = knownParts(read, draft)
    lists.found.faults[draft.name] = problem
  }

  /// Whether a value is to blame for the conflict of two outputs; the target that uses it is refused then.
  func refuseValue(_ conflict: OutputConflict, _ read: PiecewiseArray<ReadTarget>) -> Bool {
    for (own, other) in [(conflict.second, conflict.first), (conflict.first, conflict.second)] {
      guard let value = knownValue(of: own), let output = read[own].output else { continue }
      refuse(own, read[own], (value, .outputTaken(output.text, other: drafts[other].name)))
      return true
    }
    return false
  }

  /// Whether a value may have made the output of a target, of which the message says why it is impossible; the target is
  /// refused then.
  func refuseValue(of index: Int, _ read: PiecewiseArray<ReadTarget>, _ message: String) -> Bool {
    guard let value = knownValue(of: index) else { return false }
    refuse(index, read[index], (value, .refused(SignatureMask.mask(secrets.mask(message)))))
    return true
  }

  /// The output of a target with `from` is named after one that a value may have named.
  func inheritValues(_ index: Int, _ read: PiecewiseArray<ReadTarget>, since earlier: DiagnosticLog) {
    guard case .target(let input)? = read[index].source, let used = lists.users[input.index] else { return }
    lists.users[index] = Self.distinct((lists.users[index] ?? []) + used)
    lists.valueFault = nil
    blame(used, for: index, read[index], since: earlier)
  }

  /// Whether each of these values may be a part of an output; if not, it is a fault of that value.
  func areSafe(_ used: ArraySlice<Int>) -> Bool {
    for number in used {
      guard let text = values[number].text else { continue }
      do throws(ListedPath.Fault) { try ListedPath.check(text, tree: false) } catch {
        lists.valueFault = lists.valueFault ?? (number, .badPath(error, value: text))
        return false
      }
    }
    return true
  }

  /// The same for an output that a URL with a value has named.
  func isSafe(_ output: RelativePath?) -> Bool {
    guard let output, let number = variables.usedValues.last else { return true }
    let name = String(decoding: output.text.utf8.dropFirst(home.folder.utf8.count), as: UTF8.self)
    do throws(ListedPath.Fault) { try ListedPath.check(name, tree: false) } catch {
      lists.valueFault = lists.valueFault ?? (number, .badPath(error, value: name))
      return false
    }
    return true
  }

  /// Whether a URL that a value is a part of leads to a server; if not, it is a fault of that value.
  func isWeb(_ url: SourceURL) -> Bool {
    if case .web = url { return true }
    guard let number = variables.usedValues.last else { return true }
    lists.valueFault = lists.valueFault ?? (number, .notWeb(url.shown))
    return false
  }

  /// A target with `list` whose list is not known because of a value; `nil` if it can be read.
  func waitingList(_ name: String, _ entry: MappingEntry, since earlier: DiagnosticLog) -> WaitingTarget? {
    let used = Self.distinct(variables.usedValues)
    guard let first = used.first else { return nil }
    lists.valuesOfLists[name] = used
    var waiting = WaitingTarget(
      name: TargetName(name), span: span(entry.key), template: values[first].key,
      settings: Shared(TargetSettings()))
    if let unknown = used.first(where: { values[$0].text == nil }) {
      waiting.template = values[unknown].key
      return waiting
    }
    let message = log.first(after: earlier).map { SignatureMask.mask(secrets.mask($0.message)) }
    let found = lists.valueFault ?? message.map { (value: first, fault: ValueFault.refused($0)) }
    guard let found else { return nil }
    log = earlier
    let value = values[found.value].declaration
    waiting.fault = ValueProblem(variable: value.name, target: value.target, found.fault)
    return waiting
  }

  private static func distinct(_ numbers: [Int]) -> [Int] {
    var distinct: [Int] = []
    for number in numbers where !distinct.contains(number) { distinct.append(number) }
    return distinct
  }
}
