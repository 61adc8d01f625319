import SyncModel

extension ManifestReader {
  /// Joins the parts after reading, those of included files too; contains the checks that need all targets.
  func assemble(_ read: consuming PiecewiseArray<ReadTarget>, groups: [TargetGroup], hosts: HostLimits)
    -> Manifest?
  {
    var read = read
    findWaiting(read, groups)
    let units = PublishedTogether(groups, targets: read.count)
    let isAcyclic = refuseCycles(read)
    if isAcyclic {
      nameOutputsOfDerived(&read)
      refuseUnits(units, read)
    }
    if !isAlone { refusePlaces(&read) }
    refuseConflicts(read)
    refuseFoldersAsFiles(read)
    refuseFoldersAsValues(read)
    refuseOutputsAsLists(read)
    refuseUnorderedFiles(read, units)
    guard log.isEmpty, !lists.mustRepeat else { return nil }
    let files = (self.files?.readers ?? []) + [self]
    let spans = files.map { file in
      (
        end: file === self ? drafts.count : self.files?.endOfTargets(file.home.number) ?? first.target,
        spans: file.templates.map { file.span($0.key) }
      )
    }
    let uses = files.reduce(into: Set<String>()) { $0.formUnion($1.usedFields) }
    for file in files { file.forgetDocument() }
    guard let targets = targets(&read, spans) else { return nil }
    var manifest = Manifest(
      fileName: context.fileName, targets: targets, groups: groups, hosts: hosts,
      secrets: secrets(of: targets))
    manifest.place = context.place
    manifest.rowFiles = tables.compactMap { table in
      table.sum.map { ManifestFile(path: table.path, sum: $0) }
    }
    if let files = self.files {
      manifest.included = files.files.map { ManifestFile(path: $0.path, sum: $0.sum) }
      manifest.includePatterns = files.patterns
    }
    manifest.templates = lists.templates
    for place in manifest.templates.indices { manifest.templates[place].uses = uses }
    manifest.waiting = lists.omitted
    manifest.absentEntries = lists.excluded.absent.merging(lists.found.absent) { $0.union($1) }
    manifest.values = declaredValues
    return manifest
  }

