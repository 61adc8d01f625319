package import Planning
package import SyncModel

/// Tells people what `lock` and `update` changed in the lock file.
package enum LockText {
  /// One line for each change and one for the file; ends in a line end.
  ///
  /// `hadLock`: whether there was a lock file before.
  package static func render(
    _ changes: [PinChange], _ values: [ValueChange] = [], hadLock: Bool, targets: Int, style: TextStyle,
    secrets: SecretMask
  ) -> String {
    guard !changes.isEmpty || !values.isEmpty else {
      let what = hadLock ? "\(LockFile.fileName) is up to date" : "wrote \(LockFile.fileName)"
      return "\(what): \(Quantity.count(targets, "target"))\n"
    }
    // For a first lock the targets are not listed.
    let lines =
      hadLock ? values.map { line($0, style, secrets) } + changes.map { line($0, style, secrets) } : []
    return lines.joined() + "wrote \(LockFile.fileName): \(summary(changes, values))\n"
  }

  /// The changes that an update would make: a line for each, and a summary; ends in a line end.
  ///
  /// Outputs that it would remove have lines of their own if the lock does not have their targets.
  package static func render(
    _ forecast: UpdateForecast, _ values: [ValueChange] = [], _ plan: Plan, style: TextStyle,
    secrets: SecretMask
  ) -> String {
    let removals = removals(in: plan, besides: forecast, style, secrets)
    guard forecast.hasChanges || !values.isEmpty else { return removals + "no target would move\n" }
    let lines = forecast.changes.map { change in
      let moved = plan.targets.first { $0.name == change.name }?.moved
      let reason =
        forecast.contradictions[change.name].map {
          secrets.mask(LockReviewText.wording($0, byList: forecast.listed.contains(change.name)))
        }
        ?? moved.map { ReasonText.moved($0, secrets: secrets) }
      let why = reason.map { "  " + CleanText.clean($0) } ?? ""
      let word = style.paint(change.kind.rawValue, change.kind == .removed ? .yellow : .green)
      return "\(word)  \(secrets.shown(change.name))\(why)\n"
    }
    return removals + values.map { line($0, style, secrets) }.joined() + lines.joined()
      + "an update would change \(LockFile.fileName): \(summary(forecast.changes, values))\n"
  }

  private static func removals(
    in plan: Plan, besides forecast: UpdateForecast, _ style: TextStyle, _ secrets: SecretMask
  ) -> String {
    let told = Set(forecast.changes.map(\.name))
    return plan.removals.filter { !told.contains($0.name) }.map { result in
      let output = CleanText.clean(secrets.mask(result.output.text))
      let why = result.reason.map { "  " + ReasonText.detail($0, secrets: secrets) } ?? ""
      return "\(style.paint("removed", .yellow))  \(secrets.shown(result.name))  \(output)\(why)\n"
    }.joined()
  }

  /// Only an update can tell whether some targets have moved; `nil` if there are none.
  package static func unknown(_ names: [TargetName], of manifest: Manifest) -> (
    message: String, hint: String
  )? {
    guard let first = names.first else { return nil }
    let others = names.count > 1 ? " and \(names.count - 1) more" : ""
    let update = manifest.place.command("update")
    return (
      "\(first)\(others): only an update can show whether \(names.count == 1 ? "this has" : "these have") moved",
      "nothing else shows what the source has; \(update) downloads it or makes it again, and compares"
    )
  }

  /// Optional targets without an entry, and the consequence; `nil` if there are none.
  package static func unlocked(_ names: [TargetName], of manifest: Manifest) -> (
    message: String, hint: String
  )? {
    guard !names.isEmpty else { return nil }
    return (
      LockReviewText.lacking(names.map(\.text)),
      "`run --locked` fails until \(manifest.place.command("lock")) has locked \(names.count == 1 ? "it" : "them")"
    )
  }

  /// Optional targets whose entries are not the manifest's, and the consequence.
  package static func contradicting(
    _ found: [(id: TargetID, what: LockContradiction)], _ manifest: Manifest
  ) -> [(message: String, hint: String)] {
    found.map { id, what in
      let name = manifest[id].name
      return (
        "\(name): \(LockReviewText.wording(what))",
        "`run --locked` fails until \(manifest.place.command("update \(name)")) has locked it"
      )
    }
  }

  /// Files that `--touch` has recorded and that are not as they are locked; `nil` if there are none.
  package static func touchedOthers(_ names: [TargetName]) -> (message: String, hint: String)? {
    guard let first = names.first else { return nil }
    guard names.count > 1 else {
      return (
        "\(first) is recorded, but \(LockFile.fileName) has another version",
        "the next run replaces it by the locked version: move the file away to keep it"
      )
    }
    return (
      "\(names.count) targets are recorded, but \(LockFile.fileName) has other versions: \(LockReviewText.some(names.map(\.text)))",
      "the next run replaces them by the locked versions: move the files away to keep them"
    )
  }

  /// A target whose new bytes were compared with a digest of `list`, which is not updated with it.
  package static func comparedWithLocked(_ name: TargetName, _ list: TargetName, in manifest: Manifest) -> (
    message: String, hint: String
  ) {
    let update = manifest.place.command("update \(list) \(name)")
    return (
      "\(name) was compared with \(list) of the locked version",
      "\(update) takes what the sources have now of both"
    )
  }

  /// What lists have and the lock has not, and how to take it.
  package static func unlockedEntries(of manifest: Manifest) -> [(message: String, hint: String)] {
    let secrets = manifest.secrets
    return manifest.templates.filter { !$0.unlocked.isEmpty }.map { template in
      let entries = template.unlocked.prefix(3).map { entry in
        CleanText.clean(
          secrets.mask(entry.key.text) + (entry.version.map { " (version \(secrets.mask($0.text)))" } ?? ""))
      }
      let keys = entries.row(of: template.unlocked.count)
      let name = CleanText.clean(secrets.mask(template.list.template))
      return (
        "\(name): the list has entries that are not locked: \(keys)",
        "\(manifest.place.command("update")) takes them"
      )
    }
  }

  /// The variables whose values have moved past the lock, and how to take them.
  package static func movedValues(of manifest: Manifest) -> [(message: String, hint: String)] {
    let secrets = manifest.secrets
    return manifest.values.compactMap { value -> (message: String, hint: String)? in
      guard let locked = value.text, let now = value.upstream else { return nil }
      return (
        CleanText.clean(
          secrets.mask("the value of \(value.name) has moved from \"\(locked)\" to \"\(now)\"")),
        "\(manifest.place.command("update \(secrets.shown(value.target))")) takes it"
      )
    }
  }

  private static func line(_ change: ValueChange, _ style: TextStyle, _ secrets: SecretMask) -> String {
    let now = change.now.map { "\"\($0)\"" } ?? "a value that only an update can tell"
    let text = "${\(change.name)}  \"\(change.was)\" to \(now)"
    return "\(style.paint("moved", .green))  \(CleanText.clean(secrets.mask(text)))\n"
  }

  private static func line(_ change: PinChange, _ style: TextStyle, _ secrets: SecretMask) -> String {
    let word = style.paint(change.kind.rawValue, change.kind == .removed ? .yellow : .green)
    return "\(word)  \(secrets.shown(change.name))\(detail(change))\n"
  }

  private static func detail(_ change: PinChange) -> String {
    guard let was = change.was, let now = change.now, change.kind == .moved else { return "" }
    let (before, after) = Quantity.sizes(was.output.size, now.output.size)
    return
      "  sha256 \(was.output.sha256.text.prefix(12)) to \(now.output.sha256.text.prefix(12)), \(before) to \(after)"
  }

  private static func summary(_ changes: [PinChange], _ values: [ValueChange]) -> String {
    let kinds = PinChange.Kind.allCases.map { ($0.count(in: changes, values), $0.rawValue) }
    return kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

extension PinChange.Kind {
  /// How many targets changed in this way; a variable with another value has moved, too.
  func count(in changes: [PinChange], _ values: [ValueChange]) -> Int {
    changes.count { $0.kind == self } + (self == .moved ? values.count : 0)
  }
}
