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
    _ order: StagedTree.Order, for entries: TreeEntries?,
    digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) -> TreeForecast? {
    let old = order.old?.entries ?? TreeEntries()
    let (edited, missing) = order.old.map { edits(tree: order.output, of: $0) } ?? ([], [])
    var forecast = TreeForecast()
    forecast.recorded = old.fileCount
    forecast.missing = missing.count { order.old?[$0]?.kind != .folder }

    let made = MadeTree(of: entries ?? old, order.old, except: Set(edited + missing))
    let needsSurvey = order.rules.pruning == .all || entries != nil && order.edits == .keep
    let live = needsSurvey ? try? open(tree: order.output).0 : nil
    var survey: TreeSurvey?
    if let live {
      survey = try? TreeSurvey(
        order, made, of: live, wasMissing: false, ignoresCase: live.isKnownToIgnoreCase)
      guard survey != nil else { return nil }
    }
    if entries != nil {
      forecast.files = made.count
      var known = old
      var isKept = { [survey] place in survey?.isKept(made.entries.path(at: place)) == true }
      if order.old == nil, let (edited, absent) = differences(order.output, from: made.entries, digest) {
        let written = Set((edited + absent).compactMap { made.place(of: $0) })
        known = TreeEntries(edited.compactMap { path in made.place(of: path).map { made.entries[$0] } })
        isKept = { !written.contains($0) }
      }
      forecast.changes = TreeChanges(
        of: made.entries, since: known, order.rules.pruning, staying: survey?.staying ?? []
      ) { made.isStaged($0) && !isKept($0) }
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
    let dropped = survey.dropped.filter { made.place(of: $0) == nil }.sorted {
      $0.lexicographicallyPrecedes($1)
    }
    forecast.droppedCount = dropped.count
    forecast.dropped = dropped.prefix(TreeForecast.mostNamed).map { String(decoding: $0, as: UTF8.self) }
    return forecast
  }

  /// Which of these entries are there with other bytes, and which are not there; `nil` without the folder.
  private func differences(
    _ output: RelativePath, from entries: TreeEntries,
    _ digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) -> (edited: [[UInt8]], missing: [[UInt8]])? {
    let nobodys = FileSignature(
      size: 0, modified: Timestamp(nanoseconds: 0), changed: Timestamp(nanoseconds: 0), inode: 0)
    let wanted = TreeListing(entries.withoutSignatures, signature: nobodys)
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
    to order: StagedTree.Order, for entries: TreeEntries,
    digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) -> FailureCause? {
    guard let live = try? open(tree: order.output).0 else { return nil }
    let (edited, missing) = order.old.map { edits(tree: order.output, of: $0) } ?? ([], [])
    let made = MadeTree(of: entries, order.old, except: Set(edited + missing))
    let survey = try? TreeSurvey(
      order, made, of: live, wasMissing: false, ignoresCase: live.isKnownToIgnoreCase)
    if let failure = survey?.sparedFailure { return failure }
    let paths = survey?.refused ?? []
    let disputed = Set(paths)
    let files = TreeEntries(
      disputed.compactMap { path in made.place(of: path).map { made.entries[$0] } }
        .filter { if case .file = $0.kind { true } else { false } })
    let found = files.isEmpty ? nil : differences(order.output, from: files, digest)
    let others = found.map { Set($0.edited + $0.missing) } ?? Set(files.paths)
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

extension MadeTree {
  /// What would be made of these entries: those that are recorded with the same bytes, and are not among `others`, stay.
  fileprivate init(of entries: TreeEntries, _ old: TreeListing?, except others: Set<[UInt8]>) {
    self.init(of: entries) { place in
      let entry = entries[place]
      let recorded = others.contains(entry.path) ? nil : old?[entry.path]
      return recorded.flatMap { $0.isSame(as: entry) ? $0.signature : nil }
    }
  }
}
