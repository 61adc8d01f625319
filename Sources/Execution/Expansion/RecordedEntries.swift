import LocalFiles
import Planning
import SyncModel

/// The entries of lists that runs have recorded, of which those that have left their lists become targets, too.
struct RecordedEntries {
  private var byTemplate: [ByteString: [TargetRecord]] = [:]
  private let trees: TreeOutputs

  /// Without a readable state nothing is recorded; then it is `nil`.
  init?(in workspace: Workspace) {
    guard StateFolder.exists(path: workspace.statePath),
      let lease = try? RootLease.look(at: workspace, report: { _ in })
    else { return nil }
    trees = lease.trees
    for record in lease.snapshot.records {
      guard let entry = Definition.entry(in: record.definition) else { continue }
      byTemplate[ByteString(entry.template), default: []].append(record)
    }
    if byTemplate.isEmpty { return nil }
  }

  /// The targets of entries that have left a list, in the order of their outputs; their ids follow those of `manifest`.
  ///
  /// - Parameters:
  ///   - entries: all of the list, of which some are `selected`.
  ///   - isWhole: whether the list was read now, to its end, so that it may remove something.
  ///   - places: where a stranger's manifest may remove nothing; `nil` for one that is trusted.
  ///   - taken: the outputs and names of present targets; those of the new targets are added.
  func gone(
    from template: ListTemplate, _ entries: [ListEntry], selected: [ListEntry], in manifest: Manifest,
    isWhole: Bool, allowsRemovals: Bool, within places: ProtectedPlaces?, _ taken: inout TakenPlaces
  ) -> [Target] {
    let list = template.list
    let records = (byTemplate[ByteString(list.template)] ?? []).sorted { $0.output < $1.output }
    var recorded = records.map { GoneRule.Recorded($0, of: list, isReplaced: taken.holds($0)) }
    func judged() -> GoneRule {
      GoneRule(
        recorded: recorded, entries: entries, selected: selected, allowsRemovals: allowsRemovals,
        secrets: manifest.secrets)
    }
    var rule = judged()
    guard !rule.gone.isEmpty else { return [] }
    if rule.isSuspect {
      for place in rule.gone {
        recorded[place].hasOutput = trees.root.observe(records[place].output) != .missing
      }
      rule = judged()
    }
    let fate: GoneEntry.Fate =
      if list.rules.gone == .keep || !isWhole {
        .kept
      } else if rule.isSuspect {
        .suspect(gone: rule.lostCount, recorded: rule.recordedCount)
      } else {
        .removed
      }
    let url = manifest.secrets.mask(list.url.shown)
    var targets: [Target] = []
    for record in rule.gone.lazy.map({ records[$0] }) where taken.insert(record) {
      let isFolder = !trees.shelf.read(TreeOutputs.key(of: record.output)).isEmpty
      // What is recorded need not be what this manifest may have written.
      let mayGo =
        !manifest.reserves(record.output) && places?.fault(of: record.output.text, isFolder: isFolder) == nil
      var entry = GoneEntry(
        template: list.template, key: Definition.entry(in: record.definition)?.key ?? "", list: url,
        fate: mayGo ? fate : .kept)
      var target = Target(
        id: TargetID(manifest.targets.count + targets.count), name: record.name, span: list.span,
        source: .gone(entry), output: record.output)
      target.settings.tags = template.settings.tags
      // A folder is what an archive was unpacked to.
      if isFolder { target.settings.steps = [.unpack(UnpackRules(.folder(TreeRules())))] }
      if !rule.isSuspect, record.isOnlyFound(as: target) {
        entry.fate = .found
        target.source = .gone(entry)
      }
      targets.append(target)
    }
    return targets
  }
}

/// The outputs and names of a manifest's targets.
struct TakenPlaces {
  private var names: Set<TargetName>
  private var outputs: Set<RelativePath>

  init(_ manifest: Manifest) {
    names = Set(manifest.targets.map(\.name))
    outputs = Set(manifest.targets.map(\.path))
  }

  /// Whether a target has the record's name or output.
  func holds(_ record: TargetRecord) -> Bool {
    names.contains(record.name) || outputs.contains(record.output)
  }

  /// Returns `false` if the record's name or output was taken before.
  mutating func insert(_ record: TargetRecord) -> Bool {
    guard !holds(record) else { return false }
    names.insert(record.name)
    outputs.insert(record.output)
    return true
  }
}
