package import SyncModel

extension SecretMask {
  /// `head` as it may be stored: a validator that contains a secret is removed (contract, section 6, promise 7).
  package func withoutSecrets(_ head: ResponseHead) -> ResponseHead {
    guard !isEmpty else { return head }
    var head = head
    if let text = head.etag?.text, mask(text) != text { head.etag = nil }
    if let text = head.lastModified, mask(text) != text { head.lastModified = nil }
    return head
  }
}
