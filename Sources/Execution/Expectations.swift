import ContentPipeline
import Planning
import SyncModel

/// Every digest that a target's body must match: its rule's, then its steps' in order.
///
/// They are looked up while the body comes, and compared when both are here: a sidecar then costs no
/// time of its own, and none at all when the body is not wanted.
final class Expectations {
  struct Expectation {
    var algorithm: DigestAlgorithm
    var source: DigestSource
    /// `nil` for the freshness rule.
    var step: Int?
    /// Of the freshness rule.
    var subject: DigestRule.Subject

    var isOfSidecar: Bool { if case .sidecar = source { true } else { false } }
  }

  let all: [Expectation]
  private(set) var totals = ExchangeTotals()
  private var found: [HexDigest?]
  private var hasLooked = false
  private var missing = 0
  private var fault: FailureCause?
  private var whenFound: (() -> Void)?
  private let target: Target
  private let context: RunContext

  init(_ target: Target, in context: RunContext) {
    self.target = target
    self.context = context
    var all: [Expectation] = []
    if case .digest(let rule)? = target.freshness?.innermost {
      all.append(
        Expectation(algorithm: rule.algorithm, source: rule.expected, step: nil, subject: rule.of))
    }
    for (index, step) in target.steps.enumerated() {
      guard case .verifyDigest(let algorithm, let source) = step else { continue }
      all.append(Expectation(algorithm: algorithm, source: source, step: index, subject: .download))
    }
    self.all = all
    found = Array(repeating: nil, count: all.count)
  }

  /// Whether a digest comes from a sidecar, which may be out of step with its file for a while.
  var dependsOnSidecar: Bool {
    all.contains(where: \.isOfSidecar)
  }

  private(set) lazy var spec = makeSpec()

  private func makeSpec() -> PipelineSpec {
    var stages: [PipelineSpec.Stage] = []
    stages.reserveCapacity(target.steps.count)
    for (index, step) in target.steps.enumerated() {
      switch step {
      case .decompress(let format, let window): stages.append(.decompress(format, window: window))
      case .verifySize(let size): stages.append(.verifySize(size, step: index))
      case .verifyDigest(let algorithm, .literal(let digest)):
        stages.append(.verifyDigest(algorithm, digest, step: index))
      case .verifyDigest(let algorithm, _): stages.append(.verifyDigest(algorithm, nil, step: index))
      }
    }
    let rules = all.filter { $0.step == nil }
    var spec = PipelineSpec(
      steps: stages,
      downloadDigests: Set(rules.filter { $0.subject == .download }.map(\.algorithm)),
      outputDigests: Set(rules.filter { $0.subject == .output }.map(\.algorithm)),
      maxSize: target.maxSize)
    if context.settings.unpacksWithZlib { spec.library = .zlib }
    // Under a make that counts jobs, each of our own threads holds a token; a library's would not.
    if context.settings.makeFlags == nil { spec.decoderThreads = context.settings.workers }
    spec.measuresTimes = context.settings.reportsTimes
    return spec
  }

  /// Looks them up; the first call does the work, unless `anew` asks for every sidecar again.
  func look(anew: Bool = false) {
    guard anew || !hasLooked else { return }
    hasLooked = true
    fault = nil
    found = Array(repeating: nil, count: all.count)
    missing += all.count
    for (index, expectation) in all.enumerated() {
      ExpectedDigest.find(
        expectation.algorithm, expectation.source, for: target, anew: anew, in: context
      ) { [self] result, cost in
        totals += cost
        missing -= 1
        switch result {
        case .success(let digest): found[index] = digest
        case .failure(let cause): fault = fault ?? cause
        }
        if missing == 0 { tellFound() }
      }
    }
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
    all.indices.first { all[$0].source == .entry(id, name: Exact(entry)) }.flatMap { found[$0] }
  }

  /// A digest that `result` does not meet.
  struct Mismatch {
    var cause: FailureCause
    /// Whether the digest came from a sidecar.
    var isOfSidecar: Bool
  }

  /// The first that `result` does not meet.
  func mismatch(in result: PipelineResult) -> Mismatch? {
    for (index, expectation) in all.enumerated() {
      guard let expected = found[index] else { continue }
      let actual =
        if let step = expectation.step {
          result.stepDigests[step]
        } else if expectation.subject == .download {
          result.download.digests[expectation.algorithm]
        } else {
          result.output.digests[expectation.algorithm]
        }
      guard let actual else {
        return Mismatch(cause: .internalError("a digest was not taken"), isOfSidecar: false)
      }
      if actual != expected {
        let cause = FailureCause.digestMismatch(
          algorithm: expectation.algorithm, expected: expected, actual: actual, step: expectation.step)
        return Mismatch(cause: cause, isOfSidecar: expectation.isOfSidecar)
      }
    }
    return nil
  }

  private func tellFound() {
    let action = whenFound
    whenFound = nil
    action?()
  }
}
