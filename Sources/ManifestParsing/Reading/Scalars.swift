import SyncModel

extension ManifestReader {
  /// A scalar's text with variables expanded; `nil` after an error, or if a value is not known yet.
  ///
  /// `want` is evaluated only for an error. With `orStandIn`, `${name}` stands for a value that is not known yet.
  func expanded(
    _ id: NodeID, _ want: @autoclosure () -> Want, _ scope: Scope = .none, orStandIn: Bool = false
  ) -> ExpandedText? {
    if let row = scope.row, row.isAtRow, let text = rowTexts[id],
      !variables.isInPattern || !text.isSpecial(row)
    {
      if let text = variables.expand(text, row) { return text }
    }
    let node = document[id]
    guard node.kind == .scalar, !document.isNull(id) else {
      unwanted(id, want())
      return nil
    }
    if scope.entry?.index != nil, let template = parsed[id] {
      return expand(template, at: id, scope, orStandIn: orStandIn)
    }
    let text = document.text(of: id)
    if Template.isPlain(text) { return ExpandedText(text: text) }
    return expand(text, at: id, scope, orStandIn: orStandIn)
  }

  func text(_ id: NodeID, _ want: @autoclosure () -> Want, _ scope: Scope = .none) -> String? {
    expanded(id, want(), scope)?.text
  }

  /// Text that is not empty and has no control character, so that it fits on a line.
  func line(_ id: NodeID, _ want: Want, _ scope: Scope = .none) -> String? {
    guard let text = text(id, want, scope) else { return nil }
    guard !text.isEmpty else {
      unwanted(text, at: id, want)
      return nil
    }
    return hasNoControl(text, at: id, want) ? text : nil
  }

  /// Text that is a name and is printed unchanged: without secrets.
  func name(_ id: NodeID, _ want: Want, _ scope: Scope = .none) -> String? {
    expanded(id, want, scope).flatMap { name($0, at: id, want) }
  }

  /// The same of an expanded text.
  func name(_ expanded: ExpandedText, at id: NodeID, _ want: Want) -> String? {
    guard !expanded.isSecret else {
      error("a secret cannot be part of \(want.shown)", at: id, hint: "names are printed; use ${env:NAME}")
      return nil
    }
    return expanded.text
  }

  /// Whether `text` has no control characters; reports one.
  func hasNoControl(_ text: String, at id: NodeID, _ want: Want) -> Bool {
    guard let bad = Quoting.firstControl(text) else { return true }
    // Such is the content of a file that a shell did not read.
    let newline = UInt8(ascii: "\n")
    let isOfVariable = text.utf8.last == newline && document.text(of: id).utf8.last != newline
    error(
      "control character \(Quoting.codePoint(bad.value)) in \(want.shown)", at: id,
      hint: isOfVariable ? "the value of the variable ends in a newline: set it without one" : nil)
    return false
  }

