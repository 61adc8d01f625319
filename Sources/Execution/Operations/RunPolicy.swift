import ContentPipeline
package import SyncModel
import Transfer

/// What an untrusted manifest may do in one command, and what it has used of it (contract, section 14).
package struct RunPolicy: Sendable {
  let network: NetworkPolicy
  /// Where it is from.
  package let origin: PolicyOrigin

  /// The policy; without a file that of `--untrusted` alone.
  package var policy: Policy { network.policy }

  /// A policy without a file, at first that of `--untrusted` alone. The time of its limit counts from now on.
  package init(_ policy: Policy = Policy()) {
    network = NetworkPolicy(policy)
    origin = .untrusted
  }

  /// The policy that was read from `bytes`, the content of `file`.
  package init(_ policy: Policy, from bytes: [UInt8], of file: String) {
    network = NetworkPolicy(policy)
    origin = PolicyOrigin(file: file, sha256: Digester.digest(bytes, .sha256))
  }

  /// Where outputs must not be.
  var places: ProtectedPlaces { ProtectedPlaces(outputs: policy.outputs) }

  /// The failure as it is told: what exceeds the policy's size of a file exceeds no limit of the target.
  func told(_ cause: FailureCause) -> FailureCause {
    guard case .tooLarge(let limit, _) = cause, limit == policy.limits.file else { return cause }
    return .budgetExceeded(.file(limit))
  }
}

extension Manifest {
  /// No file of a target may be larger than `limit`, in bytes.
  mutating func limitFiles(to limit: Int64) {
    // Most targets share their settings, and still do afterwards.
    var limited: [ObjectIdentifier: Shared<TargetSettings>] = [:]
    for place in targets.indices where targets[place].maxSize ?? .max > limit {
      let settings = targets[place].settings
      let key = ObjectIdentifier(settings.storage)
      if let known = limited[key] {
        targets[place].settings = known
        continue
      }
      var own = settings
      own.maxSize = limit
      limited[key] = own
      targets[place].settings = own
    }
  }
}

extension Driver {
  /// Calls `end` when the policy's time is over, for what goes on without the network, which sees to its own.
  func expectEndOfTime(_ end: @escaping (FailureCause) -> Void) {
    guard let policy = settings.policy?.network, let left = policy.timeLeft else { return }
    // The clock of a policy does not run faster in tests.
    after(left / settings.resources.timeScale) {
      if let reached = policy.reached { end(.budgetExceeded(reached)) }
    }
  }
}
