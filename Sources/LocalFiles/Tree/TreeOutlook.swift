import Platform
package import SyncModel

extension RootFolder {
  /// What a run would do to a folder output, for a plan: nothing is written.
  ///
  /// `entries` are those of the archive, by whose digests files are compared with the recorded ones; `nil` if it is not
  /// here: then only what is missing, and what `prune: all` removes if the archive is as before, is told. Edited files
  /// count as changed, unless they stay. `nil` if the folder cannot be examined.
  package func outlook(_ order: StagedTree.Order, for entries: [TreeListing.Entry]?) -> TreeForecast? {
    let old = order.old?.entries ?? []
    let (edited, missing) = order.old.map { edits(tree: order.output, of: $0) } ?? ([], [])
    let others = Set(edited + missing)
    var forecast = TreeForecast()
    forecast.recorded = old.count { $0.kind != .folder }
    forecast.missing = missing.count { order.old?[$0]?.kind != .folder }

    var made: [[UInt8]: StagedTree.Made] = [:]
    for entry in entries ?? old where entry.kind != .folder {
      let recorded = others.contains(entry.path) ? nil : order.old?[entry.path]
      let signature = recorded.flatMap { $0.isSame(as: entry) ? $0.signature : nil }
      made[entry.path] = StagedTree.Made(
        kind: entry.kind, size: entry.size, source: signature.map { .live($0) } ?? .staged)
    }
    if entries != nil {
      forecast.files = made.count
      let kept = order.keeps(edited)
      forecast.changes = TreeChanges(
        of: made.lazy.map { ($0.key, $0.value.isStaged && !kept.contains($0.key)) }, since: old,
        order.rules.pruning)
    }
    guard order.rules.pruning == .all, let live = try? open(tree: order.output).0 else { return forecast }
    let survey = try? TreeSurvey(
      order, made, entries ?? old, of: live, wasMissing: false, ignoresCase: live.isKnownToIgnoreCase)
    guard let survey else { return nil }
    let dropped = survey.dropped.sorted { $0.lexicographicallyPrecedes($1) }
    forecast.droppedCount = dropped.count
    forecast.dropped = dropped.prefix(TreeForecast.mostNamed).map { String(decoding: $0, as: UTF8.self) }
    return forecast
  }
}
