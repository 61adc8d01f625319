import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// The entries of lists that runs have recorded, of which those that have left their lists become targets, too.
struct RecordedEntries {
  private var byTemplate: [ByteString: [TargetRecord]] = [:]
  /// The same of a manifest that is not there any more: it may be this one, which has a new name.
  private var renamed: [ByteString: [TargetRecord]] = [:]
  private let trees: TreeOutputs

  /// Without a readable state nothing is recorded; then it is `nil`.
  init?(in workspace: Workspace) {
    guard StateFolder.exists(path: workspace.place.state),
      let lease = try? RootLease.look(at: workspace, report: { _ in })
    else { return nil }
    trees = lease.trees
    let own = workspace.manifest.unusualName
    var found: [String?: Bool] = [:]
    func isThere(_ name: String?) -> Bool {
      if let known = found[name] { return known }
      let isFound = (name.map { [$0] } ?? Manifest.usualNames).contains { name in
        (try? RelativePath(name)).map { lease.root.observe($0) != .missing } ?? false
      }
      found[name] = isFound
      return isFound
    }
    for record in lease.snapshot.records {
      guard let entry = Definition.entry(in: record.definition) else { continue }
      let name = Definition.manifestName(in: record.definition)
      if name == own {
        byTemplate[ByteString(entry.template), default: []].append(record)
      } else if !isThere(name) {
        renamed[ByteString(entry.template), default: []].append(record)
      }
    }
    if byTemplate.isEmpty, renamed.isEmpty { return nil }
  }

