package import SyncModel

/// The facts of a body that passed its steps.
package struct BodyContent: Sendable, Equatable {
  /// The bytes as they came.
  package var download: ContentIdentity
  /// The bytes that the steps made of them.
  package var output: ContentIdentity
  /// Whether the end of compressed data, a known size or a digest proves that the body is whole (contract, section 5).
  package var lengthIsProvenByContent: Bool
  /// The digest that each `verify` step found, by its place in the target's steps.
  package var stepDigests: [Int: HexDigest]
  /// The digests of the last reply's bytes, if they were computed.
  package var partDigests: [DigestAlgorithm: HexDigest]
  /// How the folder differs from the one before; `nil` for a file.
  package var tree: TreeFacts?

  /// The digests must be of the bytes named by their fields; those that were not computed are left out.
  package init(
    download: ContentIdentity, output: ContentIdentity, lengthIsProvenByContent: Bool = false,
    stepDigests: [Int: HexDigest] = [:], partDigests: [DigestAlgorithm: HexDigest] = [:],
    tree: TreeFacts? = nil
  ) {
    self.download = download
    self.output = output
    self.lengthIsProvenByContent = lengthIsProvenByContent
    self.stepDigests = stepDigests
    self.partDigests = partDigests
    self.tree = tree
  }
}

/// The facts of a complete body that a step refused.
package struct RefusedBody: Sendable, Equatable {
  /// Why the step refused it.
  package var cause: FailureCause
  /// The bytes as they came.
  package var download: ContentIdentity
  /// The digests of the last reply's bytes, if they were computed.
  package var partDigests: [DigestAlgorithm: HexDigest]

  /// `partDigests` is empty if the last reply was the whole body, or no digest of a part was announced.
  package init(
    _ cause: FailureCause, download: ContentIdentity, partDigests: [DigestAlgorithm: HexDigest] = [:]
  ) {
    self.cause = cause
    self.download = download
    self.partDigests = partDigests
  }
}

