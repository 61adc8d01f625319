import LocalFiles
import Planning
import Platform
import SyncModel

/// What is where an earlier target has written, and differs from what it wrote.
struct EarlierEdit: Sendable {
  let path: RelativePath
  /// `nil` if it was no file.
  let expected: HexDigest?
  /// `nil` if it is no file.
  var actual: HexDigest?
  var isFolder = false
}

/// What was edited of the outputs of targets that have left the manifest, where a target without a record writes now: a
/// folder may have become a file since, or a file a part of a folder (contract, section 6, promise 5).
///
/// A file is an edit if something is recorded at its path, and nothing that is recorded there has its bytes: what an earlier
/// target has written may have been replaced by another one since. What is no file is an edit if no such thing is recorded
/// there. What a killed run was about to put there counts as recorded if it came to that, as in ``Ownership``; otherwise
/// only its bytes count.
extension TreeOutputs {
  /// What is recorded at a path.
  private struct Claim {
    /// `nil` for what was no file.
    var sha256: HexDigest?
    var signature: FileSignature?
    /// Where a link led.
    var link: [UInt8]?
    var isFolder = false
    /// Whether it was put there, so that other bytes are an edit.
    var wasPlaced: Bool

    init(sha256: HexDigest?, signature: FileSignature?, wasPlaced: Bool) {
      self.sha256 = sha256
      self.signature = signature
      self.wasPlaced = wasPlaced
    }

    /// `nil` for a folder, which nobody edits.
    init?(_ entry: TreeListing.Entry, wasPlaced: Bool) {
      switch entry.kind {
      case .file(let sha256, _):
        self.init(sha256: sha256.hex, signature: entry.signature, wasPlaced: wasPlaced)
      case .link(let target):
        self.init(sha256: nil, signature: nil, wasPlaced: wasPlaced)
        link = target
      case .folder: return nil
      }
    }
  }

  /// Why the target must not replace what is there; `nil` if nothing there is known to be an edit.
  func earlierEdits(at target: Target, _ records: RecordIndex) -> FailureCause? {
    let output = target.path
    guard !target.output.isFolder else {
      return Self.failure(for: earlierEdits(in: output, records), in: output)
    }
    let claims = newer(records.above(output), at: output, records).flatMap { listed(by: $0, at: output) }
    return edit(output, among: [output.text: claims]).map { edit in
      // A link has no digest to compare.
      guard let expected = edit.expected else { return .filesModified(paths: [output.name], count: 1) }
      return .outputModified(expected: expected, actual: edit.actual)
    }
  }

  private func earlierEdits(in output: RelativePath, _ records: RecordIndex) -> [EarlierEdit] {
    let claims = claims(
      in: output, above: newer(records.above(output), at: output, records),
      below: newer(records.below(output), at: output, records))
    return claims.keys.sorted().compactMap { path in
      (try? RelativePath(path)).flatMap { edit($0, among: claims) }
    }
  }

  /// Those that are newer than the output's own record, which has replaced the others.
  private func newer(
    _ entries: [RecordIndex.Entry], at output: RelativePath, _ records: RecordIndex
  ) -> [RecordIndex.Entry] {
    guard let own = records.record(at: output)?.lastSeen else { return entries }
    return entries.filter { $0.record.lastSeen > own }
  }

  /// Notes what was edited where a folder is that a checkout may have brought with its lock: that can be told apart
  /// once the folder is unpacked, by ``notedEdits(in:unlike:)``.
  func noteEarlierEdits(in output: RelativePath, _ records: RecordIndex) {
    let edits = earlierEdits(in: output, records)
    learnt.withLock { $0.noted[output] = edits }
  }

