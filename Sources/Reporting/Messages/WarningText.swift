import SyncModel

/// Says what a warning of a run means.
package enum WarningText {
  /// One line for people, naming its target where it has one; secrets masked, harmless on a terminal.
  package static func message(_ warning: RunWarning, manifest: Manifest) -> String {
    let secrets = manifest.secrets
    switch warning {
    case .noValidator(let id, let url):
      let rule = manifest[id].freshness.map { " \(word($0.innermost))" } ?? ""
      return secrets.shown(manifest[id].name)
        + ": \(secrets.shown(url)) sends no ETag and no Last-Modified, so the rule\(rule) never finds it fresh"
    case .stateSetAside(let path, let why):
      return "cannot use the state (\(secrets.shown(why))): it is set aside as \(secrets.shown(path))"
    case .stateUnreadable(let why):
      return "cannot read the state (\(secrets.shown(why))): all targets count as never recorded"
    case .stateUnwritable(let path, let why):
      return
        "cannot write \(secrets.shown(path)) (\(secrets.shown(why))): this run, or a part of it, is not remembered"
    case .reportUnwritable(let path, let why):
      return "cannot write \(secrets.shown(path)) (\(secrets.shown(why))): it lacks what it was to tell"
    case .lock(let diagnostic): return secrets.shown(diagnostic.message)
    }
  }

  /// The next step; `nil` where there is none.
  package static func hint(_ warning: RunWarning) -> String? {
    switch warning {
    case .noValidator:
      "rules that work without them: {interval: 1d, then: always}, {sha256: {url: …}}, once, always"
    case .stateSetAside, .reportUnwritable: nil
    case .lock(let diagnostic): diagnostic.hint
    case .stateUnreadable:
      "a run begins it anew where it may write there; --state-dir names another folder"
    case .stateUnwritable:
      "check its path, its permissions and the room on the disk, or name another folder with --state-dir"
    }
  }

  /// A rule's word in the manifest.
  static func word(_ rule: FreshnessRule) -> String {
    switch rule {
    case .etag: "etag"
    case .mtime: "mtime"
    case .digest(let rule): rule.algorithm.rawValue
    case .interval(let period, let then): "interval \(Quantity.duration(period)), then \(word(then))"
    case .once: "once"
    case .always: "always"
    }
  }
}