  func integer(_ id: NodeID, _ want: Want, in range: ClosedRange<Int64>, _ scope: Scope) -> Int64? {
    guard let text = text(id, want, scope) else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      unwanted(text, at: id, want)
      return nil
    }
    guard let number = Int64(text), range.contains(number) else {
      error(
        "\(want.shown) must be between \(range.lowerBound) and \(range.upperBound), not \(quoted(text))",
        at: id)
      return nil
    }
    return number
  }

  func boolean(_ id: NodeID, _ want: Want, _ scope: Scope) -> Bool? {
    guard let text = text(id, want, scope) else { return nil }
    switch text {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default:
      let hint: String? =
        switch text.lowercased() {
        case "yes", "on", "y": "write \"true\""
        case "no", "off", "n": "write \"false\""
        default: nil
        }
      unwanted(text, at: id, want, hint: hint)
      return nil
    }
  }

  /// One of the words of `Word`.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ id: NodeID, _ key: String, _ words: Word.Type, _ scope: Scope
  ) -> Word? {
    let known = Word.allCases.map(\.rawValue)
    let want = Want(key, Quoting.list(known))
    guard let text = text(id, want, scope) else { return nil }
    if let word = Word(rawValue: text) { return word }
    unwanted(text, at: id, want, hint: didYouMean(text, among: known))
    return nil
  }

  /// The items of a list.
  func items(_ id: NodeID, _ want: Want) -> ArraySlice<NodeID>? {
    guard document[id].kind == .sequence else {
      let isText = document[id].kind == .scalar && !document.isNull(id)
      unwanted(id, want, hint: isText ? "write [\(document.text(of: id))]" : nil)
      return nil
    }
    return document.children(of: id)
  }

  private func expand(_ text: String, at id: NodeID, _ scope: Scope, orStandIn: Bool) -> ExpandedText? {
    do throws(Template.Faults) {
      let template = try Template(text)
      if scope.entry?.index != nil { parsed[id] = template }
      if let row = scope.row, row.isAtRow, values.isEmpty {
        rowTexts[id] = variables.rowText(template, row, scope)
      }
      return expand(template, at: id, scope, orStandIn: orStandIn)
    } catch {
      report(error, at: id)
      _ = expand(error.rest, at: id, scope, orStandIn: orStandIn)
      return nil
    }
  }

  func report(_ faults: Template.Faults, at id: NodeID) {
    for fault in faults.all { log.error(fault.message, at: span(id, bytes: fault.range), hint: fault.hint) }
  }

  func expand(_ template: Template, at id: NodeID, _ scope: Scope, orStandIn: Bool) -> ExpandedText? {
    let before = variables.usedValues.count
    defer { if variables.usedValues.count > before { placeValues(from: before, at: id) } }
    do throws(Variables.Faults) {
      let text = try variables.expand(template, scope)
      return orStandIn || areKnown(since: before) ? text : nil
    } catch {
      for fault in error.all { report(fault, at: id, scope) }
      return nil
    }
  }

  /// The hint for a variable that is named as those of a list's entry are; `nil` for others.
  private func entryHint(_ name: String, _ scope: Scope) -> String? {
    guard name.hasPrefix(EntryScope.prefix) else { return nil }
    guard let entry = scope.entry else {
      return "only the name and the other keys of a target with \"list\" have an entry"
    }
    return "an entry of this list has \(Quoting.list(entry.scope.fields.names, "and"))"
  }

  /// The hint for a variable that has no other one; it must not lead to the next error.
  private func definitionHint(_ name: String) -> String {
    // As other programs write it.
    for (prefix, kind) in [("env.", "env"), ("secret.", "secret"), ("secrets.", "secret")]
    where name.hasPrefix(prefix) {
      let own = String(name.dropFirst(prefix.count))
      if Template.isEnvironmentName(own) { return "write ${\(kind):\(own)}" }
    }
    let isOfEnvironment = Template.isEnvironmentName(name)
    return "define it under \"vars\""
      + (isOfEnvironment ? ", or write ${env:\(name)} for an environment variable" : "")
  }

  private func report(_ fault: Variables.Fault, at id: NodeID, _ scope: Scope) {
    switch fault {
    case .silent: break
    case .entry(let fault): lists.fault = lists.fault ?? fault
    case .outputValue(let name, let place, let range):
      log.error(
        "\(place) cannot contain \"\(name)\", whose value comes from the output of a target",
        at: span(id, bytes: range), hint: "use it in the other keys of a target")
    case .undefined(let name, let range):
      let hint =
        (EntryScope.isField(name)
          ? nil : didYouMean(name, among: variables.names + scope.knownNames + BuiltInVariables.names))
        ?? entryHint(name, scope)
        ?? definitionHint(name)
      log.error("undefined variable \"\(name)\"", at: span(id, bytes: range), hint: hint)
    case .environmentUndefined(let name, let range):
      log.error(
        "environment variable \"\(name)\" is not set", at: span(id, bytes: range),
        hint: "set it, or give a default: ${env:\(name):-default}")
    case .secretUndefined(let name, let isEmpty, let range):
      log.error(
        "secret \"\(name)\" is \(isEmpty ? "empty" : "not set")", at: span(id, bytes: range),
        hint: "set the environment variable \(name)")
    case .secretFile(let path, let fault, let range):
      log.error(
        "the secret file \(quoted(path)) cannot be used: \(fault.message)", at: span(id, bytes: range),
        hint: fault.hint)
    case .forbidden(let name?, let range):
      log.error(
        "an untrusted manifest may not read the environment variable \"\(name)\"", at: span(id, bytes: range),
        hint: "`env` of a policy (--policy FILE) allows variables")
    case .forbidden(nil, let range):
      log.error("an untrusted manifest may not have secrets", at: span(id, bytes: range))
    case .tooLong: error("this is longer than 1 MiB after variables are expanded", at: id)
    case .budgetSpent: error("the manifest is longer than 256 MiB after variables are expanded", at: id)
    }
  }
}