  /// Why the folder must not be put in place; `nil` if what was noted is as in `new`, the entries of its tree.
  func notedEdits(in output: RelativePath, unlike new: TreeEntries) -> FailureCause? {
    guard let edits = learnt.withLock({ $0.noted[output] }), !edits.isEmpty else { return nil }
    let kinds = Dictionary(new.map { ($0.path, $0.kind) }) { $1 }
    let others = edits.filter { edit in
      let path = Array(edit.path.text.utf8.dropFirst(output.text.utf8.count + 1))
      switch kinds[path] {
      case .file(let sha256, _)?: return edit.actual != sha256.hex
      case .link(let target)?: return !hasLink(to: target, at: edit.path)
      case .folder?: return !edit.isFolder
      case nil: return !edit.isFolder || !new.contains { $0.path.starts(with: path + [UInt8(ascii: "/")]) }
      }
    }
    return Self.failure(for: others, in: output)
  }

  private static func failure(for edits: [EarlierEdit], in output: RelativePath) -> FailureCause? {
    guard !edits.isEmpty else { return nil }
    let prefix = output.text.utf8.count + 1
    return .filesModified(
      paths: edits.prefix(mostNamed).map { String(Substring($0.path.text.utf8.dropFirst(prefix))) },
      count: edits.count)
  }

  /// Whether other targets have written since what is not as in `own`, the record of the target's output: then nobody has
  /// edited it. Such files of a folder count as recorded from now on (``listing(of:keepingEdits:)``), to be replaced.
  func isWrittenOver(_ own: TargetRecord, of target: Target, _ records: RecordIndex) -> Bool {
    let output = target.path
    // A touched file must not cost a shard all states of the fleet.
    let above = records.above(output, ofOthers: false).filter { $0.record.lastSeen > own.lastSeen }
    guard target.output.isFolder else {
      return present(Array(output.text.utf8), at: output, above.flatMap { listed(by: $0, at: output) }) != nil
    }
    let below = records.below(output, ofOthers: false).filter { $0.record.lastSeen > own.lastSeen }
    guard !above.isEmpty || !below.isEmpty, var listing = settledListing(of: output, keepingEdits: false)
    else { return false }
    let claims = claims(in: output, above: above, below: below)
    let edited = root.edits(tree: output, of: listing).edited
    for path in edited {
      let text = output.text + "/" + String(decoding: path, as: UTF8.self)
      guard let file = try? RelativePath(text), let place = listing.place(of: path),
        let entry = present(path, at: file, claims[text] ?? [])
      else { return false }
      listing.entries.replace(place, entry.kind, size: entry.size, entry.signature)
    }
    let found = listing
    learnt.withLock { $0.writtenOver[output] = found }
    return !edited.isEmpty
  }

  /// The file at `path` as an entry of a listing, where `name` is its path there; `nil` if no claim has its bytes.
  private func present(_ name: [UInt8], at path: RelativePath, _ claims: [Claim]) -> TreeListing.Entry? {
    guard !claims.isEmpty, let file = try? root.open(path), let sha256 = try? Self.sha256(file),
      claims.contains(where: { $0.sha256 == sha256 }), let isExecutable = try? file.isExecutable
    else { return nil }
    return TreeListing.Entry(
      path: name, kind: .file(sha256: CompactDigest(sha256), isExecutable: isExecutable),
      size: file.signature.size,
      signature: file.signature)
  }

  /// What is recorded in the folder `output` by targets around it and in it, by paths.
  private func claims(
    in output: RelativePath, above: [RecordIndex.Entry], below: [RecordIndex.Entry]
  ) -> [String: [Claim]] {
    var claims: [String: [Claim]] = [:]
    for entry in above {
      for (path, claim) in listed(by: entry, in: output) { claims[path, default: []].append(claim) }
    }
    for entry in below {
      // If it is a folder's, nothing has its digest.
      claims[entry.record.output.text, default: []].append(claim(of: entry))
      for (path, claim) in listed(by: entry, in: output) { claims[path, default: []].append(claim) }
    }
    return claims
  }

  private func claim(of entry: RecordIndex.Entry) -> Claim {
    let record = entry.record
    var claim = Claim(sha256: record.content.sha256, signature: record.signature, wasPlaced: true)
    claim.isFolder = Definition.isOfFolder(record.definition)
    guard entry.isPending else { return claim }
    claim.signature = nil
    claim.wasPlaced = false
    if case .file(let here) = root.observe(record.output) {
      claim.wasPlaced = here.inode == record.signature.inode
    }
    return claim
  }