  /// The targets of entries that have left a list, in the order of their outputs; their ids follow those of `manifest`.
  ///
  /// - Parameters:
  ///   - entries: all of the list, of which some are `selected`.
  ///   - isWhole: whether the list was read now, to its end, so that it may remove something.
  ///   - isAsked: whether lists are asked, so that one that has lost too many entries fails; otherwise they count as what they
  ///     are, for whoever removes them by hand.
  ///   - places: where a stranger's manifest may remove nothing; `nil` for one that is trusted.
  ///   - taken: the outputs and names of present targets; those of the new targets are added.
  func gone(
    from template: ListTemplate, _ entries: [ListEntry], selected: [ListEntry], in manifest: Manifest,
    isWhole: Bool, isAsked: Bool, allowsRemovals: Bool, within places: ProtectedPlaces?,
    _ taken: inout TakenPlaces
  ) -> [Target] {
    let list = template.list
    let records = records(of: template, in: manifest).sorted { $0.output < $1.output }
    var recorded = records.map { GoneRule.Recorded($0, of: list, isReplaced: taken.holds($0)) }
    func judged() -> GoneRule {
      GoneRule(
        recorded: recorded, entries: entries, selected: selected, allowsRemovals: allowsRemovals,
        secrets: manifest.secrets)
    }
    var rule = judged()
    guard !rule.gone.isEmpty else { return [] }
    // With a folder would go what a present target has in it.
    for place in rule.gone where taken.isAround(records[place].output) { recorded[place].isReplaced = true }
    rule = judged()
    guard !rule.gone.isEmpty else { return [] }
    if rule.isSuspect {
      for place in rule.gone { recorded[place].hasOutput = canBeLost(records[place]) }
      rule = judged()
    }
    let fate: GoneEntry.Fate =
      if list.rules.gone == .keep || !isWhole && isAsked {
        .kept
      } else if rule.isSuspect {
        .suspect(gone: rule.lostCount, recorded: rule.recordedCount)
      } else {
        isWhole ? .removed : .kept
      }
    let url = manifest.secrets.mask(list.url.shown)
    var targets: [Target] = []
    for (record, name) in taken.insert(rule.gone.map { records[$0] }) {
      let isFolder = !trees.shelf.read(TreeOutputs.key(of: record.output)).isEmpty
      // What is recorded need not be what this manifest may have written.
      let mayGo =
        !manifest.reserves(record.output) && places?.fault(of: record.output.text, isFolder: isFolder) == nil
      var entry = GoneEntry(
        template: list.template, key: Definition.entry(in: record.definition)?.key ?? "", list: url,
        fate: mayGo ? fate : .kept)
      if name != record.name { entry.main = record.name }
      var target = Target(
        id: TargetID(manifest.targets.count + targets.count), name: name, span: list.span,
        source: .gone(entry), output: record.output)
      // What the entry has made of the others is not recorded.
      target.settings.tags = template.settings.tags.filter { !$0.holds("${entry.") }
      target.settings.isOptional = template.settings.isOptional
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

  /// The recorded entries of a list. Another manifest of this folder may have a list with the same name, and may not be there
  /// at the moment: what it has made is elsewhere than what this one makes.
  private func records(of template: ListTemplate, in manifest: Manifest) -> [TargetRecord] {
    let name = ByteString(template.list.template)
    let own = byTemplate[name] ?? []
    guard let others = renamed[name] else { return own }
    func top(_ output: RelativePath) -> ByteString {
      ByteString(output.parentParts.first.map(String.init) ?? "")
    }
    var tops = Set(own.map { top($0.output) })
    if case .expanded(let first, let entries) = template.state {
      for place in entries.indices { tops.insert(top(manifest[TargetID(first.index + place)].path)) }
    }
    return own + others.filter { tops.contains(top($0.output)) }
  }

  /// Whether something of the record could be removed: its output is there, and was not edited.
  private func canBeLost(_ record: TargetRecord) -> Bool {
    switch trees.root.observe(record.output) {
    case .missing: return false
    case .file(let now) where now == record.signature: return true
    case .file:
      let file = try? trees.root.open(record.output)
      return file.flatMap { try? ContentDigest.of($0, [.sha256]).sha256 } == record.content.sha256
    default: return trees.edits(in: record.output) == nil
    }
  }
}

/// The outputs and names of a manifest's targets.
struct TakenPlaces {
  private var names: Set<TargetName>
  private let groups: Set<TargetName>
  private var outputs: Set<RelativePath>
  /// The outputs that are folders, which are a target's as a whole.
  private let folders: Set<RelativePath>
  /// The folders in which outputs are.
  private lazy var parents: Set<RelativePath> = Set(outputs.lazy.flatMap(\.folders))

  init(_ manifest: Manifest) {
    names = Set(manifest.targets.map(\.name))
    groups = Set(manifest.groups.map(\.name))
    outputs = Set(manifest.targets.map(\.path))
    folders = Set(manifest.targets.lazy.filter(\.output.isFolder).map(\.path))
  }

  /// Whether a target has the record's name or output, or makes a folder in which that is.
  func holds(_ record: TargetRecord) -> Bool {
    names.contains(record.name) || outputs.contains(record.output)
      || !folders.isEmpty && record.output.folders.contains(where: folders.contains)
  }

  /// Whether a target has its output in the folder at this path.
  mutating func isAround(_ folder: RelativePath) -> Bool { parents.contains(folder) }

  /// Takes the places of what is gone; leaves out what has the name of another target, or is where one has its output.
  ///
  /// A target of which several outputs are recorded has one more name for each but the one that was seen last.
  mutating func insert(_ records: [TargetRecord]) -> [(TargetRecord, TargetName)] {
    var last: [TargetName: TargetRecord] = [:]
    let free = records.filter { !holds($0) }
    for record in free {
      if let other = last[record.name], other.lastSeen > record.lastSeen { continue }
      last[record.name] = record
    }
    names.formUnion(last.keys)
    return free.compactMap { record in
      guard outputs.insert(record.output).inserted else { return nil }
      return (record, last[record.name]?.output == record.output ? record.name : furtherName(record.name))
    }
  }

  private mutating func furtherName(_ name: TargetName) -> TargetName {
    var number = 2
    while true {
      let further = TargetName("\(name.text)+\(number)")
      if !groups.contains(further), names.insert(further).inserted { return further }
      number += 1
    }
  }
}
