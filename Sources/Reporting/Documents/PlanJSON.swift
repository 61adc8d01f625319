package import Planning
package import SyncModel

/// The document that `plan --json` prints: `syncmake.plan/1`, contract, section 7, `schema/plan.schema.json`.
package enum PlanJSON {
  /// Targets in the plan's order; ends in a line end.
  ///
  /// - whole: the whole plan, of which `plan` may be a part; the summary counts it.
  package static func render(
    _ plan: Plan, of whole: Plan? = nil, manifest: Manifest, shard: ShardFacts? = nil
  ) -> String {
    let whole = whole ?? plan
    let mask = manifest.secrets.mask
    return JSONWriter.document { json in
      json.field("format", "syncmake.plan/1")
      json.field("manifest", mask(manifest.fileName))
      ShardJSON.write(&json, shard)
      PolicyJSON.write(&json, manifest)
      json.object("summary") { summary in
        for action in PlanAction.allCases { summary.field(action.rawValue, whole.count(action)) }
      }
      json.objects("targets", plan.targets) { json, target in
        write(&json, target, isOptional: manifest[target.id].isOptional, manifest.secrets)
      }
      ListsJSON.write(&json, manifest)
    }
  }

  private static func write(
    _ json: inout JSONWriter, _ target: PlannedTarget, isOptional: Bool, _ secrets: SecretMask
  ) {
    json.field("name", secrets.mask(target.name.text))
    json.field("action", target.action.rawValue)
    json.field("reason", PlanWording.code(target) ?? ReasonCode.dependencyChanged.rawValue)
    json.field("detail", PlanWording.detail(target, secrets: secrets))
    json.field("output", target.output.shown.map(secrets.mask))
    json.strings("needs", target.needs.map { secrets.mask($0.text) })
    json.field("bytes", target.bytes)
    json.field("from", target.from?.rawValue)
    if let changes = target.tree?.changes {
      json.field("files", target.tree?.files)
      json.field("files_changed", changes.total)
    }
    json.field("list", target.list?.rawValue)
    json.field("lock", target.lock?.rawValue)
    if isOptional, target.action == .error { json.field("optional", true) }
    if let failure = target.failure {
      FailureJSON.write(&json, failure.code, FailureText.wording(failure, secrets: secrets))
    }
  }
}

/// The `error` field of a target.
enum FailureJSON {
  static func write(_ json: inout JSONWriter, _ code: FailureCode, _ message: String) {
    json.object("error") { error in
      error.field("code", code.rawValue)
      error.field("message", message)
    }
  }
}