  /// What the listings of a folder say of `file`.
  private func listed(by entry: RecordIndex.Entry, at file: RelativePath) -> [Claim] {
    let folder = entry.record.output
    let path = Array(file.text.utf8.dropFirst(folder.text.utf8.count + 1))
    return lastListings(of: folder).compactMap { listing in
      listing[path].flatMap { Claim($0, wasPlaced: !entry.isPending || wasPlaced(listing, at: folder)) }
    }
  }

  /// What the listings of a folder say of what is in `inner`, a folder in it or around it.
  private func listed(
    by entry: RecordIndex.Entry, in inner: RelativePath
  ) -> [(path: String, claim: Claim)] {
    let folder = entry.record.output
    let (top, prefix) = (folder.text + "/", inner.text + "/")
    return lastListings(of: folder).flatMap { listing -> [(path: String, claim: Claim)] in
      let wasPlaced = !entry.isPending || wasPlaced(listing, at: folder)
      return listing.entries.compactMap { file in
        let path = top + String(decoding: file.path, as: UTF8.self)
        guard path.utf8.starts(with: prefix.utf8), let claim = Claim(file, wasPlaced: wasPlaced) else {
          return nil
        }
        return (path, claim)
      }
    }
  }

  /// Whether a killed run has put the folder with this listing in place, or a part of it.
  private func wasPlaced(_ listing: TreeListing, at folder: RelativePath) -> Bool {
    if StagedTree.hasJournal(of: folder, key: Self.key(of: folder), statePath: statePath) { return true }
    // Without listings this is the folder's own signature.
    guard case .file(let here) = root.observe(tree: folder, by: [TreeListing](), keepingEdits: false).0 else {
      return false
    }
    return listing.folder == here.inode
  }

  /// Many files may have taken the place of one folder.
  private func lastListings(of folder: RelativePath) -> [TreeListing] {
    if let known = learnt.withLock({ $0.earlier }), known.folder == folder { return known.listings }
    let listings = earlierShelf.read(Self.key(of: folder))
    learnt.withLock { $0.earlier = (folder, listings) }
    return listings
  }

  /// What is at `path` if it is an edit by what is claimed, else `nil`.
  private func edit(_ path: RelativePath, among all: [String: [Claim]]) -> EarlierEdit? {
    let claims = all[path.text] ?? []
    guard let placed = claims.last(where: \.wasPlaced) else { return nil }
    do throws(FailureCause) {
      let file = try root.open(path)
      guard !claims.contains(where: { $0.signature == file.signature }) else { return nil }
      let actual = try Self.sha256(file)
      guard !claims.contains(where: { $0.sha256 == actual }) else { return nil }
      return EarlierEdit(path: path, expected: placed.sha256, actual: actual)
    } catch {
      guard case .outputUnwritable(_, let fault) = error else { return nil }
      let isEdit =
        switch fault {
        case .isLink: !claims.contains { $0.link.map { hasLink(to: $0, at: path) } ?? false }
        // One that holds what is recorded is nobody's edit.
        case .isFolder:
          !claims.contains(where: \.isFolder)
            && !all.keys.contains { $0.utf8.starts(with: (path.text + "/").utf8) }
        case .isDevice: true
        default: false
        }
      return isEdit
        ? EarlierEdit(path: path, expected: placed.sha256, isFolder: fault == .isFolder) : nil
    }
  }

  /// Whether a link that leads to `target` is at `path`, which is in a folder.
  private func hasLink(to target: [UInt8], at path: RelativePath) -> Bool {
    guard let folder = path.folders.last else { return false }
    let time = Timestamp(nanoseconds: 0)
    let wanted = TreeListing(
      [TreeListing.Entry(path: Array(path.name.utf8), kind: .link(target: target))],
      signature: FileSignature(size: 0, modified: time, changed: time, inode: 0))
    let found = try? root.settled(tree: folder, of: wanted) { file throws(FailureCause) in
      try Self.sha256(file)
    }
    return found?.entries.first?.signature != nil
  }
}
