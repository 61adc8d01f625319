package import Planning
package import SyncModel

/// Text about the records of targets.
package enum StatusText {
  /// One line for each target and a summary; ages are relative to `now`. Ends in a line end.
  ///
  /// No line is longer than the style's width (at least 40): what there is no room for is left out, first the
  /// description.
  package static func render(
    _ statuses: [TargetStatus], manifest: Manifest, style: TextStyle, now: Timestamp
  ) -> String {
    let secrets = manifest.secrets
    if statuses.isEmpty {
      return manifest.targets.isEmpty ? UnlistedText.nothing(manifest) : "no target is selected\n"
    }
    var table = TextTable(
      [
        ("STATE", .whole), ("LOCK", .whole), ("TARGET", .middle), ("SIZE", .right), ("CHECKED", .whole),
        ("UPDATED", .whole),
        ("OUTPUT", .middle), ("DESCRIPTION", .rest),
      ], expendable: ["DESCRIPTION", "CHECKED", "OUTPUT", "UPDATED"])
    for status in statuses {
      table.add(
        [
          status.state.rawValue, status.lock?.rawValue ?? "", secrets.shown(status.name),
          status.record.map { Quantity.size($0.content.size) } ?? "", age(status.record?.checkedAt, now),
          age(status.record?.updatedAt, now), output(status, secrets),
          manifest[status.id].summary.map(secrets.shown) ?? "",
        ], paint: paint(status.state))
    }
    return table.render(style) + summary(statuses) + "\n"
  }

  /// With the number of files in a folder, and those that were edited.
  private static func output(_ status: TargetStatus, _ secrets: SecretMask) -> String {
    guard let files = status.files else { return secrets.shown(status.output) }
    let edited = status.edited.isEmpty ? "" : "; edited: " + status.edited.row(of: status.editedCount)
    return secrets.shown("\(status.output.text) (\(Quantity.count(files, "file"))\(edited))")
  }

  private static func age(_ time: Timestamp?, _ now: Timestamp) -> String {
    guard let time else { return "" }
    return time > now ? "in the future" : "\(Quantity.age(now - time)) ago"
  }

  private static func summary(_ statuses: [TargetStatus]) -> String {
    let counts = TargetStatus.State.allCases.map { state in
      (statuses.count { $0.state == state }, state.rawValue)
    }
    let drifted = statuses.count { $0.lock == .drifted }
    return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      + (drifted > 0 ? "; \(drifted) not as locked" : "")
  }

  private static func paint(_ state: TargetStatus.State) -> Paint {
    switch state {
    case .present: .green
    case .missing, .modified, .orphaned: .yellow
    case .unknown: .faint
    }
  }
}
