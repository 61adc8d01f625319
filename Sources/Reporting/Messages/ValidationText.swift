package import SyncModel

/// The text of `validate` for a valid manifest.
package enum ValidationText {
  /// One line with the numbers of targets and groups; ends in a line end.
  package static func valid(_ manifest: Manifest) -> String {
    // Those that use the value of an output are not known yet.
    let waiting = manifest.values.isEmpty ? 0 : manifest.waiting.count
    var counts = [Quantity.count(manifest.targets.count + waiting, "target")]
    if !manifest.groups.isEmpty { counts.append(Quantity.count(manifest.groups.count, "group")) }
    return CleanText.clean("\(manifest.fileName) is valid: \(counts.joined(separator: ", "))") + "\n"
  }
}