  /// The fields of lists' entries that the manifest has used.
  private var usedFields: Set<String> {
    let names = parsed.values.flatMap(\.variableNames).filter { $0.hasPrefix(EntryScope.prefix) }
    return Set(names.map { String($0.dropFirst(EntryScope.prefix.count)) })
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

  /// Makes the targets; `spans` are those of the templates of each file, and where its targets end. Frees `read` and the
  /// drafts.
  private func targets(
    _ read: inout PiecewiseArray<ReadTarget>, _ spans: [(end: Int, spans: [SourceSpan])]
  ) -> [Target]? {
    names = TextIndex()
    var targets: [Target] = []
    targets.reserveCapacity(read.count)
    var file = 0
    // A copy of the pair for each target would count its users up and down.
    var ownSpans = spans[0].spans
    for index in read.indices {
      read.dropPiece(before: index)
      drafts.dropPiece(before: index)
      while index >= spans[file].end {
        file += 1
        ownSpans = spans[file].spans
      }
      // What a target keeps is moved: a copy of each would cost more than the rest of this loop.
      guard let source = read[index].source.take(), let output = read[index].output.take() else { return nil }
      targets.append(
        Target(
          id: TargetID(index), name: TargetName(drafts[index].name),
          span: ownSpans[drafts[index].template], source: source, output: output,
          needs: read[index].needs, after: read[index].after, settings: read[index].shared.values))
    }
    (read, drafts) = ([], [])
    return targets
  }

  /// Whether no target depends on itself; reports a cycle.
  private func refuseCycles(_ read: PiecewiseArray<ReadTarget>) -> Bool {
    guard read.contains(where: { !$0.references.isEmpty }) else { return true }
    var order: [Int] = []
    let finder = CycleFinder(count: read.count) { read[$0].references.map(\.id.index) }
    let cycles = finder.cycles(order: &order)
    for cycle in cycles {
      let names = (cycle + [cycle[0]]).map { drafts[$0].name }.joined(separator: " -> ")
      let next = cycle.count > 1 ? cycle[1] : cycle[0]
      let place = read[cycle[0]].references.first { $0.id.index == next }?.place
      log.error("targets in a cycle: \(names)", at: span(of: cycle[0], place))
    }
    return cycles.isEmpty
  }

  /// A target is in one unit at most, and no unit waits for itself; `read` has no cycle without units.
  private func refuseUnits(_ units: PublishedTogether, _ read: PiecewiseArray<ReadTarget>) {
    for overlap in units.overlaps {
      log.error(
        "target \(quoted(drafts[overlap.target.index].name)) is in two groups that are published together: "
          + "\(quoted(overlap.first.text)) and \(quoted(overlap.second.name.text))",
        at: overlap.second.span, hint: "a target is published with one group only")
    }
    guard units.overlaps.isEmpty, !units.isEmpty else { return }
    refuseValues(in: units, read)
    // A unit is a node of its own, after the targets.
    func neighbours(_ node: Int) -> [Int] {
      guard node < read.count else { return units.members(of: node - read.count).map(\.index) }
      return read[node].references.map { reference in
        units.unit(of: reference.id, neededBy: TargetID(node)).map { read.count + $0 } ?? reference.id.index
      }
    }
    var order: [Int] = []
    for cycle in CycleFinder(count: read.count + units.count, neighbours: neighbours).cycles(order: &order) {
      refuse(cycle, units, read)
    }
  }

  /// A cycle whose numbers from that of the targets on are units; the first is a target.
  private func refuse(_ cycle: [Int], _ units: PublishedTogether, _ read: PiecewiseArray<ReadTarget>) {
    let first = TargetID(cycle[0])
    let names = (cycle + [cycle[0]]).map { node in
      node < read.count ? drafts[node].name : units.name(of: node - read.count).text
    }
    let place = read[first.index].references.first { reference in
      let unit = units.unit(of: reference.id, neededBy: first)
      return (unit.map { read.count + $0 } ?? reference.id.index) == cycle[1]
    }?.place
    let unit = cycle.first { $0 >= read.count }.map { units.name(of: $0 - read.count).text } ?? ""
    log.error(
      "targets in a cycle: \(names.joined(separator: " -> "))", at: span(of: first.index, place),
      hint:
        "the group \(quoted(unit)) is published together: what needs one of its targets waits for all of them"
    )
  }

  /// A target with `from` and no `output` is named after its input, less what its steps unpack.
  private func nameOutputsOfDerived(_ read: inout PiecewiseArray<ReadTarget>) {
    var isNamed = read.indices.map { read[$0].output != nil || !isNameless(read[$0], $0) }
    for start in read.indices where !isNamed[start] {
      var chain = [start]
      while case .target(let input)? = read[chain[chain.count - 1]].source, !isNamed[input.index] {
        chain.append(input.index)
      }
      for index in chain.reversed() {
        // A copy of the log, which then grows by copying, is made only if values may be to blame.
        let earlier = lists.users.isEmpty ? nil : log
        nameOutput(index, &read)
        if let earlier { inheritValues(index, read, since: earlier) }
        isNamed[index] = true
      }
    }
  }

  /// A folder has no bytes that another target could be made from, or lines to read.
  private func refuseFoldersAsFiles(_ read: PiecewiseArray<ReadTarget>) {
    guard read.contains(where: { if case .folder? = $0.product { true } else { false } }) else { return }
    for (index, target) in read.enumerated() {
      var sources: [(TargetID, what: String)] = []
      if case .target(let id)? = target.source { sources.append((id, "\"from\"")) }
      if case .digest(let rule)? = target.settings.values.freshness?.innermost,
        case .entry(let id, _) = rule.expected
      {
        sources.append((id, "\"freshness\""))
      }
      for case .verifyDigest(_, .entry(let id, _)) in target.settings.values.steps {
        sources.append((id, "\"verify\""))
      }
      for (id, what) in sources {
        guard case .folder? = read[id.index].product else { continue }
        log.reportsPlacesOnce = drafts[index].isRepetition
        defer { log.reportsPlacesOnce = false }
        let place = target.references.first { $0.id == id }?.place ?? target.outputPlace
        log.error(
          "\(what) needs a file, but target \(quoted(drafts[id.index].name)) makes a folder",
          at: span(of: index, place),
          hint: "use \"needs\" to depend on the folder")
      }
    }
  }

  /// A list is read before any target is brought up to date, so that no target may make it.
  ///
  /// An output that a list or a value names is theirs to answer for: it is not refused here.
  private func refuseOutputsAsLists(_ read: PiecewiseArray<ReadTarget>) {
    var templates: [RelativePath: String] = [:]
    for list in lists.templates.map(\.list) {
      guard case .file(let path, _) = list.url, let path = try? RelativePath(path) else { continue }
      templates[path] = list.template
    }
    guard !templates.isEmpty else { return }
    for (index, target) in read.enumerated()
    where drafts[index].scope.entry == nil && knownValue(of: index) == nil {
      guard let output = target.output, let template = templates[output] else { continue }
      log.error(
        "output \(quoted(output.text)) is where the list of \(quoted(template)) is, which is read before any target is updated",
        at: span(of: index, target.outputPlace),
        hint: "give the list the URL of this target, or keep the list in a file that no target makes")
    }
  }

  private func isNameless(_ read: ReadTarget, _ index: Int) -> Bool {
    guard case .target? = read.source else { return false }
    let fields = reader(of: index).fields(of: drafts[index].template)
    guard fields[.output] == nil, !fields.mayHide("output") else { return false }
    return read.output == nil
  }

  private func nameOutput(_ index: Int, _ read: inout PiecewiseArray<ReadTarget>) {
    guard case .target(let input)? = read[index].source, let path = read[input.index].output else { return }
    log.reportsPlacesOnce = drafts[index].isRepetition
    defer { log.reportsPlacesOnce = false }
    let place = span(of: index, read[index].outputPlace)
    guard !read[index].settings.values.steps.contains(where: \.isUnpack) else {
      log.error(
        "\"unpack\" needs an \"output\": the name of an archive does not say that of its file", at: place,
        hint: "set \"output\"")
      return
    }
    let unpacked = OutputName.unpacked(path.name, read[index].settings.values.steps)
    guard unpacked != path.name,
      let output = try? RelativePath((path.parentParts.map(String.init) + [unpacked]).joined(separator: "/"))
    else {
      log.error(
        "the output would be the same as that of \(quoted(drafts[input.index].name)): \(quoted(path.text))",
        at: place, hint: "set \"output\"")
      return
    }
    read[index].output = usableFile(output, in: place)
  }

  private func refuseConflicts(_ read: PiecewiseArray<ReadTarget>) {
    let conflicts = OutputConflict.find(read.indices.lazy.map { read[$0].output }).sorted {
      $0.second < $1.second
    }
    for conflict in conflicts {
      let (first, second) = (read[conflict.first], read[conflict.second])
      let place = span(of: conflict.second, second.outputPlace)
      guard let path = second.output, let other = first.output, !refuseOutput(conflict, read),
        !refuseValue(conflict, read), !refuseRow(conflict, path, at: place)
      else { continue }
      log.reportsPlacesOnce = drafts[conflict.second].isRepetition
      defer { log.reportsPlacesOnce = false }
      let firstPlace = span(of: conflict.first, first.outputPlace)
      // A line of the same file is found without a word.
      let isElsewhere = firstPlace.file != place.file
      let name =
        quoted(drafts[conflict.first].name) + (isElsewhere ? " at \(self.place(firstPlace))" : "")
      guard !conflict.isSame else {
        // An alias has both at one place.
        let hint =
          firstPlace == place
          ? "targets \(name) and \(quoted(drafts[conflict.second].name)) have the same output: write another \"output\""
          : "target \(name) has the same output: write another \"output\""
        log.error("duplicate output \(quoted(path.text))", at: place, hint: hint)
        continue
      }
      let isFolder = path.isFolder(of: other)
      log.error(
        "output \(quoted(path.text)) is \(isFolder ? "a folder of" : "inside") the output \(quoted(other.text))",
        at: place, hint: "that is the output of target \(name)")
    }
    reportConflictsOfRows()
  }

  /// Refuses an output at the place of a row file. Another manifest may have named that file later.
  private func refusePlaces(_ read: inout PiecewiseArray<ReadTarget>) {
    guard !tables.isEmpty else { return }
    for index in read.indices {
      guard let output = read[index].output else { continue }
      let earlier = log
      read[index].output = usable(output, in: span(of: index, read[index].outputPlace))
      if !lists.users.isEmpty { blameValues(for: index, read[index], since: earlier) }
    }
  }

  /// A place in the file of a target, by default that of its name.
  func span(of target: Int, _ place: NodeID?) -> SourceSpan {
    place.map { reader(of: target).span($0) } ?? keySpan(of: target)
  }
}
