package import SyncModel

/// The owner of the file at an output's path: line 3 of the table in the contract, section 3.
///
/// It is the only rule for code that replaces, removes or describes an output.
package enum Ownership: Sendable, Equatable {
  /// Nothing is there, or a part of a folder.
  case missing
  /// Something is there, and nothing is recorded for this path.
  case unknown
  /// The bytes are the recorded ones; `needsRenewal`: store the record again, with the file's present signature.
  case ours(TargetRecord, needsRenewal: Bool)
  /// It was edited since syncmake wrote it; `actual` is `nil` if it is no longer a file.
  case edited(TargetRecord, expected: HexDigest, actual: HexDigest?)
  /// Size or times differ: read the file and ask again with its sha256. It may turn out to be one of `candidates`,
  /// or unowned if `nil` is among them. An unreadable file must not be touched.
  case needsDigest(candidates: [TargetRecord?])

  /// Judges the file at `output`.
  ///
  /// - Parameters:
  ///   - record: the record; one of another output, or without a sha256, is ignored.
  ///   - pending: the intention of an interrupted run; likewise.
  ///   - sha256: of the observed file; `nil` while it was not read.
  package static func of(
    _ observation: OutputObservation, at output: RelativePath, record: TargetRecord?, pending: TargetRecord?,
    sha256: HexDigest?
  ) -> Ownership {
    let here = Evidence(record, at: output)
    switch observation {
    case .missing, .incomplete: return .missing
    case .unusable: return here.map { .edited($0.record, expected: $0.sha256, actual: nil) } ?? .unknown
    case .file(let signature): return of(signature, here, Evidence(pending, at: output), sha256)
    }
  }

  private static func of(
    _ signature: FileSignature, _ here: Evidence?, _ pending: Evidence?, _ actual: HexDigest?
  ) -> Ownership {
    guard here != nil || pending != nil else { return .unknown }
    if let here, here.record.signature == signature { return .ours(here.record, needsRenewal: false) }
    guard let actual else {
      let known: [TargetRecord?] = [here, pending].compactMap { $0?.record }
      return .needsDigest(candidates: here == nil ? known + [nil] : known)
    }
    // The intended file is there: the intention is newer, even if it has the same bytes.
    if let pending, pending.sha256 == actual, pending.record.signature.inode == signature.inode {
      return .ours(pending.record, needsRenewal: true)
    }
    if let here, here.sha256 == actual { return .ours(here.record, needsRenewal: true) }
    if let pending, pending.sha256 == actual { return .ours(pending.record, needsRenewal: true) }
    if let here { return .edited(here.record, expected: here.sha256, actual: actual) }
    if let pending, pending.record.signature.inode == signature.inode {
      return .edited(pending.record, expected: pending.sha256, actual: actual)
    }
    // Only an intention is known and another file is there: the rename never happened. The file that it would have
    // replaced was unowned, and refusing it now would need help after a crash (contract, section 6).
    return .unknown
  }

  /// A record that can prove a file's owner.
  private struct Evidence {
    let record: TargetRecord
    let sha256: HexDigest

    /// `nil` for a record of another output, and for one that ``TargetRecord/isDamaged``.
    init?(_ record: TargetRecord?, at output: RelativePath) {
      guard let record, record.output == output, let sha256 = record.content.sha256 else { return nil }
      self.record = record
      self.sha256 = sha256
    }
  }
}

extension TargetRecord {
  /// Whether it lacks the digest for comparisons: then it is useless.
  var isDamaged: Bool { self.content.sha256 == nil }

  /// Whether the output of `target` existed before the first fetch, or was only recorded by `--touch`: then syncmake did
  /// not write it, and does not remove it.
  ///
  /// A copy of another target's output (`from`) has no download either, but is recorded after it was written, with
  /// another time. A folder is recorded only if it was unpacked here.
  package func isOnlyFound(as target: Target) -> Bool {
    guard self.download == nil, !target.output.isFolder,
      !self.definition.contains(where: { $0.name == DefinitionField.written })
    else { return false }
    if target.source.mirrors != nil || target.gone != nil { return true }
    return self.updatedAt == self.signature.modified
  }

  /// Whether syncmake made the output of `target` of the recorded source, so that a lock can say what the source has. A file
  /// that was there before the first run or came with a checkout, and one that `--touch` recorded, shows nothing of that.
  func isMade(as target: Target) -> Bool {
    guard case .target = target.source else { return self.download != nil }
    // A record of an earlier version has no such field.
    return !isOnlyFound(as: target) && !self.definition.contains { $0.name == DefinitionField.found }
  }
}
