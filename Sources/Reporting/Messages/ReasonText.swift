import Planning
package import SyncModel

/// Says why a target is fresh or stale: the words beside a reason's code.
package enum ReasonText {
  /// One line for people, such as `ETag "a1" is now "b2"`; secrets masked, harmless on a terminal.
  package static func detail(_ reason: Reason, secrets: SecretMask) -> String {
    CleanText.clean(wording(reason, secrets: secrets))
  }

  /// The same with foreign texts as they are, for JSON; secrets masked.
  static func wording(_ reason: Reason, secrets: SecretMask) -> String {
    switch reason {
    case .fresh(let reason): wording(reason, secrets)
    case .stale(let reason): wording(reason, secrets)
    }
  }

  private static func wording(_ reason: FreshReason, _ secrets: SecretMask) -> String {
    switch reason {
    case .assumedFresh: "treated as fresh because of -o"
    case .leftToSeed: "as seed left it; a shard does not ask its source"
    case .keptModified: "edited locally, and kept because of local_changes: keep"
    case .inputsUnchanged: "its inputs have not changed"
    case .notModified(let own) where own.isOwnTime:
      "the source is not later than the output's own time, \(own.lastModified ?? "")"
    case .notModified(let validators): "\(name(validators, secrets)) is unchanged"
    case .digestMatches(let algorithm, let digest):
      "\(algorithm.rawValue) is \(digest), the same as published"
    case .serverDigestMatches(let told):
      "\(told.field.rawValue) gives the \(told.algorithm.rawValue) of the last download, \(told.digest)"
    case .asLocked(let digest): "sha256 is \(digest), the same as in \(LockFile.fileName)"
    case .withinInterval(let age, let period):
      "checked \(Quantity.age(age)) ago, interval \(Quantity.duration(period))"
    case .listUnchanged(let evidence): "the list has the \(name(evidence)) of the last download"
    case .listGone: "the list no longer has it; it is kept"
    case .listGoneEdited: "the list no longer has it; it is kept, since it was edited locally"
    case .listGoneWaits(let failed?):
      "the list no longer has it; its removal waits, since \(secrets.mask(failed.text)) failed"
    case .listGoneWaits(nil):
      "the list no longer has it; its removal waits until everything else has succeeded"
    case .listGoneMissing: "the list no longer has it; its output is missing"
    case .present: "the output exists, and the rule requires nothing else"
    case .touched: "recorded as it is, as -t asks"
    }
  }

  private static func wording(_ reason: StaleReason, _ secrets: SecretMask) -> String {
    switch reason {
    case .outputMissing: "the output does not exist"
    case .folderIncomplete(let gap): wording(gap, secrets)
    case .outputModified(let recorded?, let actual?):
      "edited locally: sha256 was \(recorded), now \(actual)"
    case .outputModified(let recorded?, nil): "edited locally: sha256 was \(recorded)"
    case .outputModified(nil, _): "edited locally"
    case .forced: "requested with -B or -W"
    case .definitionChanged(let changes):
      list(changes.map { wording($0, secrets) }, or: "its definition changed")
    case .dependencyChanged(let changes):
      list(changes.map { wording($0, secrets) }, or: "a dependency changed")
    case .neverSynced: "the output exists, and has no record"
    case .validatorChanged(let recorded, let observed): change(recorded, observed, secrets)
    case .newerRemote(let recorded, let observed): times(recorded, observed, secrets)
    case .digestDiffers(let algorithm, let expected, let actual?):
      "\(algorithm.rawValue) should be \(expected), is \(actual)"
    case .digestDiffers(let algorithm, let expected, nil):
      "\(algorithm.rawValue) should be \(expected), the file's is not known"
    case .notAsLocked(let locked, let actual):
      "sha256 is \(actual), but \(locked) in \(LockFile.fileName)"
    case .listChanged(let evidence, let was, let now): change(name(evidence), was, now, secrets)
    case .listGone: "the list no longer has it"
    case .always: "the rule is always"
    }
  }

  /// How the source of a pinned target differs from the lock.
  package static func moved(_ reason: StaleReason, secrets: SecretMask) -> String {
    // An entry that `newest` leaves out is still in the list.
    if case .listGone = reason { return "its entry is no longer selected from the list" }
    guard case .digestDiffers(let algorithm, let now, let was?) = reason else {
      return wording(.stale(reason), secrets: secrets)
    }
    return "\(algorithm.rawValue) \(was) is now \(now)"
  }

  private static func name(_ evidence: RevisionEvidence) -> String {
    switch evidence {
    case .digest(let algorithm): algorithm.rawValue
    case .entityTag: "ETag"
    case .version: "version"
    case .updated: "time"
    case .size: "size"
    }
  }

  private static func change(
    _ what: String, _ was: String?, _ now: String?, _ secrets: SecretMask
  ) -> String {
    let now = now.map { secrets.mask($0) } ?? "another one"
    return was.map { "the list had the \(what) \(secrets.mask($0)), and has \(now) now" }
      ?? "the list has the \(what) \(now) now"
  }

  private static func wording(_ gap: FolderGap, _ secrets: SecretMask) -> String {
    switch gap {
    case .files(0, _, let first): "an empty folder is missing: \(secrets.mask(first))"
    case .files(1, 1, let first): "its only file is missing: \(secrets.mask(first))"
    case .files(1, let all, let first): "1 of \(all) files is missing: \(secrets.mask(first))"
    case .files(let count, let all, let first):
      "\(count) of \(all) files are missing, first \(secrets.mask(first))"
    case .interruptedChange: "its last change was interrupted, and is completed first"
    }
  }

  private static func list(_ parts: [String], or nothing: String) -> String {
    parts.isEmpty ? nothing : parts.joined(separator: "; ")
  }

  private static func wording(_ change: FieldChange, _ secrets: SecretMask) -> String {
    "\(change.field) \(change.field == "steps" ? "were" : "was") \(value(change.was, secrets)), now \(value(change.now, secrets))"
  }

  /// Mirrors and steps are on separate lines of a field's value; here they become a list.
  private static func value(_ text: String?, _ secrets: SecretMask) -> String {
    guard let text else { return "not set" }
    return text.isEmpty ? "empty" : secrets.mask(text).split(separator: "\n").joined(separator: ", ")
  }

  private static func wording(_ change: DependencyChange, _ secrets: SecretMask) -> String {
    let name = secrets.mask(change.name.text)
    switch (change.kind, change.was, change.now) {
    case (.verify, let was?, let now?): return "the digest in \(name) was \(was), now \(now)"
    case (_, nil, _?): return "\(change.kind.rawValue) \(name) is new"
    default: return "\(change.kind.rawValue) \(name) changed"
    }
  }

  /// The name of a source's strongest validator.
  static func name(_ validators: Validators, _ secrets: SecretMask) -> String {
    if let etag = validators.etag { return "ETag \(secrets.mask(etag.text))" }
    if let date = validators.lastModified { return "Last-Modified \(secrets.mask(date))" }
    return validators.fileStamp == nil ? "the source" : "the source file"
  }

  private static func change(_ recorded: Validators?, _ observed: Validators?, _ secrets: SecretMask)
    -> String
  {
    switch SourceDifference(recorded, observed) {
    case .nothingRecorded: "no download with a validator is recorded"
    case .unconfirmed: "\(recorded.map { name($0, secrets) } ?? "the source") is no longer confirmed"
    case .etag(let was, let now): pair("ETag", was, now, secrets)
    case .lastModified(let was, let now): pair("Last-Modified", was, now, secrets)
    case .sourceFile: "the source file changed"
    case .size(let was, let now): sizes(was, now)
    case .place(let was, let now):
      "it came from \(secrets.mask(was)), and comes from \(secrets.mask(now)) now"
    }
  }

  private static func pair(_ what: String, _ was: String?, _ now: String?, _ secrets: SecretMask) -> String {
    switch (was.map(secrets.mask), now.map(secrets.mask)) {
    case (let was?, let now?): "\(what) \(was) is now \(now)"
    case (let was?, nil): "\(what) \(was) is gone"
    case (nil, let now?): "\(what) is now \(now)"
    case (nil, nil): "\(what) changed"
    }
  }

  private static func sizes(_ was: Int64, _ now: Int64) -> String {
    let (before, after) = Quantity.sizes(was, now)
    return was == now
      ? "the time of the source file changed" : "the source file had \(before), and has \(after) now"
  }

  private static func times(_ recorded: String?, _ observed: String?, _ secrets: SecretMask) -> String {
    switch (recorded.map(secrets.mask), observed.map(secrets.mask)) {
    case (let was?, let now?): "Last-Modified was \(was), now \(now)"
    case (nil, let now?): "Last-Modified is \(now), and the record has none"
    case (_?, nil): "the server sends no Last-Modified"
    case (nil, nil): "the server sends no Last-Modified, and the record has none"
    }
  }
}
