package import SyncModel

/// The document that `run --json` prints: `syncmake.run/1`, contract, section 7, `schema/run.schema.json`.
package enum RunJSON {
  /// Targets in manifest order, whatever the order of `results`; ends in a line end.
  ///
  /// `failure` is a cause that belongs to no target; `exitStatus` is told of a `shard`.
  package static func render(
    results: [TargetResult], status: RunStatus, failure: FailureCause? = nil, removed: [Output] = [],
    cache: CacheAccount? = nil, manifest: Manifest, shard: ShardFacts? = nil, exitStatus: Int = 0
  ) -> String {
    JSONWriter.document { json in
      json.field("format", "syncmake.run/1")
      json.field("manifest", manifest.secrets.mask(manifest.fileName))
      ShardJSON.write(&json, shard, status: exitStatus)
      PolicyJSON.write(&json, manifest)
      json.field("status", status.rawValue)
      json.object("summary") { writeCounts(&$0, results) }
      json.objects("targets", results.sorted { $0.id < $1.id }) { write(&$0, $1, manifest.secrets) }
      ListsJSON.write(&json, manifest)
      if !manifest.templates.isEmpty {
        json.strings("removed", removed.map { manifest.secrets.mask($0.text) })
      }
      if let cache { json.object("cache") { write(&$0, cache) } }
      if let failure {
        FailureJSON.write(&json, failure.code, FailureText.wording(failure, secrets: manifest.secrets))
      }
    }
  }

  private static func write(_ json: inout JSONWriter, _ cache: CacheAccount) {
    json.field("hits", cache.hits)
    json.field("misses", cache.misses)
    json.field("stored", cache.stored)
    json.field("bad", cache.bad)
    json.field("errors", cache.errors)
  }

  static func writeCounts(_ json: inout JSONWriter, _ results: [TargetResult]) {
    for outcome in Outcome.allCases {
      json.field(outcome.rawValue, results.count { $0.outcome == outcome })
    }
  }

  static func write(_ json: inout JSONWriter, _ result: TargetResult, _ secrets: SecretMask) {
    json.field("name", secrets.mask(result.name.text))
    writeOutcome(&json, result, secrets)
  }

  /// Everything but the name.
  static func writeOutcome(_ json: inout JSONWriter, _ result: TargetResult, _ secrets: SecretMask) {
    json.field("outcome", result.outcome.rawValue)
    json.field("reason", ResultWording.code(result))
    json.field("detail", ResultWording.detail(result, secrets: secrets))
    json.field("output", result.output.shown.map(secrets.mask))
    if result.outcome != .skipped { writeWork(&json, result, secrets) }
    if result.isUnchanged, result.outcome == .updated { json.field("unchanged", true) }
    if result.isOptional, result.outcome == .failed { json.field("optional", true) }
    if let failure = result.failure {
      FailureJSON.write(&json, failure.code, FailureText.wording(failure, secrets: secrets))
    }
  }

  /// The work and its result.
  private static func writeWork(_ json: inout JSONWriter, _ result: TargetResult, _ secrets: SecretMask) {
    json.field("size", result.content?.size)
    json.field(result.output.isFolder ? "tree" : "sha256", result.content?.sha256?.text)
    json.field("files", result.tree?.files)
    json.field("files_changed", result.tree?.changes.total)
    json.field("bytes_transferred", result.totals.bytes)
    json.field("bytes_resumed", result.bytesResumed)
    if let from = result.from {
      json.field("from", from.rawValue)
      json.field("bytes_from_cache", result.bytesFromCache)
    }
    json.field("requests", result.totals.requests)
    json.field("http_status", result.httpStatus)
    json.field("url", result.url.map(secrets.mask))
    json.field("duration_ms", Quantity.milliseconds(result.duration))
  }
}

/// Texts about a finished target that JSON and lines for people share.
package enum ResultWording {
  /// The code of a verdict, or why the target was skipped; `nil` if there is none.
  package static func code(_ result: TargetResult) -> String? {
    switch result.skipped {
    case .dependency?, .dependencyTogether?, .together?: "dependency-failed"
    case .runStopped?, .withheld?, .nothingToTouch?, nil: result.reason?.code.rawValue
    }
  }

  /// Foreign texts unchanged, secrets masked; `nil` if the failure says everything.
  package static func detail(_ result: TargetResult, secrets: SecretMask) -> String? {
    switch result.skipped {
    case .dependency(let name)?: "it depends on \(secrets.mask(name.text)), which did not succeed"
    case .dependencyTogether(let name, let other)?:
      "it depends on \(secrets.mask(name.text)), and \(secrets.mask(name.text)) is published together with "
        + "\(secrets.mask(other.text)), which did not succeed"
    case .together(let name)?:
      "it is published together with \(secrets.mask(name.text)), which did not succeed"
    case .runStopped?: "the run was stopped before this was done"
    case .withheld?: "the update failed; what was fetched is kept for the next update"
    case .nothingToTouch? where result.output.isFolder:
      "nothing is known of the folder: a run has to unpack it"
    case .nothingToTouch?: "there is no file to record"
    case nil: result.reason.map { ReasonText.wording($0, secrets: secrets) }
    }
  }
}
