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
    let pinned = policy.requiresDigest ? facts.pinned(manifest) : []
    for target in manifest.targets {
      judge(target)
      if policy.requiresDigest, !target.hasKnownBytes, !pinned.contains(target.id) {
        note(.noDigest, target.name.text, target.span)
      }
    }
    for template in manifest.templates {
      let list = template.list
      judge(list.url, list.template, list.span)
      judge(template.settings, list.template, list.span)
    }
    for waiting in manifest.waiting { judge(waiting.settings, waiting.name.text, waiting.span) }
  }

  private mutating func judge(_ target: Target) {
    for url in target.askedURLs { judge(url, target.name.text, target.span) }
    judge(target.settings, target.name.text, target.span)
    let places = ProtectedPlaces(outputs: policy.outputs)
    if let fault = places.fault(of: target.path.text, isFolder: target.output.isFolder) {
      note(.output(target.output.text, fault), target.name.text, target.span)
    }
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
  /// Whether the manifest has a digest of its bytes, or they are made of another target's.
  fileprivate var hasKnownBytes: Bool {
    switch self.source {
    case .target, .unlisted, .gone: return true
    case .urls, .entry: break
    }
    if case .digest(let rule)? = freshness?.innermost, case .literal = rule.expected { return true }
    return self.steps.contains { step in
      switch step {
      case .verifyDigest(_, .literal), .verifyTree: true
      default: false
      }
    }
  }
}
