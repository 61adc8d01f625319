import ContentPipeline
import Planning
import SyncModel

/// Finds a body's demands: literal digests, lines of lists, sidecars and signatures.
///
/// They are fetched while the body arrives, and compared when both are complete. So a sidecar costs no time of its
/// own, and is not requested if the body is not needed.
final class DemandSearch {
  /// The cost of the requests.
  private(set) var totals = ExchangeTotals()
  /// Whether the pipeline is to keep the signed bytes themselves.
  let bytesWish = BytesWish()
  private let target: Target
  private let context: RunContext
  private var found: [BodyDemands.Finding?] = []
  private var signatures: [Int: FetchedSignature] = [:]
  private var missing = 0
  private var failure: FailureCause?
  /// Answers of an earlier search are dropped.
  private var generation = 0

  init(of target: Target, in context: RunContext) {
    self.target = target
    self.context = context
  }

  /// Calls `done` once, now or later; `anew` requests every sidecar again.
  func find(
    _ demands: BodyDemands, anew: Bool, done: @escaping (Result<[BodyDemands.Finding], FailureCause>) -> Void
  ) {
    generation += 1
    let generation = generation
    failure = nil
    signatures = [:]
    bytesWish.renew()
    found = Array(repeating: nil, count: demands.all.count)
    missing = demands.all.count
    for (index, demand) in demands.all.enumerated() {
      switch demand.kind {
      case .digest(let algorithm, let source):
        ExpectedDigest.find(
          algorithm, source, of: demand.subject, for: target, anew: anew, in: context
        ) { [self] result, cost in
          totals += cost
          guard generation == self.generation else { return }
          note(result.map { .digest($0) }, at: index, done)
        }
      case .signature(let check):
        FetchedSignature.find(check, for: target, anew: anew, step: demand.step, in: context) {
          [self] result, cost in
          totals += cost
          guard generation == self.generation else { return }
          if let step = demand.step, let signature = try? result.get() { signatures[step] = signature }
          note(result.map { _ in .signature }, at: index, done)
        }
      }
    }
  }

  private func note(
    _ result: Result<BodyDemands.Finding, FailureCause>, at index: Int,
    _ done: (Result<[BodyDemands.Finding], FailureCause>) -> Void
  ) {
    missing -= 1
    switch result {
    case .success(let finding): found[index] = finding
    case .failure(let cause): failure = failure ?? cause
    }
    guard missing == 0 else { return }
    if signatures.values.allSatisfy(\.signature.isPrehashed), failure == nil { bytesWish.withdraw() }
    done(failure.map { .failure($0) } ?? .success(found.compactMap { $0 }))
  }

  /// Why signatures are not those of what the steps let through, by the place of their steps.
  func signatureFaults(in contents: [Int: SignedContent]) -> [Int: FailureCause] {
    var faults: [Int: FailureCause] = [:]
    for (step, signature) in signatures {
      if let content = contents[step] {
        faults[step] = signature.check(content, step: step)
      } else {
        faults[step] = .internalError("the bytes to check a signature with were not kept")
      }
    }
    return faults
  }
}
