import LocalFiles
import Platform
import SyncModel

/// What was edited of the outputs of targets that have left the manifest, where a target without a record writes now: a
/// folder may have become a file since, or a file a part of a folder (contract, section 6, promise 5).
///
/// A file is an edit if something is recorded at its path, and nothing that is recorded there has its bytes: what an earlier
/// target has written may have been replaced by another one since.
extension TreeOutputs {
  /// What is recorded at a path.
  private struct Claim {
    /// `nil` for what was no file.
    var sha256: HexDigest?
    var signature: FileSignature?

    init(sha256: HexDigest?, signature: FileSignature?) {
      self.sha256 = sha256
      self.signature = signature
    }

    /// `nil` for a folder, which nobody edits.
    init?(_ entry: TreeListing.Entry) {
      switch entry.kind {
      case .file(let sha256, _): self.init(sha256: sha256, signature: entry.signature)
      case .link: self.init(sha256: nil, signature: nil)
      case .folder: return nil
      }
    }
  }

  /// Why the target must not replace what is there; `nil` if nothing there is known to be an edit.
  func earlierEdits(at target: Target, _ records: RecordIndex) -> FailureCause? {
    let output = target.path
    // What is older than the target's own record was replaced by it.
    let own = records.record(at: output)?.lastSeen
    func isNewer(_ record: TargetRecord) -> Bool { own.map { record.lastSeen > $0 } ?? true }
    guard target.output.isFolder else {
      let claims = records.above(output).filter(isNewer).flatMap { listed(by: $0, at: output) }
      return edit(output, claims).map { edit in
        // In the place of a link there is no digest to compare.
        guard let expected = edit.expected else { return .filesModified(paths: [output.name], count: 1) }
        return .outputModified(expected: expected, actual: edit.actual)
      }
    }
    var claims: [String: [Claim]] = [:]
    for record in records.above(output).filter(isNewer) {
      for (path, claim) in listed(by: record, in: output) { claims[path, default: []].append(claim) }
    }
    for record in records.below(output).filter(isNewer) {
      // If it is a folder's, nothing has its digest.
      claims[record.output.text, default: []].append(
        Claim(sha256: record.content.sha256, signature: record.signature))
      for (path, claim) in listed(by: record, in: output) { claims[path, default: []].append(claim) }
    }
    let edited = claims.keys.sorted().filter { path in
      (try? RelativePath(path)).flatMap { edit($0, claims[path] ?? []) } != nil
    }
    guard !edited.isEmpty else { return nil }
    let prefix = output.text.utf8.count + 1
    return .filesModified(
      paths: edited.prefix(Self.mostNamed).map { String(Substring($0.utf8.dropFirst(prefix))) },
      count: edited.count)
  }

  /// What the listings of a recorded folder say of `file`.
  private func listed(by record: TargetRecord, at file: RelativePath) -> [Claim] {
    let path = Array(file.text.utf8.dropFirst(record.output.text.utf8.count + 1))
    return lastListings(of: record.output).compactMap { $0[path] }.compactMap(Claim.init)
  }

  /// What the listings of a recorded folder say of what is in `folder`.
  private func listed(
    by record: TargetRecord, in folder: RelativePath
  ) -> [(path: String, claim: Claim)] {
    let (top, prefix) = (record.output.text + "/", folder.text + "/")
    return lastListings(of: record.output).flatMap(\.entries).compactMap { entry in
      let path = top + String(decoding: entry.path, as: UTF8.self)
      guard path.utf8.starts(with: prefix.utf8), let claim = Claim(entry) else { return nil }
      return (path, claim)
    }
  }

  /// Many files may have taken the place of one folder.
  private func lastListings(of folder: RelativePath) -> [TreeListing] {
    if let known = earlier.withLock({ $0 }), known.folder == folder { return known.listings }
    let listings = shelf.read(Self.key(of: folder))
    earlier.withLock { $0 = (folder, listings) }
    return listings
  }

  /// The digest of the edited file at `path`, and the recorded one; `nil` if it is none.
  private func edit(_ path: RelativePath, _ claims: [Claim]) -> (expected: HexDigest?, actual: HexDigest)? {
    guard !claims.isEmpty, let file = try? root.open(path),
      !claims.contains(where: { $0.signature == file.signature }),
      let actual = try? Self.sha256(file), !claims.contains(where: { $0.sha256 == actual })
    else { return nil }
    return (claims.last?.sha256, actual)
  }
}
