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
    case .host(let url, let fault):
      return ("\(fault.rule(Quoting.quoted)): \(Quoting.quoted(url))", nil)
    case .file(let path):
      return ("\(HostFault.file.rule(Quoting.quoted)): \(Quoting.quoted(path))", nil)
    case .address(let url, let address, let what):
      return ("\(Quoting.quoted(url)) must not be asked: \(address) is \(what.objection)", nil)
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
    case .output(let path, .repository):
      return (
        "an untrusted manifest may not write \(Quoting.quoted(path)), by which git takes a folder for a repository",
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
      return (PolicyLimits.tooManyTargets(limit), nil)
    }
  }
}
