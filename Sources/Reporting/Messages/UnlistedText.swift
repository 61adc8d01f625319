package import SyncModel

/// Says of which targets nothing is known, for commands that ask no list.
package enum UnlistedText {
  /// Longer lists are cut.
  private static let most = 10

  /// That a manifest has no target, or that none is known yet; ends in a line end.
  package static func nothing(_ manifest: Manifest) -> String {
    let file = manifest.secrets.shown(manifest.fileName)
    return manifest.isExpandable ? "no target of \(file) is known yet\n" : "\(file) has no targets\n"
  }

  /// A line for each template without targets, and for each target that waits for one of its targets, or for another one
  /// that uses an unknown value; none for a manifest of which all targets are known.
  package static func lines(_ manifest: Manifest) -> [String] {
    func shown(_ name: String) -> String { manifest.secrets.shown(TargetName(name)) }
    let values = Dictionary(
      manifest.values.map { ($0.key, $0.name) }, uniquingKeysWith: { first, _ in first })
    let users = Dictionary(
      manifest.waiting.lazy.compactMap { target in values[target.template].map { (target.name.text, $0) } },
      uniquingKeysWith: { first, _ in first })
    func awaited(_ name: String, _ one: String) -> String {
      guard let value = users[name] else { return "\(one) of \(shown(name))" }
      return "\(shown(name)), which needs the value of \(manifest.secrets.mask(value))"
    }
    var lines: [String] = []
    for template in manifest.templates {
      let name = shown(template.list.template)
      switch template.state {
      case .unread: lines.append("the targets of \(name) are not known: no run has stored its list")
      case .invalid(let fault):
        let cause = FailureCause.listInvalid(
          source: manifest.secrets.mask(template.list.url.shown), .expansion(fault))
        lines.append(
          "the targets of \(name) are not known: \(FailureText.message(cause, secrets: manifest.secrets))")
      case .waiting(let other): lines.append("the targets of \(name) wait for \(awaited(other, "one"))")
      case .expanded: break
      }
    }
    lines += manifest.waiting.filter { values[$0.template] == nil }.map {
      "\(manifest.secrets.shown($0.name)) waits for \(awaited($0.template, "a target"))"
    }
    guard lines.count > most else { return lines }
    return lines.prefix(most) + ["\(lines.count - most) more are not known"]
  }
}
