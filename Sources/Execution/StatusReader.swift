import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// Tells what is recorded and what stands there, without any network (`syncmake status`).
package enum StatusReader {
  /// In the order of `selection`; writes nothing.
  package static func statuses(_ selection: [TargetID], in workspace: Workspace) throws(RunFault)
    -> [TargetStatus]
  {
    do throws(FailureCause) {
      let root = try RootFolder(path: workspace.rootPath)
      let records = RecordIndex(OpenState.read(workspace.statePath))
      return selection.map { status(workspace.manifest[$0], root, records) }
    } catch {
      throw .unusable(error)
    }
  }

  private static func status(_ target: Target, _ root: RootFolder, _ records: RecordIndex) -> TargetStatus {
    let found = OwnedOutput.look(at: target, in: root, records)
    let state: TargetStatus.State =
      switch found {
      case .missing: .missing
      case .unknown: .unknown
      case .ours: .present
      case .edited: .modified
      }
    var record = records.record(for: target).flatMap { $0.output == target.output ? $0 : nil }
    if case .ours(let owned, _) = found { record = owned }
    return TargetStatus(
      id: target.id, name: target.name, output: target.output, state: state, record: record)
  }
}

/// Whether the file at an output's path is the one that syncmake put there.
enum OwnedOutput {
  case missing
  /// Something is there of which nothing is recorded.
  case unknown
  /// The record that its bytes agree with, and what it looks like now.
  case ours(TargetRecord, FileSignature)
  case edited

  /// Compares size and times first, and reads the file only when those differ (SPEC section 3, line 3).
  static func look(
    at target: Target, in root: RootFolder, _ records: RecordIndex, isInVain: () -> Bool = { false }
  )
    -> OwnedOutput
  {
    let record = records.record(for: target).flatMap { $0.output == target.output ? $0 : nil }
    let pending = records.pending(for: target)
    guard case .file(let signature) = root.observe(target.output) else {
      return root.observe(target.output) == .missing ? .missing : (record == nil ? .unknown : .edited)
    }
    if let record, record.signature == signature, pending == nil { return .ours(record, signature) }
    let candidates = [pending, record].compactMap { $0 }
    guard !candidates.isEmpty else { return .unknown }
    do throws(FailureCause) {
      let digest = try ContentDigest.of(try root.open(target.output), [.sha256], isInVain: isInVain).sha256
      let match = candidates.first { $0.content.sha256 == digest }
      return match.map { .ours($0, signature) } ?? .edited
    } catch {
      return .edited
    }
  }
}
