import LocalFiles

/// The environment as a manifest sees it, with a list of what it asked for.
final class AskedVariables: Sendable {
  private let asked = Monitor<[(name: String, value: String?)]>([])

  /// The value of an environment variable; `nil` where it is not set.
  @Sendable func value(_ name: String) -> String? {
    let value = Environment.variable(name)
    asked.withLock { asked in
      if !asked.contains(where: { $0.name == name }) { asked.append((name, value)) }
    }
    return value
  }

  /// What was asked for, once each, and what it was.
  var values: [(name: String, value: String?)] { asked.withLock { $0 } }
}
