package import SyncModel

/// Whose the file at an output's path is: line 3 of the table in the contract, section 3.
///
/// The one rule for everybody who is about to replace, remove or describe an output.
package enum Ownership: Sendable, Equatable {
  /// Nothing is there.
  case missing
  /// Something is there, and nothing is recorded for this path.
  case unknown
  /// The bytes are what the record says; `needsRenewal`: store it anew, with the file's signature as it is now.
  case ours(TargetRecord, needsRenewal: Bool)
  /// Somebody changed it since syncmake wrote what the record says; `actual` is `nil` where something that is
  /// no file took its place.
  case edited(TargetRecord, expected: HexDigest, actual: HexDigest?)
  /// Size or times differ: read the file and ask again with its sha256. It may prove to be one of
  /// `candidates`, or nobody's where `nil` is among them. A file that cannot be read is to be left alone.
  case needsDigest(candidates: [TargetRecord?])

  /// Judges what stands at `output`.
  ///
  /// - Parameters:
  ///   - record: what is recorded; one of another output, or without a sha256, counts as none.
  ///   - pending: what a run that was cut off was about to put in place; likewise.
  ///   - sha256: of the file as observed; `nil` while nobody has read it.
  package static func of(
    _ observation: OutputObservation, at output: RelativePath, record: TargetRecord?, pending: TargetRecord?,
    sha256: HexDigest?
  ) -> Ownership {
    let here = Evidence(record, at: output)
    switch observation {
    case .missing: return .missing
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
    // What was about to come is there: it is the later word, also where it brought the same bytes once more.
    if let pending, pending.sha256 == actual, pending.record.signature.inode == signature.inode {
      return .ours(pending.record, needsRenewal: true)
    }
    if let here, here.sha256 == actual { return .ours(here.record, needsRenewal: true) }
    if let pending, pending.sha256 == actual { return .ours(pending.record, needsRenewal: true) }
    if let here { return .edited(here.record, expected: here.sha256, actual: actual) }
    if let pending, pending.record.signature.inode == signature.inode {
      return .edited(pending.record, expected: pending.sha256, actual: actual)
    }
    // Only an intention is known and another file stands here: the rename never came. What it would have
    // replaced was nobody's then, and refusing it now would need help after a crash (contract, section 6).
    return .unknown
  }

  /// A record that can tell whose a file is.
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
  /// Whether it lacks the digest that everything is compared by: as good as none.
  var isDamaged: Bool { content.sha256 == nil }
}
