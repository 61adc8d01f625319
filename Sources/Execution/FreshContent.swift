import LocalFiles
import Planning
import SyncModel

/// Finds what a fresh target's output holds, since its dependents compare that with what they were made with.
enum FreshContent {
  /// `nil` where nothing is there (`-o` may say so), or where nothing of it has to be known.
  ///
  /// A file that no record speaks of is hashed, so that it can be recorded, or depended on; so is one that `-o`
  /// has nobody look at, since what is made now is made with it as it is.
  static func find(
    _ target: Target, _ decision: Decision?, _ question: FreshnessQuestion, in context: RunContext,
    done: @escaping (Result<ContentIdentity?, FailureCause>) -> Void
  ) {
    guard case .file(let signature) = question.output else { return done(.success(nil)) }
    let isAssumed = decision?.verdict == .fresh(.assumedFresh)
    if let digests = question.facts.outputDigests {
      return done(.success(ContentIdentity(size: signature.size, digests: digests)))
    }
    if let record = decision?.record, record.output == target.output,
      !isAssumed || record.signature == signature
    {
      return done(.success(record.content))
    }
    let isRead =
      (context.committer != nil && !isAssumed) || !context.workspace.graph.dependents(of: target.id).isEmpty
    guard isRead else { return done(.success(nil)) }
    OutputHasher.hash(target.output, [.sha256], in: context) { done($0.map { $0 }) }
  }
}
