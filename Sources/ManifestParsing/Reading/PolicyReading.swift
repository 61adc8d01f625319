import SyncModel

extension ManifestReader {
  private enum PolicyKey: String, CaseIterable {
    case hosts
    case requireDigest = "require_digest"
    case env, headers, outputs, limits, addresses
  }

  /// The document as a policy; useless if the log has an error.
  func readPolicy() -> Policy {
    var policy = Policy()
    // An empty file is more likely a mistake than a policy, for example of the command that was to write it.
    guard let root = document.root, !document.isNull(root) else {
      log.error(
        "the policy is empty", at: SourceSpan(line: 1, column: 1, endColumn: 2),
        hint: "write {} for no more than --untrusted demands")
      return policy
    }
    guard let entries = entries(of: root, Want("the policy", "a mapping such as {hosts: [data.example.org]}"))
    else { return policy }
    let fields = fields(entries, PolicyKey.self, of: "the policy")
    for key in fields.order {
      if let value = fields[key]?.value { read(key, value, into: &policy) }
    }
    return policy
  }

  private func read(_ key: PolicyKey, _ value: NodeID, into policy: inout Policy) {
    switch key {
    case .hosts: policy.hosts = texts(value, "hosts", "host names") { hostPattern($0, $1) }
    case .requireDigest:
      let want = Want("require_digest", "true or false")
      if plainPolicyText(value, want) != nil, let flag = boolean(value, want, .none) {
        policy.requiresDigest = flag
      }
    case .env: policy.environment = texts(value, "env", "variables' names") { variableName($0, $1) } ?? []
    case .headers: policy.headers = texts(value, "headers", "headers' names") { policyHeader($0, $1) }
    case .outputs: policy.outputs = texts(value, "outputs", "patterns") { outputPattern($0, $1) }
    case .limits: policy.limits = readLimits(value)
    case .addresses: readAddresses(value).map { policy.addresses = $0 }
    }
  }

  /// The items of a list of texts; `nil` after an error with the list itself.
  private func texts<Value>(
    _ id: NodeID, _ key: String, _ what: String, _ read: (NodeID, String) -> Value?
  ) -> [Value]? {
    guard let items = items(id, Want(key, "a list of \(what)")) else { return nil }
    return items.compactMap { item in
      plainPolicyText(item, Want(key, "a list of \(what)")).flatMap { read(item, $0) }
    }
  }

  /// Text without expansion: a policy has no variables.
  private func plainPolicyText(_ id: NodeID, _ want: Want) -> String? {
    guard let text = lockedLine(id, want) else { return nil }
    guard !text.utf8.contains(UInt8(ascii: "$")) else {
      error("a policy has no variables, but \(want.shown) has \(quoted(text))", at: id)
      return nil
    }
    return text
  }

  private func hostPattern(_ id: NodeID, _ text: String) -> HostPattern? {
    if let pattern = HostPattern(text) { return pattern }
    error(
      "\(quoted(text)) is not a host's name", at: id,
      hint: "write only the host, without scheme, port and path; *.example means every host in example")
    return nil
  }

  private func variableName(_ id: NodeID, _ text: String) -> String? {
    if Template.isVariableName(text) { return text }
    error("\(quoted(text)) is not a variable's name", at: id, hint: Template.nameHint)
    return nil
  }

  private func policyHeader(_ id: NodeID, _ text: String) -> String? {
    if RequestHeader.isName(text) { return text.lowercased() }
    error(
      "\(quoted(text)) is not a header's name", at: id,
      hint: "a header's name may contain letters, digits and -")
    return nil
  }

  private func outputPattern(_ id: NodeID, _ text: String) -> PathPattern? {
    do throws(PathPattern.Fault) { return try PathPattern(text) } catch {
      report(error, text, at: id)
      return nil
    }
  }

  private enum LimitKey: String, CaseIterable { case targets, bytes, file, requests, time, redirects }

  private func readLimits(_ id: NodeID) -> PolicyLimits {
    var limits = PolicyLimits()
    guard let entries = entries(of: id, Want("limits", "a mapping such as {bytes: 2GB, time: 10m}")) else {
      return limits
    }
    let fields = fields(entries, LimitKey.self, of: "\"limits\"")
    for key in fields.order {
      guard let value = fields[key]?.value else { continue }
      switch key {
      case .targets: limits.targets = policyNumber(value, key)
      case .requests: limits.requests = policyNumber(value, key)
      case .redirects: limits.redirects = policyNumber(value, key)
      case .bytes: limits.bytes = policySize(value, key)
      case .file: limits.file = policySize(value, key)
      case .time:
        if plainPolicyText(value, Want(key.rawValue, "a duration such as 10m")) != nil {
          limits.time = duration(value, key.rawValue, .none)
        }
      }
    }
    return limits
  }

  private func policyNumber(_ id: NodeID, _ key: LimitKey) -> Int? {
    let want = Want(key.rawValue, "a whole number such as 500")
    guard plainPolicyText(id, want) != nil else { return nil }
    return integer(id, want, in: 0...1_000_000_000, .none).map { Int($0) }
  }

  private func policySize(_ id: NodeID, _ key: LimitKey) -> Int64? {
    let want = Want(key.rawValue, "a size such as 500MB or 2GiB")
    guard plainPolicyText(id, want) != nil else { return nil }
    return size(id, want, example: "MB", .none)
  }

  private func readAddresses(_ id: NodeID) -> AddressRule? {
    let want = Want("addresses", "\"public\", or a list of it and networks such as 10.1.0.0/16")
    if document[id].kind == .scalar, !document.isNull(id) {
      guard let text = plainPolicyText(id, want) else { return nil }
      if text == "public" { return .public }
      unwanted(text, at: id, want, hint: AddressRule.hint(text))
      return nil
    }
    guard let items = items(id, want) else { return nil }
    var rule = AddressRule(.none)
    for item in items {
      guard let text = plainPolicyText(item, want) else { continue }
      if text == "public" {
        rule.base = .public
      } else if let network = network(item, text) {
        rule.networks.append(network)
      }
    }
    return rule
  }

  private func network(_ id: NodeID, _ text: String) -> AddressNetwork? {
    do throws(AddressNetwork.Fault) {
      let network = try AddressNetwork(text)
      // Addresses that stand for IPv4 ones are judged as these.
      let first = network.first.reached
      guard first != network.first, network.prefix >= 96 else { return network }
      return AddressNetwork(of: first, prefix: network.prefix - 96)
    } catch {
      switch error {
      case .unreadable:
        self.error(
          "\(quoted(text)) is neither \"public\" nor a network", at: id,
          hint: "write a numeric address, perhaps with a slash and the number of its common bits: 10.1.0.0/16"
        )
      case .bitsAfterPrefix(let network):
        self.error(
          "the network \(quoted(text)) has more bits than its prefix", at: id, hint: "write \(network)")
      }
      return nil
    }
  }
}

extension AddressRule {
  fileprivate static func hint(_ text: String) -> String? {
    (try? AddressNetwork(text)).map { _ in "write [public, \(text)], or [\(text)] for that alone" }
  }
}
