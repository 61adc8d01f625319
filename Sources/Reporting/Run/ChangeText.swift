import SyncModel

/// The change in a few words, for a finished target's line; ``ReasonText`` has the full text.
enum ChangeText {
  /// A long ETag is cut in the middle to so many columns.
  private static let mostColumns = 40
  private static let digestLength = 12

  /// Such as `ETag "a1" -> "b2"`, safe for a terminal; `nil` if the result's word is enough.
  static func text(_ reason: Reason?, secrets: SecretMask) -> String? {
    guard case .stale(let reason)? = reason else { return nil }
    return text(reason, secrets).map(CleanText.clean)
  }

  private static func text(_ reason: StaleReason, _ secrets: SecretMask) -> String? {
    switch reason {
    case .outputMissing, .always: nil
    case .folderIncomplete(.files(1, let all, _)): "1 of \(all) files was missing"
    case .folderIncomplete(.files(let count, let all, _)) where count > 0:
      "\(count) of \(all) files were missing"
    case .folderIncomplete(.files): "an empty folder was missing"
    case .folderIncomplete(.interruptedChange): "its last change was interrupted"
    case .neverSynced: "it had no record"
    case .forced: "requested with -B or -W"
    case .outputModified: "an edit was replaced"
    case .definitionChanged(let changes) where changes.map(\.field) == ["entry"]:
      "the list gives another entry"
    case .definitionChanged(let changes):
      changes.isEmpty ? "the manifest changed" : "\(list(changes.map(\.field))) changed in the manifest"
    case .dependencyChanged(let changes):
      changes.isEmpty
        ? "a dependency changed" : "\(list(changes.map { secrets.mask($0.name.text) })) changed"
    case .validatorChanged(let recorded, let observed):
      text(SourceDifference(recorded, observed), secrets)
    case .newerRemote(let recorded?, let observed?): arrow("Last-Modified", recorded, observed, secrets)
    case .newerRemote: nil
    case .digestDiffers(let algorithm, let expected, let actual?): arrow(algorithm, actual, expected)
    case .digestDiffers(_, _, nil): nil
    case .listChanged(.version, let was?, let now?): arrow("version", was, now, secrets)
    case .listChanged(.size, _, _): "the list has another size"
    case .listChanged: "the list has another version"
    case .listGone: "the list no longer has it"
    case .notAsLocked(let locked, let actual): arrow(.sha256, actual, locked) + ", as locked"
    }
  }

  private static func text(_ difference: SourceDifference, _ secrets: SecretMask) -> String? {
    switch difference {
    case .etag(let was?, let now?): arrow("ETag", was, now, secrets)
    case .lastModified(let was?, let now?): arrow("Last-Modified", was, now, secrets)
    case .size(let was, let now) where was != now:
      { "\($0) -> \($1)" }(Quantity.sizes(was, now).0, Quantity.sizes(was, now).1)
    case .etag, .lastModified, .size, .place, .nothingRecorded, .unconfirmed, .sourceFile: nil
    }
  }

  private static func arrow(_ what: String, _ was: String, _ now: String, _ secrets: SecretMask) -> String {
    let (was, now) = (secrets.shown(was), secrets.shown(now))
    return
      "\(what) \(TextWidth.cutMiddle(was, to: mostColumns)) -> \(TextWidth.cutMiddle(now, to: mostColumns))"
  }

  private static func arrow(_ algorithm: DigestAlgorithm, _ was: HexDigest, _ now: HexDigest) -> String {
    "\(algorithm.rawValue) \(was.text.prefix(digestLength)) -> \(now.text.prefix(digestLength))"
  }

  /// The first three; `-v` and `explain` show all.
  private static func list(_ names: [String]) -> String { names.prefix(3).row(of: names.count) }
}
