import Platform

/// The environment for a manifest, with a list of the variables that it used.
final class AskedVariables: Sendable {
  private let asked = Monitor<[(name: String, value: String?)]>([])
  private let caller: CallerFacts

  init(_ caller: CallerFacts) { self.caller = caller }

  /// The value of an environment variable; `nil` if it is not set.
  @Sendable func value(_ name: String) -> String? {
    let value = caller.variable(name)
    asked.withLock { asked in
      if !asked.contains(where: { $0.name == name }) { asked.append((name, value)) }
    }
    return value
  }

  /// The variables that were used, each once, with their values.
  var values: [(name: String, value: String?)] { asked.withLock { $0 } }
}
