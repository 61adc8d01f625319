import Execution
import ManifestParsing
import SyncModel

/// What a manifest may do: all of it if its author is trusted, or what a policy allows to a stranger's.
///
/// A manifest that is not trusted asks public addresses by https only, reads and writes nothing outside its root, takes
/// no variables and secrets, and makes no files in folders such as `.git` or over the definitions of pipelines.
public struct Trust: Sendable {
  private let policy: Policy?

  /// It may do all.
  public static let full = Trust(nil)
  /// It is a stranger's, and no policy allows more.
  public static let stranger = Trust(Policy())

  private init(_ policy: Policy?) { self.policy = policy }

  /// It is a stranger's, and may do what a policy says, the text of a file such as `hosts: [data.example.org]`.
  ///
  /// Throws ``SyncError/Code/invalid`` with all errors of the policy.
  public init(policy text: String) throws(SyncError) {
    let parse = PolicyParser.parse(Array(text.utf8), fileName: "policy")
    guard let policy = parse.policy else { throw SyncError(.invalid, parse.diagnostics) }
    self.policy = policy
  }

  /// The policy with a budget that is whole, and a time that counts from now on; `nil` for a manifest that may do all.
  func begin() -> RunPolicy? { policy.map { RunPolicy($0) } }
}
