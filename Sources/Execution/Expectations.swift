import ContentPipeline
import Planning
import SyncModel

/// Every digest and signature that a target's body must match: its rule's, then its steps' in order.
///
/// They are looked up while the body comes, and compared when both are here: a sidecar then costs no
/// time of its own, and none at all when the body is not wanted.
final class Expectations {
  struct Expectation {
    enum Kind {
      case digest(DigestAlgorithm, DigestSource)
      case signature(MinisignCheck)
    }

    var kind: Kind
    /// `nil` for the freshness rule.
    var step: Int?
    /// Of the freshness rule.
    var subject = DigestRule.Subject.download

    /// Whether a published file beside the body says it, which may be out of step with the body for a while.
    var isOfSidecar: Bool {
      switch kind {
      case .digest(_, .sidecar), .signature: true
      case .digest: false
      }
    }
  }

  /// What was found of one expectation.
  private enum Finding {
    case digest(HexDigest)
    case signature(FetchedSignature)
  }

  let all: [Expectation]
  private(set) var totals = ExchangeTotals()
  private var found: [Finding?]
  private var hasLooked = false
  private var missing = 0
  private var fault: FailureCause?
  private var whenFound: (() -> Void)?
  private let bytesWish = BytesWish()
  private let target: Target
  private let context: RunContext

  init(_ target: Target, in context: RunContext) {
    self.target = target
    self.context = context
    var all: [Expectation] = []
    if case .digest(let rule)? = target.freshness?.innermost {
      all.append(Expectation(kind: .digest(rule.algorithm, rule.expected), subject: rule.of))
    }
    for (index, step) in target.steps.enumerated() {
      switch step {
      case .verifyDigest(let algorithm, let source):
        all.append(Expectation(kind: .digest(algorithm, source), step: index))
      case .verifyMinisign(let check): all.append(Expectation(kind: .signature(check), step: index))
      default: break
      }
    }
    self.all = all
    found = Array(repeating: nil, count: all.count)
  }

  /// Whether a digest or a signature is published beside the file, which may be out of step with it for a while.
  var dependsOnSidecar: Bool {
    all.contains(where: \.isOfSidecar)
  }

  private(set) lazy var spec = makeSpec()

  /// The same for a body of which servers have announced these digests.
  ///
  /// Whether the body is what the server sent is asked before whether that is what the manifest wants: no step compares
  /// its digest then, and ``mismatch(in:)`` does.
  func spec(for announced: AnnouncedDigests) -> PipelineSpec {
    guard !announced.isEmpty else { return spec }
    var spec = spec
    spec.downloadDigests.formUnion(announced.algorithms)
    spec.steps = spec.steps.map { stage in
      guard case .verifyDigest(let algorithm, _, let step) = stage else { return stage }
      return .verifyDigest(algorithm, nil, step: step)
    }
    return spec
  }

  private func makeSpec() -> PipelineSpec {
    var stages: [PipelineSpec.Stage] = []
    stages.reserveCapacity(target.steps.count)
    for (index, step) in target.steps.enumerated() {
      switch step {
      case .decompress(let format, let window): stages.append(.decompress(format, window: window))
      case .verifySize(let size): stages.append(.verifySize(size, step: index))
      case .verifyMinisign: stages.append(.verifySignature(bytesWish, step: index))
      case .verifyDigest(let algorithm, .literal(let digest)):
        stages.append(.verifyDigest(algorithm, digest, step: index))
      case .verifyDigest(let algorithm, _): stages.append(.verifyDigest(algorithm, nil, step: index))
      }
    }
    var spec = PipelineSpec(
      steps: stages, downloadDigests: digestsOfRule(.download), outputDigests: digestsOfRule(.output),
      maxSize: target.maxSize)
    if context.settings.unpacksWithZlib { spec.library = .zlib }
    // Under a make that counts jobs, each of our own threads holds a token; a library's would not.
    if context.settings.makeFlags == nil { spec.decoderThreads = context.settings.workers }
    spec.measuresTimes = context.settings.reportsTimes
    return spec
  }

