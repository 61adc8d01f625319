import ContentPipeline
import LocalFiles
package import Planning
package import SyncModel

/// Reports records and outputs, without network (`syncmake status`).
package enum StatusReader {
  /// In the order of `selection`; writes nothing. `report` gets the reason if the state is ignored.
  package static func statuses(
    _ selection: [TargetID], in workspace: Workspace, report: (RunEvent) -> Void
  ) throws(RunFault) -> [TargetStatus] {
    do throws(FailureCause) {
      var looks = 0
      while true {
        looks += 1
        let lease = try RootLease.look(at: workspace, report: looks == 1 ? report : { _ in })
        let (trees, records) = (lease.trees, RecordIndex(lease.snapshot))
        let statuses = selection.map { id in
          let target = workspace.manifest[id]
          return status(target, workspace.pin(of: target), trees, records)
        }
        let edited = statuses.filter { $0.state == .modified }.map(\.output.path)
        guard looks < RootLease.mostLooks, lease.isOutdated(of: edited, in: workspace) else {
          return statuses
        }
      }
    } catch {
      throw .unusable(error)
    }
  }

  private static func status(
    _ target: Target, _ pin: Pin?, _ trees: TreeOutputs, _ records: RecordIndex
  ) -> TargetStatus {
    // What stands for a target that is not known has no output of its own.
    if case .unlisted = target.source {
      return TargetStatus(
        id: target.id, name: target.name, output: target.output, state: .unknown, record: nil)
    }
    let found = OwnedOutput.look(at: target, in: trees, records)
    let edits = target.output.isFolder ? trees.edits(in: target.path) : nil
    let here = pin.flatMap { _ in found.sha256(of: target, in: trees, hasEdits: edits != nil) }
    // Whoever wrote the bytes that the lock has, they are no edit. No record describes them.
    let isLocked = here != nil && here == pin?.output.sha256
    var record = records.record(for: target).flatMap { $0.output == target.path ? $0 : nil }
    var state: TargetStatus.State
    switch found {
    case .missing: state = .missing
    case .unknown, .unreadable: state = .unknown
    case .ours(let owned, _): (state, record) = (.present, owned)
    case .edited where isLocked: (state, record) = (.unknown, nil)
    case .edited: state = .modified
    }
    if target.gone != nil, state == .present { state = .orphaned }
    var status = TargetStatus(
      id: target.id, name: target.name, output: target.output, state: state, record: record)
    if target.output.isFolder, let listing = trees.listing(of: target.path, keepingEdits: false) {
      status.files = listing.entries.fileCount
      if case .filesModified(let paths, let count)? = edits, !isLocked {
        (status.edited, status.editedCount) = (paths, count)
      }
      // Under `local_changes: keep` the edits are a part of what the run expects, but edits all the same.
      if !status.edited.isEmpty, [.present, .missing].contains(status.state) { status.state = .modified }
    }
    status.lock = pin.map { PinRules.standing($0, here: here) }
    return status
  }
}

/// Whether the file at an output's path is the one that syncmake put there.
enum OwnedOutput {
  case missing
  /// Something is there of which nothing is recorded.
  case unknown
  /// The record that matches its bytes, and its present signature.
  case ours(TargetRecord, FileSignature)
  case edited
  /// It must be read to know, and cannot be; never a folder, whose unreadable files count as edited.
  case unreadable(FailureCause)

  /// The output's digest, to compare with the lock's; reads a file whose record does not have it. `hasEdits`: files of a
  /// folder were edited.
  func sha256(of target: Target, in trees: TreeOutputs, hasEdits: Bool) -> HexDigest? {
    // A kept edit differs from the locked folder, though record and listing are of that.
    if hasEdits, OutputLook(target) == .folderWithEdits { return nil }
    return switch self {
    case .missing, .unreadable: nil
    case .ours(let record, _): record.content.sha256
    case .unknown, .edited: (try? trees.read(target))?.sha256
    }
  }

  /// Reads the file only if its size and times do not decide.
  static func look(
    at target: Target, in trees: TreeOutputs, _ records: RecordIndex, isInVain: () -> Bool = { false }
  ) -> OwnedOutput {
    let observation = trees.observe(target)
    // Without its listing nothing is known of a folder.
    if target.output.isFolder, observation.isFile, trees.shelf.read(TreeOutputs.key(of: target.path)).isEmpty
    {
      return .unknown
    }
    func ownership(_ sha256: HexDigest?) -> Ownership {
      Ownership.of(
        observation, at: target.path, record: records.record(for: target),
        pending: records.pending(for: target), sha256: sha256)
    }
    var whose = ownership(nil)
    if case .needsDigest = whose {
      do throws(FailureCause) {
        let reading = try trees.read(target, isInVain: isInVain)
        if reading.gap != nil { return .missing }
        guard let sha256 = reading.content.sha256 else { return .edited }
        whose = ownership(sha256)
      } catch {
        return target.output.isFolder ? .edited : .unreadable(error)
      }
    }
    switch (whose, observation) {
    case (.missing, _): return .missing
    case (.unknown, _): return .unknown
    case (.ours(let record, _), .file(let signature)): return .ours(record, signature)
    default: return .edited
    }
  }
}
