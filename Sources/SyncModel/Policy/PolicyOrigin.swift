/// Where a policy is from, for documents.
package struct PolicyOrigin: Sendable, Equatable {
  /// The file as the user named it; `nil` with `--untrusted` alone.
  package var file: String?
  /// The digest of its bytes.
  package var sha256: HexDigest?

  /// That of `--untrusted` alone, which is the same for everybody.
  package static let untrusted = PolicyOrigin(file: nil, sha256: nil)

  /// Both, or none of them.
  package init(file: String?, sha256: HexDigest?) {
    self.file = file
    self.sha256 = sha256
  }
}
