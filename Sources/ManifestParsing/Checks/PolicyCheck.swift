package import SyncModel

/// The policy that a manifest is read under (contract, section 14).
package struct ManifestPolicy: Sendable {
  /// What the manifest may do.
  package var policy: Policy
  /// What the check has to ask about the outside.
  package var facts: PolicyFacts

  /// Nothing is asked before the manifest is read.
  package init(_ policy: Policy, _ facts: PolicyFacts) {
    self.policy = policy
    self.facts = facts
  }

  /// Reports every way in which `manifest`, expanded, breaks the policy.
  func check(_ manifest: Manifest, _ log: inout DiagnosticLog) {
    for violation in PolicyRule.violations(of: policy, in: manifest, facts) {
      let (message, hint) = Self.words(violation.kind)
      // More targets than are allowed are of no one's.
      let subject =
        if case .tooManyTargets = violation.kind { "" } else {
          "target \(Quoting.quoted(violation.target)): "
        }
      log.error(subject + message, at: violation.span, hint: hint)
    }
  }

  private static func words(_ kind: PolicyViolation.Kind) -> (message: String, hint: String?) {
    switch kind {
    case .host(let url, .scheme):
      return ("an untrusted manifest may use https only, not \(Quoting.quoted(url))", nil)
    case .host(let url, .port(let port)):
      return (
        "an untrusted manifest may use port \(Policy.port) only, not \(port): \(Quoting.quoted(url))", nil
      )
    case .host(let url, .host(let host)):
      return ("the policy's \"hosts\" do not have \(Quoting.quoted(host)): \(Quoting.quoted(url))", nil)
    case .host(let url, .file), .file(let url):
      return (
        "an untrusted manifest may read files of its folder only, and none of git's: \(Quoting.quoted(url))",
        nil
      )
    case .address(let url, let address, let what):
      let words = what == .public ? "not in the policy's \"addresses\"" : what.words
      return ("\(Quoting.quoted(url)) must not be asked: \(address) is \(words)", nil)
    case .authentication:
      return ("an untrusted manifest may not use \"auth\"", nil)
    case .overwriting:
      return ("an untrusted manifest may not use \"local_changes: overwrite\"", nil)
    case .header(let name):
      return ("the policy's \"headers\" do not have \(Quoting.quoted(name))", nil)
    case .output(let path, .dotFolder(let name)):
      return (
        "an untrusted manifest may not write to \(Quoting.quoted(path)), since \(Quoting.quoted(name)) begins with a dot",
        nil
      )
    case .output(let path, .pipeline):
      return ("an untrusted manifest may not write \(Quoting.quoted(path)), which defines a CI pipeline", nil)
    case .output(let path, .notListed):
      return ("the policy's \"outputs\" do not match \(Quoting.quoted(path))", nil)
    case .noDigest:
      return (
        "the policy requires a digest",
        "add a step such as verify: {sha256: HEX} with the digest itself, or pin the target in \(LockFile.fileName)"
      )
    case .tooManyTargets(let limit):
      return ("more targets than the policy allows: \(limit)", nil)
    }
  }
}
