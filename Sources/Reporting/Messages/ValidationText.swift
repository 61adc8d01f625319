package import SyncModel

/// The text of `validate` for a valid manifest.
package enum ValidationText {
  /// One line with the numbers of targets, lists and groups; ends in a line end.
  package static func valid(_ manifest: Manifest) -> String {
    // What waits for a list or a value is not known yet, but it is a target.
    let targets = manifest.targets.count + manifest.waiting.count
    let lists = manifest.templates.count
    var counts: [String] = []
    if targets > 0 || lists == 0 { counts.append(Quantity.count(targets, "target")) }
    if lists > 0 { counts.append(Quantity.count(lists, "list")) }
    if !manifest.groups.isEmpty { counts.append(Quantity.count(manifest.groups.count, "group")) }
    return CleanText.clean("\(manifest.fileName) is valid: \(counts.joined(separator: ", "))") + "\n"
  }
}
