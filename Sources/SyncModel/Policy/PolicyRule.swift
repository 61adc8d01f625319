/// In what a manifest breaks a policy.
package struct PolicyViolation: Sendable, Equatable {
  /// What the manifest must not do.
  package enum Kind: Sendable, Equatable {
    /// A request to this URL, without what signs it.
    case host(url: String, HostFault)
    /// The same, since the host is this address.
    case address(url: String, NetworkAddress, AddressClass)
    /// The manifest's own text of a file.
    case file(String)
    case authentication
    /// `local_changes: overwrite`
    case overwriting
    case header(String)
    /// The output as the manifest writes it.
    case output(String, ProtectedPlaces.Fault)
    case noDigest
    case tooManyTargets(limit: Int)

    /// Kinds of one number are reported once for all targets of a matrix or a list.
    fileprivate var number: Int {
      switch self {
      case .host: 0
      case .address: 1
      case .file: 2
      case .authentication: 3
      case .overwriting: 4
      case .header: 5
      case .output: 6
      case .noDigest: 7
      case .tooManyTargets: 8
      }
    }
  }

  /// The target that does it, or the one that makes the targets of a list.
  package var target: String
  /// Where that is defined.
  package var span: SourceSpan
  /// What it does.
  package var kind: Kind
}

/// What the check of a manifest has to ask about the outside.
package struct PolicyFacts: Sendable {
  /// Whether a `file` source is outside the root, perhaps by a link.
  package var isOutside: @Sendable (_ path: String) -> Bool
  /// The targets whose bytes the lock knows.
  package var pinned: @Sendable (Manifest) -> Set<TargetID>

  /// Both are asked only if it matters.
  package init(
    isOutside: @escaping @Sendable (_ path: String) -> Bool,
    pinned: @escaping @Sendable (Manifest) -> Set<TargetID>
  ) {
    self.isOutside = isOutside
    self.pinned = pinned
  }
}

/// What a policy says of a whole manifest, after its variables, matrices, lists and includes are expanded.
package struct PolicyRule {
  private let policy: Policy
  private let facts: PolicyFacts
  private var found: [PolicyViolation] = []
  private var seen: Set<[Int]> = []

  private init(_ policy: Policy, _ facts: PolicyFacts) {
    self.policy = policy
    self.facts = facts
  }

  /// Every way in which `manifest` breaks the policy; each kind once at each place.
  package static func violations(
    of policy: Policy, in manifest: Manifest, _ facts: PolicyFacts
  ) -> [PolicyViolation] {
    var rule = PolicyRule(policy, facts)
    rule.judge(manifest)
    return rule.found
  }

  private mutating func judge(_ manifest: Manifest) {
    if let limit = policy.limits.targets(exceededBy: manifest.targets.count) {
      let first = manifest.targets[limit]
      note(.tooManyTargets(limit: limit), first.name.text, first.span)
    }
    for target in manifest.targets {
      judgeSource(target)
      judge(target.output, target, patterns: policy.outputs)
    }
    if policy.requiresDigest { requireDigests(manifest) }
    for template in manifest.templates {
      judge(template.known, template.asker(TargetID(0)))
    }
    for waiting in manifest.waiting {
      // Without URLs of its own: what is known of it has them.
      let target = Target(
        id: TargetID(0), name: waiting.name, span: waiting.span, source: .target(TargetID(0)),
        output: .lockFile,
        settings: waiting.settings)
      judge(waiting.known, target)
    }
  }

  private mutating func requireDigests(_ manifest: Manifest) {
    let pinned = facts.pinned(manifest)
    // What an entry's field gives is the list's word, and no digest of the manifest: only what all entries share counts.
    var shared: [TargetID: Bool] = [:]
    for template in manifest.templates {
      for target in template.targets { shared[target] = template.known.demandsDigest }
    }
    for target in manifest.targets where !pinned.contains(target.id) {
      switch target.source {
      case .target, .unlisted, .gone: continue
      case .urls where target.hasLiteralDigest: continue
      case .entry where shared[target.id] == true: continue
      case .urls, .entry: note(.noDigest, target.name.text, target.span)
      }
    }
  }

  /// Judges what is known of a target that cannot be made yet; `target` stands for it, without its output.
  private mutating func judge(_ known: KnownParts, _ target: Target) {
    judgeSource(target)
    for url in known.urls { judge(url, target.name.text, target.span) }
    guard let path = known.output else { return }
    // Patterns may ask for more of a name than its example has.
    judge(
      known.isFolder ? .folder(path) : .file(path, mode: nil), target,
      patterns: known.isExample ? nil : policy.outputs)
  }

  private mutating func judge(_ output: Output, _ target: Target, patterns: [PathPattern]?) {
    if let fault = ProtectedPlaces(outputs: patterns).fault(of: output.path.text, isFolder: output.isFolder) {
      note(.output(output.text, fault), target.name.text, target.span)
    }
  }

  private mutating func judgeSource(_ target: Target) {
    for url in target.askedURLs { judge(url, target.name.text, target.span) }
    judge(target.settings, target.name.text, target.span)
  }

  private mutating func judge(_ url: SourceURL, _ target: String, _ span: SourceSpan) {
    switch url {
    case .file(let path, let written):
      if facts.isOutside(path) { note(.file(written), target, span) }
    case .web(let text):
      guard let origin = WebURL(text)?.origin else {
        return note(.host(url: url.shown, .scheme), target, span)
      }
      switch policy.refusal(of: origin) {
      case .address(let address, let what): note(.address(url: url.shown, address, what), target, span)
      case .host(let fault): note(.host(url: url.shown, fault), target, span)
      case nil: break
      }
    }
  }

  private mutating func judge(_ settings: Shared<TargetSettings>, _ target: String, _ span: SourceSpan) {
    if settings.authentication != nil { note(.authentication, target, span) }
    if settings.localChanges == .overwrite { note(.overwriting, target, span) }
    for header in settings.headers where !policy.allowsHeader(header.name) {
      note(.header(header.name), target, span)
    }
  }

  private mutating func note(_ kind: PolicyViolation.Kind, _ target: String, _ span: SourceSpan) {
    guard seen.insert([span.file, span.line, span.column, kind.number]).inserted else { return }
    found.append(PolicyViolation(target: target, span: span, kind: kind))
  }
}

extension Target {
  /// Whether the manifest has a digest of its bytes as it is.
  fileprivate var hasLiteralDigest: Bool {
    let settings = self.settings.storage.value
    return settings.comparesLiteralDigest || settings.verifiesLiteralDigest
  }
}

extension TargetSettings {
  /// Whether the rule compares with a digest that is there as it is.
  package var comparesLiteralDigest: Bool {
    if case .digest(let rule)? = freshness?.innermost, case .literal = rule.expected { true } else { false }
  }

  /// Whether a step demands such a digest.
  package var verifiesLiteralDigest: Bool {
    steps.contains { step in
      switch step {
      case .verifyDigest(_, .literal), .verifyTree: true
      default: false
      }
    }
  }
}
