import SyncModel

extension ManifestReader {
  /// Joins the parts after reading; contains the checks that need all targets.
  func assemble(_ read: [ReadTarget], groups: [TargetGroup], hosts: HostLimits) -> Manifest? {
    var read = read
    let isAcyclic = refuseCycles(read)
    if isAcyclic { nameOutputsOfDerived(&read) }
    refuseConflicts(read)
    guard log.isEmpty else { return nil }
    let targets = read.compactMap(target)
    guard targets.count == read.count else { return nil }
    return Manifest(
      fileName: context.fileName, targets: targets, groups: groups, hosts: hosts,
      secrets: secrets(of: targets))
  }

  /// With those that only a request makes of them.
  private func secrets(of targets: [Target]) -> SecretMask {
    var mask = secrets
    guard !mask.isEmpty else { return mask }
    var seen: Set<Authentication> = []
    for target in targets {
      guard case .basic(let user, let password)? = target.authentication,
        seen.insert(.basic(user: user, password: password)).inserted
      else { continue }
      mask.addBasic(user: user.text, password: password.text)
    }
    return mask
  }

  private func target(_ read: ReadTarget) -> Target? {
    guard let source = read.source, let output = read.output else { return nil }
    let settings = read.settings
    var freshness: FreshnessRule? = settings.freshness
    if case .target = source { freshness = nil }
    return Target(
      id: read.draft.id, name: TargetName(read.draft.name), span: span(templates[read.draft.template].key),
      source: source, output: output, freshness: freshness, steps: settings.steps, needs: read.needs,
      after: read.after, headers: settings.headers, authentication: settings.authentication,
      retries: settings.retries, timeouts: settings.timeouts, maxSize: settings.maxSize, mode: settings.mode,
      localChanges: settings.localChanges, unprovenLength: settings.unprovenLength,
      serverDigest: settings.serverDigest,
      isOptional: settings.isOptional, summary: settings.summary, tags: settings.tags)
  }

  /// Whether no target depends on itself; reports a cycle.
  private func refuseCycles(_ read: [ReadTarget]) -> Bool {
    var order: [Int] = []
    let finder = CycleFinder(count: read.count) { read[$0].references.map(\.id.index) }
    let cycles = finder.cycles(order: &order)
    for cycle in cycles {
      let names = (cycle + [cycle[0]]).map { read[$0].draft.name }.joined(separator: " -> ")
      let next = cycle.count > 1 ? cycle[1] : cycle[0]
      let place = read[cycle[0]].references.first { $0.id.index == next }?.place
      error("targets in a cycle: \(names)", at: place ?? templates[read[cycle[0]].draft.template].key)
    }
    return cycles.isEmpty
  }

  /// A target with `from` and no `output` is named after its input, less what its steps unpack.
  private func nameOutputsOfDerived(_ read: inout [ReadTarget]) {
    var isNamed = read.map { $0.output != nil || !isNameless($0) }
    for start in read.indices where !isNamed[start] {
      var chain = [start]
      while case .target(let input)? = read[chain[chain.count - 1]].source, !isNamed[input.index] {
        chain.append(input.index)
      }
      for index in chain.reversed() {
        nameOutput(index, &read)
        isNamed[index] = true
      }
    }
  }

  private func isNameless(_ read: ReadTarget) -> Bool {
    let fields = templates[read.draft.template].fields
    guard case .target? = read.source, fields[.output] == nil, !fields.mayHide("output") else { return false }
    return read.output == nil
  }

  private func nameOutput(_ index: Int, _ read: inout [ReadTarget]) {
    guard case .target(let input)? = read[index].source, let path = read[input.index].output else { return }
    log.reportsPlacesOnce = read[index].draft.isRepetition
    defer { log.reportsPlacesOnce = false }
    let unpacked = OutputName.unpacked(path.name, read[index].settings.steps)
    guard unpacked != path.name,
      let output = try? RelativePath((path.parentParts.map(String.init) + [unpacked]).joined(separator: "/"))
    else {
      error(
        "the output would be the same as that of \(quoted(read[input.index].draft.name)): \(quoted(path.text))",
        at: read[index].outputPlace, hint: "set \"output\"")
      return
    }
    read[index].output = usable(output, at: read[index].outputPlace)
  }

  private func refuseConflicts(_ read: [ReadTarget]) {
    let conflicts = OutputConflict.find(read.map(\.output)).sorted { $0.second < $1.second }
    for conflict in conflicts {
      let (first, second) = (read[conflict.first], read[conflict.second])
      guard let path = second.output, let other = first.output else { continue }
      log.reportsPlacesOnce = second.draft.isRepetition
      defer { log.reportsPlacesOnce = false }
      let name = quoted(first.draft.name)
      guard !conflict.isSame else {
        error(
          "duplicate output \(quoted(path.text))", at: second.outputPlace,
          hint: "target \(name) has the same output")
        continue
      }
      let isFolder = path.isFolder(of: other)
      error(
        "output \(quoted(path.text)) is \(isFolder ? "a folder of" : "inside") the output \(quoted(other.text))",
        at: second.outputPlace, hint: "that is the output of target \(name)")
    }
  }
}