  private func digestsOfRule(_ subject: DigestRule.Subject) -> Set<DigestAlgorithm> {
    guard case .digest(let rule)? = target.freshness?.innermost, rule.of == subject else { return [] }
    return [rule.algorithm]
  }

  /// Looks them up; the first call does the work, unless `anew` asks for every sidecar again.
  func look(anew: Bool = false) {
    guard anew || !hasLooked else { return }
    hasLooked = true
    fault = nil
    bytesWish.renew()
    found = Array(repeating: nil, count: all.count)
    missing += all.count
    for (index, expectation) in all.enumerated() {
      switch expectation.kind {
      case .digest(let algorithm, let source):
        ExpectedDigest.find(algorithm, source, for: target, anew: anew, in: context) { [self] result, cost in
          note(result.map { .digest($0) }, at: index, cost)
        }
      case .signature(let check):
        FetchedSignature.find(
          check, for: target, anew: anew, step: expectation.step, in: context
        ) { [self] result, cost in
          note(result.map { .signature($0) }, at: index, cost)
        }
      }
    }
  }

  private func note(_ result: Result<Finding, FailureCause>, at index: Int, _ cost: ExchangeTotals) {
    totals += cost
    missing -= 1
    switch result {
    case .success(let finding): found[index] = finding
    case .failure(let cause): fault = fault ?? cause
    }
    if missing == 0 { tellFound() }
  }

  /// Calls `action` once all are known, or one cannot be.
  func whenKnown(_ action: @escaping () -> Void) {
    look()
    whenFound = action
    if missing == 0 { tellFound() }
  }

  /// Why one of them cannot be known.
  var failure: FailureCause? { fault }

  /// What the line that `entry` names gave, where it was looked up.
  func digest(ofEntry entry: String, in id: TargetID) -> HexDigest? {
    for (index, expectation) in all.enumerated() {
      guard case .digest(_, .entry(id, name: Exact(entry))) = expectation.kind else { continue }
      if case .digest(let digest)? = found[index] { return digest }
      return nil
    }
    return nil
  }

  /// A digest or a signature that `result` does not meet.
  struct Mismatch {
    var cause: FailureCause
    /// Whether a published file said it.
    var isOfSidecar: Bool
  }

  /// The first that `result` does not meet.
  func mismatch(in result: PipelineResult) -> Mismatch? {
    for (index, expectation) in all.enumerated() {
      guard let finding = found[index] else { continue }
      if let cause = difference(finding, expectation, result) {
        return Mismatch(cause: cause, isOfSidecar: expectation.isOfSidecar && cause.isOfContent)
      }
    }
    return nil
  }

  private func difference(
    _ finding: Finding, _ expectation: Expectation, _ result: PipelineResult
  ) -> FailureCause? {
    switch (finding, expectation.kind) {
    case (.digest(let expected), .digest(let algorithm, _)):
      let actual =
        if let step = expectation.step {
          result.stepDigests[step]
        } else if expectation.subject == .download {
          result.download.digests[algorithm]
        } else {
          result.output.digests[algorithm]
        }
      guard let actual else { return .internalError("a digest was not taken") }
      guard actual != expected else { return nil }
      return .digestMismatch(algorithm: algorithm, expected: expected, actual: actual, step: expectation.step)
    case (.signature(let signature), _):
      guard let step = expectation.step, let content = result.signedContents[step] else {
        return .internalError("the bytes to check a signature with were not kept")
      }
      return signature.check(content, step: step)
    default: return .internalError("a digest was taken for a signature")
    }
  }

  private func tellFound() {
    if signaturesAreOfDigests { bytesWish.withdraw() }
    let action = whenFound
    whenFound = nil
    action?()
  }

  /// Whether no signature needs the signed bytes themselves.
  private var signaturesAreOfDigests: Bool {
    zip(all, found).allSatisfy { expectation, finding in
      guard case .signature = expectation.kind else { return true }
      if case .signature(let signature)? = finding { return signature.signature.isPrehashed }
      return false
    }
  }
}
