package import SyncModel

/// Shows people the targets and groups of a manifest.
package enum ListText {
  /// A line for each target with its output and description, then one for each group with its targets.
  ///
  /// No line is longer than a terminal's width (at least 40). Ends in a line end.
  package static func render(_ manifest: Manifest, style: TextStyle) -> String {
    let secrets = manifest.secrets
    guard !manifest.targets.isEmpty else { return UnlistedText.nothing(manifest) }
    var targets = TextTable(
      [("TARGET", .middle), ("OUTPUT", .middle), ("DESCRIPTION", .rest)], expendable: ["DESCRIPTION"])
    for target in manifest.present {
      targets.add([
        secrets.shown(target.name), secrets.shown(target.output),
        target.summary.map(secrets.shown) ?? "",
      ])
    }
    guard !manifest.groups.isEmpty else { return targets.render(style) }
    var groups = TextTable([("GROUP", .middle), ("TARGETS", .rest)])
    for group in manifest.groups {
      let names = group.members.map { secrets.shown(manifest[$0].name) }
      groups.add([secrets.shown(group.name), names.isEmpty ? "none" : names.joined(separator: ", ")])
    }
    return targets.render(style) + "\n" + groups.render(style)
  }
}
