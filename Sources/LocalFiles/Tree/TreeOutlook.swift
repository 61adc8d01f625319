import Platform
package import SyncModel

extension RootFolder {
  /// What a run would do to a folder output, for a plan: nothing is written.
  ///
  /// `entries` are those of the archive, by whose digests files are compared with the recorded ones; `nil` if it is not
  /// here: then only what is missing is told, and what `prune: all` may remove, which without a record is all that is
  /// there. Edited files count as changed, unless they stay. If nothing is recorded, `digest` reads the files that are there:
  /// those with the same bytes stay. `nil` if the folder cannot be examined.
  package func outlook(
    _ order: StagedTree.Order, for entries: [TreeListing.Entry]?,
    digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) -> TreeForecast? {
    let old = order.old?.entries ?? []
    let (edited, missing) = order.old.map { edits(tree: order.output, of: $0) } ?? ([], [])
    var forecast = TreeForecast()
    forecast.recorded = old.count { $0.kind != .folder }
    forecast.missing = missing.count { order.old?[$0]?.kind != .folder }

    let made = StagedTree.Made.all(of: entries ?? old, order.old, except: Set(edited + missing))
    let needsSurvey = order.rules.pruning == .all || entries != nil && order.edits == .keep
    let live = needsSurvey ? try? open(tree: order.output).0 : nil
    var survey: TreeSurvey?
    if let live {
      survey = try? TreeSurvey(
        order, made, entries ?? old, of: live, wasMissing: false, ignoresCase: live.isKnownToIgnoreCase)
      guard survey != nil else { return nil }
    }
    if entries != nil {
      forecast.files = made.count
      var (kept, known): (Set<[UInt8]>, _) = (Set(made.keys.filter { survey?.isKept($0) == true }), old)
      if order.old == nil, let (others, absent) = differences(order.output, from: made, digest) {
        kept = Set(made.keys).subtracting(others).subtracting(absent)
        known = others.compactMap { path in made[path].map { TreeListing.Entry(path: path, kind: $0.kind) } }
      }
      forecast.changes = TreeChanges(
        of: made.lazy.map { ($0.key, $0.value.isStaged && !kept.contains($0.key)) }, since: known,
        order.rules.pruning, staying: survey?.staying ?? [])
    }
    // A folder that is as its archive is left alone.
    let isAsArchive =
      entries.map { entries in
        !order.rules.keepsModes && (edited.isEmpty || order.edits == .keep) && missing.isEmpty
          && entries.count == old.count
          && zip(entries, old).allSatisfy { $0.isSame(as: $1) }
      } ?? false
    guard order.rules.pruning == .all, let survey, !isAsArchive, survey.failure == nil else {
      return forecast
    }
    let dropped = survey.dropped.filter { made[$0] == nil }.sorted { $0.lexicographicallyPrecedes($1) }
    forecast.droppedCount = dropped.count
    forecast.dropped = dropped.prefix(TreeForecast.mostNamed).map { String(decoding: $0, as: UTF8.self) }
    return forecast
  }

  /// Which of these files and links are there with other bytes, and which are not there; `nil` without the folder.
  private func differences(
    _ output: RelativePath, from made: [[UInt8]: StagedTree.Made],
    _ digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) -> (edited: [[UInt8]], missing: [[UInt8]])? {
    let nobodys = FileSignature(
      size: 0, modified: Timestamp(nanoseconds: 0), changed: Timestamp(nanoseconds: 0), inode: 0)
    let wanted = TreeListing(
      made.map { TreeListing.Entry(path: $0.key, kind: $0.value.kind, size: $0.value.size) },
      signature: nobodys)
    guard (try? open(tree: output)) != nil,
      let settled = try? settled(tree: output, of: wanted, digest: digest)
    else {
      return nil
    }
    return edits(tree: output, of: settled)
  }

  /// Why a run that unpacks `entries` would fail by what is in the folder now; `nil` if nothing is in their way.
  ///
  /// `digest` reads a file. A file or link with the same bytes as its entry is no obstacle.
  package func objection(
    to order: StagedTree.Order, for entries: [TreeListing.Entry],
    digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) -> FailureCause? {
    guard let live = try? open(tree: order.output).0 else { return nil }
    let (edited, missing) = order.old.map { edits(tree: order.output, of: $0) } ?? ([], [])
    let made = StagedTree.Made.all(of: entries, order.old, except: Set(edited + missing))
    let survey = try? TreeSurvey(
      order, made, entries, of: live, wasMissing: false, ignoresCase: live.isKnownToIgnoreCase)
    if let failure = survey?.sparedFailure { return failure }
    let paths = survey?.refused ?? []
    let disputed = Set(paths)
    let files = made.filter { if case .file = $0.value.kind { disputed.contains($0.key) } else { false } }
    let found = files.isEmpty ? nil : differences(order.output, from: files, digest)
    let others = found.map { Set($0.edited + $0.missing) } ?? Set(files.keys)
    var walker = TreeWalker(live)
    let refused = paths.filter { path in
      switch made[path]?.kind {
      case .link(let target):
        (try? walker.place(of: path)).flatMap { try? $0.folder.target(of: $0.name) } != target
      case .file: others.contains(path)
      case .folder, nil: true
      }
    }
    return refused.isEmpty ? nil : .edited(refused)
  }
}

extension StagedTree.Made {
  /// What would be made of these entries: those that are recorded with the same bytes, and are not among `others`, stay.
  fileprivate static func all(
    of entries: [TreeListing.Entry], _ old: TreeListing?, except others: Set<[UInt8]>
  ) -> [[UInt8]: StagedTree.Made] {
    var made: [[UInt8]: StagedTree.Made] = [:]
    for entry in entries where entry.kind != .folder {
      let recorded = others.contains(entry.path) ? nil : old?[entry.path]
      let signature = recorded.flatMap { $0.isSame(as: entry) ? $0.signature : nil }
      made[entry.path] = StagedTree.Made(
        kind: entry.kind, size: entry.size, source: signature.map { .live($0) } ?? .staged)
    }
    return made
  }
}
