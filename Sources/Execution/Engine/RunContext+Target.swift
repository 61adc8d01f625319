import Planning
import SyncModel

/// The facts of one target when its turn comes.
extension RunContext {
  /// What became of the target before the whole manifest was known, which is settled now; `nil` if it was not looked at.
  func earlierResult(of id: TargetID) -> TargetResult? {
    guard !settings.earlier.ended.isEmpty, var result = settings.earlier.ended[target(id).name] else {
      return nil
    }
    result.id = id
    settle(id, content: result.content ?? records.record(for: target(id))?.content)
    return result
  }

  /// Whether the target's output is removed once everything else has succeeded, since its entry has left its list.
  func isLeaving(_ id: TargetID) -> Bool {
    manifest[id].gone?.fate == .removed && !settings.overrides.assumedOld.contains(id)
  }

  /// The input of the rules for a target, as far as an observation and its record provide it.
  func question(on id: TargetID) -> FreshnessQuestion {
    let target = manifest[id]
    var directive = FreshnessQuestion.Directive.none
    if settings.overrides.forcesAll || settings.overrides.assumedNew.contains(id) { directive = .force }
    if settings.overrides.assumedOld.contains(id) { directive = .assumeFresh }
    // Options such as -B are for what the shard owns.
    let seed = settings.overrides.seedWork?.seed(for: id)
    if seed != nil { directive = .none }
    var (record, pending) = (records.record(for: target), records.pending(for: target))
    var output: OutputObservation?
    var isUnlisted = false
    if target.output.isFolder, let trees = state.trees {
      let (found, listing) = trees.look(target.path, keepingEdits: keepsEdits(target))
      output = found
      isUnlisted = listing == nil
      if isUnlisted { (record, pending) = (nil, nil) }
    }
    // A version that was recorded before may come again.
    let isNew = record == nil && pending == nil
    let seen = output ?? (isNew ? root.observeUnpublished(target.path) : root.observe(target.path))
    if let own = record, own.output == target.path, case .file(let here) = seen, here != own.signature,
      state.trees?.isWrittenOver(own, of: target, records) == true
    {
      (record, pending, isUnlisted) = (nil, nil, true)
    }
    var question = FreshnessQuestion(
      target: target, definition: Definition.fields(of: target, in: manifest), record: record,
      pending: pending, output: seen, directive: directive,
      overwritesEdits: settings.overrides.overwritesEdits, now: clock.now(),
      pin: workspace.pin(of: target))
    question.lockedOutput = workspace.lock?.pins[target.name]?.output.sha256
    question.isUnlisted = isUnlisted
    let isLockedFolder = target.output.isFolder && question.pin != nil
    if record?.output != target.path, pending == nil, case .file = question.output, let trees = state.trees {
      // A folder that a checkout has brought with its lock cannot be told from an edited one before it is unpacked.
      if !isLockedFolder {
        question.earlierEdits = trees.earlierEdits(at: target, records)
      } else if target.treeOrder(settings)?.edits != .overwrite {
        trees.noteEarlierEdits(in: target.path, records)
      }
      // Only a run replaces it, and only taking another file from the cache changes its times.
      question.hasOtherNames =
        settings.caches.local?.link == .hardlink && terms.purpose == .run && !target.output.isFolder
        && root.hasOtherNames(target.path)
    }
    if isLockedFolder, keepsEdits(target), let trees = state.trees {
      // Most folders have none: one more look tells.
      question.hasKeptEdits =
        trees.observe(target.path, keepingEdits: false) != seen && trees.edits(in: target.path) != nil
    }
    question.seed = seed
    if settings.questions.asksWhatMoved { question.upstream = workspace.upstreamEntry(of: question.pin) }
    question.mustKnowDownload = settings.reports.hasPins
    question.asksNow = workspace.unpinned.contains(target.id)
    return question
  }

  /// The facts of a target's dependencies, in the graph's order.
  func dependencyFacts(of id: TargetID) -> [DependencyFacts] {
    let edges = workspace.graph.dependencies(of: id)
    guard !edges.isEmpty else { return [] }
    return edges.map { edge in
      DependencyFacts(
        id: edge.from, kind: edge.kind, name: manifest[edge.from].name, entry: edge.entry,
        content: content(of: edge.from)?.sha256, isKeptEdit: isKeptEdit(edge.from),
        locked: settings.reports.hasPins ? lockedContent(at: edge) : nil)
    }
  }

  /// The digest in the present or the next lock of what a dependency gives.
  private func lockedContent(at edge: TargetGraph.Edge) -> HexDigest? {
    let input = manifest[edge.from]
    switch edge.kind {
    case .after, .needs: return nil
    case .verify:
      guard let entry = edge.entry, let algorithm = edge.algorithm else { return nil }
      return try? texts.lists.read(edge.from).flatMap {
        ExpectedDigest.entry(entry, algorithm, in: $0, source: input.name.text)
      }.get()
    case .from:
      if let pin = workspace.pin(of: input) { return pin.output.sha256 }
      // If an edit is kept, the version that syncmake wrote last is locked.
      return isKeptEdit(input.id)
        ? records.record(for: input)?.content.sha256 : content(of: input.id)?.sha256
    }
  }
}
