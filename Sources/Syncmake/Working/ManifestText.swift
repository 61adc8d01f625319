import ManifestParsing
import SyncModel

/// The text of a manifest that is built in Swift, for the parser that reads all manifests: so each rule of validity
/// exists once.
struct ManifestText {
  private(set) var text = "version: 1\ntargets:\n"
  /// The values of the `${secret:NAME}` that stand for credentials.
  private(set) var secrets: [String: String] = [:]

  init(_ targets: [Target]) {
    if targets.isEmpty { text = "version: 1\ntargets: {}\n" }
    for target in targets {
      addition(target).append(to: &text)
    }
  }

  private mutating func addition(_ target: Target) -> TargetAddition {
    let urls = target.urls.map(Written.literal)
    var addition = TargetAddition(name: Written.literal(target.name), url: urls.first ?? "")
    addition.mirrors = Array(urls.dropFirst())
    addition.from = target.from.map(Written.literal)
    addition.output = target.output.map(Written.literal)
    addition.freshness = target.rule?.text
    addition.steps = target.steps.map(\.text)
    addition.needs = target.needs.map(Written.literal)
    addition.headers = target.headers.fields.map { ($0.name, Written.literal($0.value)) }
    addition.auth = target.credentials.map { auth($0) }
    addition.retries = target.retries.map(String.init)
    addition.mode = target.mode.map { "0" + String($0, radix: 8) }
    if !target.after.isEmpty {
      addition.others.append("after: [\(target.after.map(Written.text).joined(separator: ", "))]")
    }
    if let size = target.maximumSize { addition.others.append("max_size: \(size)B") }
    if target.localChanges != .refuse {
      addition.others.append("local_changes: \(target.localChanges.rawValue)")
    }
    if target.isOptional { addition.others.append("optional: true") }
    return addition
  }

  /// The parser learns the values as it does those of the environment, and masks them in every text.
  private mutating func auth(_ credentials: Credentials) -> String {
    switch credentials {
    case .bearer(let token): return "{bearer: \"\(secret(token))\"}"
    case .basic(let user, let password):
      return "{basic: {user: \(Written.text(user)), password: \"\(secret(password))\"}}"
    }
  }

  private mutating func secret(_ value: String) -> String {
    let name = "SYNCMAKE_CREDENTIALS_\(secrets.count + 1)"
    secrets[name] = value
    return "${secret:\(name)}"
  }
}
