import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// The new outputs that are withheld until all targets of an `update` or of a unit have succeeded, and access to them.
final class WithheldShelf {
  /// A new output of this run.
  struct New: Sendable {
    var output: WithheldOutput
    /// The observation behind the target's verdict.
    var over: OutputObservation
    /// The old file's digest; `nil` if unknown.
    var overDigest: HexDigest?
  }

  /// An output that stays and is to get another time.
  struct Retiming: Sendable {
    var record: TargetRecord
    var time: Timestamp
  }

  /// Which new outputs are withheld.
  let scope: TargetTerms.Withholding
  private let folder: StateFolder
  private let folders: WithheldFolders
  /// The withheld outputs of earlier runs.
  private var earlier: [RelativePath: WithheldOutput] = [:]
  private var new: [RelativePath: New] = [:]
  private var retimings: [RelativePath: Retiming] = [:]
  private var leavesSome = false

  init(
    _ folder: StateFolder, for root: RootFolder, earlier: [WithheldOutput], scope: TargetTerms.Withholding
  ) {
    self.scope = scope
    self.folder = folder
    folders = WithheldFolders(folder, for: root)
    for withheld in earlier { self.earlier[withheld.record.output] = withheld }
  }

  /// The name of an output's file in the state folder.
  static func key(of output: RelativePath) -> String { BodyIntake.key(of: output) }

  /// Removes withheld files without a record: a killed run has left them.
  ///
  /// Call it only if the state could be read.
  func removeUnrecorded() {
    let recorded = Set(
      earlier.keys.flatMap { [Self.key(of: $0), Self.key(of: $0) + WithheldFolders.ending] })
    for key in folder.withheldKeys() where !recorded.contains(key) { folder.removeWithheld(key) }
    folders.removeListings(except: earlier.keys)
  }

  /// Drops withheld outputs that no later run can use, with their files; returns these outputs.
  ///
  /// With a lock, the next update may use what was withheld for any target of the manifest; without one only a target
  /// that waits for its unit can.
  func dropUnusable(in workspace: Workspace) -> [RelativePath] {
    guard !earlier.isEmpty, workspace.open == nil else { return [] }
    let areAllUsable = scope == .everything || workspace.lock != nil
    let usable = workspace.manifest.targets.lazy.filter { target in
      areAllUsable || workspace.graph.units.unit(of: target.id) != nil
    }
    return dropEarlier(Set(earlier.keys).subtracting(usable.map(\.path)))
  }

  /// Drops what earlier runs withheld for these outputs, and this one does not use; returns which were dropped.
  func dropUnused(_ outputs: Set<RelativePath>) -> [RelativePath] {
    earlier.isEmpty ? [] : dropEarlier(outputs.filter { earlier[$0] != nil && new[$0] == nil })
  }

  private func dropEarlier(_ outputs: Set<RelativePath>) -> [RelativePath] {
    for output in outputs {
      earlier[output] = nil
      folder.removeWithheld(Self.key(of: output))
      folders.remove(output)
    }
    return outputs.sorted()
  }

  /// The withheld output of an earlier run for `output`, if its file is unchanged.
  ///
  /// - keepingEdits: whether edited files of a folder stay as they are.
  func earlier(for output: RelativePath, keepingEdits: Bool) -> TargetRecord? {
    guard let withheld = earlier[output] else { return nil }
    let signature =
      (try? folder.withheldSignature(Self.key(of: output)))
      ?? folders.signature(output, keepingEdits: keepingEdits)
    return signature == withheld.record.signature ? withheld.record : nil
  }

  /// What reports say of the folder that an earlier run has withheld for `output`; `nil` if there is none.
  func facts(of output: RelativePath, _ order: TreeOrder) -> TreeFacts? { folders.facts(output, order) }

  /// Whether an earlier run has withheld the file that is taken now, with the time that it is to have.
  private func keepsTime(_ output: RelativePath) -> Bool { earlier[output]?.keepsTime ?? false }

  func add(_ withholding: TargetAction.Withholding) {
    let output = withholding.record.output
    new[output] = New(
      output: WithheldOutput(
        record: withholding.record, keepsTime: withholding.keepsTime ?? keepsTime(output)),
      over: withholding.over, overDigest: withholding.overDigest)
  }

  func add(_ retiming: Retiming) { retimings[retiming.record.output] = retiming }

  /// Whether `output` is new in this run, and withheld.
  func holds(_ output: RelativePath) -> Bool { new[output] != nil }

  /// What is to be published in one step, sorted.
  struct Contents: Sendable {
    var new: [New] = []
    var retimings: [Retiming] = []
    var isEmpty: Bool { new.isEmpty && retimings.isEmpty }
  }

  /// Everything that is new.
  var all: Contents { contents(of: Set(new.keys).union(retimings.keys)) }

  /// What is new of these outputs.
  func contents(of outputs: Set<RelativePath>) -> Contents {
    let outputs = outputs.sorted()
    return Contents(new: outputs.compactMap { new[$0] }, retimings: outputs.compactMap { retimings[$0] })
  }

  /// These outputs are published.
  func removePublished(_ outputs: Set<RelativePath>) {
    for output in outputs { (new[output], retimings[output], earlier[output]) = (nil, nil, nil) }
  }

  /// These outputs stay withheld for the next run.
  func leave(_ outputs: Set<RelativePath>) {
    for output in outputs {
      if new[output] != nil { leavesSome = true }
      (new[output], retimings[output]) = (nil, nil)
    }
  }

  /// Whether this run leaves something for the next one to use or to drop.
  var isLeft: Bool { leavesSome || !earlier.isEmpty }

  /// Opens the new output at `output`; `nil` if there is none, so that the output itself is read.
  func opener(of output: RelativePath) -> (@Sendable () throws(FailureCause) -> any OpenedFile)? {
    guard holds(output) else { return nil }
    let (folder, key) = (folder, Self.key(of: output))
    return { () throws(FailureCause) -> any OpenedFile in try folder.readWithheld(key, of: output) }
  }
}