/// Every digest and signature that a target's body must match: its list's, its rule's, then its steps' in order.
///
/// The one rule on which bytes a target accepts, whatever path they came by.
package struct BodyDemands: Sendable {
  /// One digest or signature.
  package struct Demand: Sendable, Equatable {
    /// The value to compare.
    package enum Kind: Sendable, Equatable {
      /// The digest has this algorithm; its value is known, or must be read from its source.
      case digest(DigestAlgorithm, DigestSource)
      /// The body is signed by this key.
      case signature(MinisignCheck)
    }

    /// What is demanded.
    package var kind: Kind
    /// The place in the target's steps; `nil` for the freshness rule and for a list.
    package var step: Int?
    /// Which bytes it speaks of; from the first step on that changes them, they count as the output's.
    package var subject = DigestRule.Subject.download
    /// Whether the list of the target's entry, or a target that is a list of digests, states it: a lock has both.
    var isOfList = false

    /// Whether a file published beside the body states it, which may be out of step with the body for a while.
    var isOfSidecar: Bool {
      switch kind {
      case .digest(_, .sidecar), .signature: true
      case .digest: false
      }
    }
  }

  /// The finding for one demand.
  package enum Finding: Sendable, Equatable {
    /// The digest's value.
    case digest(HexDigest)
    /// The signature is available and its key made it; whether it matches the body is checked later.
    case signature
  }

  /// A demand that a body does not meet.
  package struct Mismatch: Sendable, Equatable {
    /// Why the body must be refused.
    package var cause: FailureCause
    /// Whether a published file states the demand.
    package var isOfSidecar: Bool
    /// Whether a list states it that a lock has, too.
    package var isOfList: Bool
  }

  /// In the order in which they are compared.
  package let all: [Demand]
  /// One for each of ``all``, or empty while none is known.
  package private(set) var findings: [Finding] = []
  /// Why they cannot be known; `nil` while nothing failed.
  package private(set) var failure: FailureCause?

  /// The demands of `target`.
  package init(_ target: Target) {
    let rule = target.digestRule
    // The download must match every digest that a list gives for it (contract, section 11).
    var all = target.source.listedDigests.map { digest in
      Demand(kind: .digest(digest.algorithm, .literal(digest.value)), isOfList: true)
    }
    guard rule != nil || !target.steps.isEmpty else {
      self.all = all
      return
    }
    if let rule {
      all.append(
        Demand(
          kind: .digest(rule.algorithm, rule.expected), subject: rule.of, isOfList: rule.expected.isOfTarget))
    }
    var subject = DigestRule.Subject.download
    for (index, step) in target.steps.enumerated() {
      func add(_ kind: Demand.Kind, isOfList: Bool = false) {
        all.append(Demand(kind: kind, step: index, subject: subject, isOfList: isOfList))
      }
      switch step {
      case .verifyDigest(let algorithm, let source):
        add(.digest(algorithm, source), isOfList: source.isOfTarget)
      case .verifyMinisign(let check): add(.signature(check))
      // A folder's digest is that of its listing, which is what comes out of `unpack`.
      case .verifyTree(let digest): add(.digest(.sha256, .literal(digest)))
      case .decompress, .unpack: subject = .output
      case .verifySize: break
      }
    }
    self.all = all
  }

  /// Nothing.
  package static let none = BodyDemands([])

  private init(_ all: [Demand]) { self.all = all }

  /// Those on bytes that the lock names: a sidecar would name them a second time.
  ///
  /// What is signed stays. A lock says which bytes they are, and not who made them.
  var ofLockedBytes: BodyDemands {
    BodyDemands(
      all.filter { demand in
        if case .digest(_, .sidecar(let sidecar)) = demand.kind { sidecar.signature != nil } else { true }
      })
  }

  /// Whether nothing is demanded beyond the steps themselves.
  package var isEmpty: Bool { all.isEmpty }
  /// Whether every finding, or a failure, is known.
  package var areKnown: Bool { findings.count == all.count || failure != nil }
  /// Whether a published file states one of them.
  package var dependOnSidecar: Bool { all.contains(where: \.isOfSidecar) }
  /// Whether one of them is a signature.
  package var haveSignatures: Bool {
    all.contains { if case .signature = $0.kind { true } else { false } }
  }

  /// Forgets the findings, so that every sidecar is requested again.
  mutating func renew() {
    findings = []
    failure = nil
  }

  /// Takes the findings; `findings` has one for each of ``all``.
  mutating func note(_ result: Result<[Finding], FailureCause>) {
    switch result {
    case .success(let found): (findings, failure) = (found, nil)
    case .failure(let cause): failure = cause
    }
  }

  /// The digest in the line `entry` of the list made by `list`; `nil` if no demand reads it.
  func digest(ofEntry entry: String, in list: TargetID) -> HexDigest? {
    for (demand, finding) in zip(all, findings) {
      guard case .digest(_, .entry(list, name: ByteString(entry))) = demand.kind else { continue }
      if case .digest(let digest) = finding { return digest }
      return nil
    }
    return nil
  }

  /// The first demand that `body` does not meet; call once they ``areKnown``.
  ///
  /// - Parameter signatureFaults: why a signature is not the body's, by the place of its step.
  package func mismatch(in body: BodyContent, signatureFaults: [Int: FailureCause] = [:]) -> Mismatch? {
    for (demand, finding) in zip(all, findings) {
      if let cause = fault(demand, finding, body, signatureFaults) {
        return Mismatch(
          cause: cause, isOfSidecar: demand.isOfSidecar && cause.traits.contains(.content),
          isOfList: demand.isOfList)
      }
    }
    return nil
  }

  private func fault(
    _ demand: Demand, _ finding: Finding, _ body: BodyContent, _ signatureFaults: [Int: FailureCause]
  ) -> FailureCause? {
    switch (finding, demand.kind) {
    case (.digest(let expected), .digest(let algorithm, _)):
      let actual =
        if let step = demand.step {
          body.stepDigests[step]
        } else {
          demand.subject.among(download: body.download, output: body.output).digests[algorithm]
        }
      guard let actual else { return .internalError("a digest was not taken") }
      guard actual != expected else { return nil }
      return .digestMismatch(algorithm: algorithm, expected: expected, actual: actual, step: demand.step)
    case (.signature, .signature): return demand.step.flatMap { signatureFaults[$0] }
    default: return .internalError("a digest was taken for a signature")
    }
  }
}

extension BodyDemands {
  /// Whether all that a body of `target` must be is known without asking anybody, and no step changes its bytes.
  package static func areLiteral(for target: Target) -> Bool {
    // What a list says of its entry is not compared here.
    if case .entry = target.source { return false }
    if let rule = target.digestRule {
      guard case .literal = rule.expected else { return false }
    }
    return target.steps.allSatisfy { step in
      switch step {
      case .verifySize, .verifyDigest(_, .literal): true
      case .decompress, .unpack, .verifyDigest, .verifyMinisign, .verifyTree: false
      }
    }
  }

  /// The algorithms whose digests literal demands compare.
  package static func algorithms(of target: Target) -> Set<DigestAlgorithm> {
    var algorithms: Set<DigestAlgorithm> = []
    if let rule = target.digestRule { algorithms.insert(rule.algorithm) }
    for case .verifyDigest(let algorithm, _) in target.steps { algorithms.insert(algorithm) }
    return algorithms
  }

  /// Whether `content`, which no step changed, meets every demand of a target whose demands are literal.
  package static func meetsLiteral(_ content: ContentIdentity, _ target: Target) -> Bool {
    for step in target.steps {
      switch step {
      case .verifySize(let size) where size != content.size: return false
      case .decompress, .unpack: return false
      default: break
      }
    }
    var demands = BodyDemands(target)
    guard !demands.isEmpty else { return true }
    var body = BodyContent(download: content, output: content)
    var findings: [Finding] = []
    for demand in demands.all {
      guard case .digest(let algorithm, .literal(let expected)) = demand.kind else { return false }
      findings.append(.digest(expected))
      if let step = demand.step { body.stepDigests[step] = content.digest(algorithm) }
    }
    demands.note(.success(findings))
    return demands.mismatch(in: body) == nil
  }
}
