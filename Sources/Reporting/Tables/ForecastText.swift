import Planning
import SyncModel

/// What a plan says of the files of a folder.
enum ForecastText {
  /// How many files would be added and so on; `nil` if nothing is known.
  static func counts(_ forecast: TreeForecast) -> String? {
    if let changes = forecast.changes {
      let counts = [
        (changes.added, "added"), (changes.changed, "changed"), (changes.removed, "removed"),
        (changes.kept, "kept"),
      ]
      let known = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      let size = forecast.archiveSize.map { " of \(Quantity.size($0))" } ?? ""
      return "archive\(size): \(known.isEmpty ? "no files" : "files: " + known)"
    }
    guard forecast.missing > 0 else { return nil }
    return "\(forecast.missing) of \(forecast.recorded) files \(forecast.missing == 1 ? "is" : "are") missing"
  }

  /// Which files `prune: all` removes though nobody recorded them; `nil` if there are none. Without the archive it is not
  /// known whether anything else changes, and an archive without anything new, as after `-B`, writes nothing. Foreign texts as they are.
  static func dropped(_ forecast: TreeForecast, secrets: SecretMask) -> String? {
    guard forecast.droppedCount > 0 else { return nil }
    let count = forecast.droppedCount
    let names = forecast.dropped.map(secrets.mask).row(of: count)
    let what =
      if forecast.changes != nil {
        "what nobody recorded (\(count))"
      } else if forecast.recorded > 0 {
        "what nobody recorded (\(count)) if anything else in the folder changes"
      } else {
        "what is not in the archive, of these (\(count))"
      }
    return "`prune: all` removes \(what): \(names)"
  }
}
