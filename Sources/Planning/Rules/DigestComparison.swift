import SyncModel

/// What a digest rule compares: the one place for which bytes it speaks of, and which digest they must have.
extension FreshnessQuestion.Facts {
  /// The digest that the rule names; `nil` while it is not read from its source.
  func expected(by rule: DigestRule) -> HexDigest? {
    if case .literal(let digest) = rule.expected { digest } else { expectedDigest }
  }
}

extension TargetRecord {
  /// The recorded digest of the bytes that the rule speaks of; `nil` if it was not computed.
  func digest(comparedBy rule: DigestRule) -> HexDigest? {
    rule.of.among(download: self.download, output: self.content)?.digests[rule.algorithm]
  }
}
