/// The model's targets as a manifest.
struct ModelManifest {
  var world: ModelWorld
  var contents: ModelContents

  var text: String {
    var text = "version: 1\ndefaults: {\(Workbench.timeout)}\ntargets:\n"
    for target in world.targets {
      text += "  \(target.name):\n    output: \(target.name)\n    retries: \(target.retries)\n"
      text += "    local_changes: \(target.localChanges.rawValue)\n"
      text += "    needs: [\(target.needs.map { "t\($0)" }.joined(separator: ", "))]\n"
      if let from = target.from {
        text += "    from: t\(from)\n"
        // A step that changes only the definition.
        if target.variant == 1 { text += "    mode: \"0644\"\n    steps: []\n" }
      } else {
        text += "    url: ${env:BASE}\(target.path)\n    freshness: \(ruleText(target.rule, of: target))\n"
      }
      if target.unpacks { text += "    steps: [gunzip]\n" }
    }
    return text
  }

  private func ruleText(_ rule: ModelTarget.Rule, of target: ModelTarget) -> String {
    switch rule {
    case .etag: "etag"
    case .mtime: "mtime"
    case .once: "once"
    case .always: "always"
    case .digest: "{sha256: \(contents.digests[target.expected])}"
    case .sidecar: "{sha256: {url: \"${env:BASE}\(target.path).sha256\"}}"
    case .interval(let then): "{interval: 1h, then: \(ruleText(then, of: target))}"
    }
  }
}
