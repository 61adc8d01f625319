extension ManifestReader {
  private struct Definition {
    var name: String
    var node: NodeID
    /// `nil` if it has an error and nothing else must be checked.
    var template: Template?
    /// Whether ``template`` is only the correct part of the text.
    var isFaulty = false
    /// Its number among the values of outputs; `nil` for a text.
    var value: Int?
    /// The variables it refers to, by place among the definitions.
    var references: [Int] = []
    var state = State.new

    enum State { case new, open, done }
  }

  /// Defines everything under `vars`; a variable may refer to others, above or below it.
  func readVariables(_ id: NodeID) {
    guard let entries = entries(of: id, Want("vars", "a mapping from name to value")) else { return }
    var definitions = self.definitions(entries)
    defer { variables.usedValues = [] }
    for index in definitions.indices where definitions[index].state == .new { resolve(index, &definitions) }
  }

  /// The definitions, each with the places of those that it refers to.
  private func definitions(_ entries: Mapping) -> [Definition] {
    var definitions: [Definition] = []
    var places: [String: Int] = [:]
    for entry in entries {
      let name = document.text(of: entry.key)
      guard Template.isVariableName(name) else {
        error("\(quoted(name)) is not a variable's name", at: entry.key, hint: Template.nameHint)
        continue
      }
      places[name] = definitions.count
      definitions.append(definition(name, entry))
    }
    for index in definitions.indices {
      definitions[index].references =
        definitions[index].template?.variableNames.compactMap { places[$0] } ?? []
      // Until it is resolved it counts as known, so that it is not reported as undefined.
      let (name, value) = (definitions[index].name, definitions[index].value)
      variables.define(name, value.map { ExpandedText(text: values[$0].text ?? "${\(name)}") })
      if let value { variables.note(value: value, as: name) }
    }
    return definitions
  }

  private func definition(_ name: String, _ entry: MappingEntry) -> Definition {
    let id = entry.value
    guard document[id].kind != .mapping else {
      return Definition(name: name, node: id, value: readValue(name, entry))
    }
    guard document[id].kind == .scalar, !document.isNull(id) else {
      unwanted(id, Want("the variable \"\(name)\"", "text"))
      return Definition(name: name, node: id)
    }
    do throws(Template.Faults) {
      return Definition(name: name, node: id, template: try Template(document.text(of: id)))
    } catch {
      report(error, at: id)
      return Definition(name: name, node: id, template: error.rest, isFaulty: true)
    }
  }

  /// The variables that a variable refers to come first; without recursion, since chains may be as long as the
  /// file.
  private func resolve(_ index: Int, _ definitions: inout [Definition]) {
    var stack = [(index: index, next: 0)]
    definitions[index].state = .open
    while let (top, next) = stack.last {
      let references = definitions[top].references
      if next < references.count {
        stack[stack.count - 1].next += 1
        let reference = references[next]
        switch definitions[reference].state {
        case .done: continue
        case .new:
          definitions[reference].state = .open
          stack.append((reference, 0))
        case .open: reportCycle(stack.map(\.index), from: reference, &definitions)
        }
      } else {
        stack.removeLast()
        definitions[top].state = .done
        guard let template = definitions[top].template else { continue }
        variables.usedValues = []
        let value = expand(template, at: definitions[top].node, .none, orStandIn: true)
        if !variables.usedValues.isEmpty {
          variables.note(values: variables.usedValues, in: definitions[top].name)
        }
        variables.define(definitions[top].name, definitions[top].isFaulty ? nil : value)
      }
    }
  }

  private func reportCycle(_ stack: [Int], from start: Int, _ definitions: inout [Definition]) {
    let cycle = stack[(stack.firstIndex(of: start) ?? 0)...]
    let names = (cycle.map { definitions[$0].name } + [definitions[start].name]).joined(separator: " -> ")
    error("variables in a cycle: \(names)", at: definitions[start].node)
    for index in cycle { definitions[index].template = nil }
  }
}
