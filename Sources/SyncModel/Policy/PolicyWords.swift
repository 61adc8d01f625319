extension HostFault {
  /// The rule that the manifest breaks, as a clause for messages; `shown` is how a foreign text is written in them.
  package func rule(_ shown: (String) -> String) -> String {
    switch self {
    case .scheme: "an untrusted manifest may use https only"
    case .port(let port): "an untrusted manifest may use port \(Policy.port) only, not \(port)"
    case .host(let host): "the policy's \"hosts\" do not have \(shown(host))"
    case .spelling(let host): "the address \(shown(host)) must be written in ASCII"
    case .file: "an untrusted manifest may read files of its folder only, and none of git's"
    }
  }
}

extension AddressClass {
  /// What is wrong with an address of the class, after "it is".
  package var objection: String {
    switch self {
    case .public: "not in the policy's \"addresses\""
    case .metadata: "\(words), where a cloud gives a machine its credentials"
    default: words
    }
  }
}

extension PolicyLimits {
  /// That a manifest has more targets than `limit`.
  package static func tooManyTargets(_ limit: Int) -> String {
    "more targets than the policy allows: \(limit)"
  }
}
