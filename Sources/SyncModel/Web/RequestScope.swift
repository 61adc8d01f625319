/// Which requests of an exchange carry conditions and ranges (contract, sections 3 and 5).
///
/// The transfer sends by these rules, and the fetch machine judges replies by the same. URLs are resources.
extension Validators {
  /// Whether a request for `resource` carries the conditions: requests for the recorded resource and the first
  /// request do.
  ///
  /// A mirror of the user's configuration sends nothing that its origin's server knows. `first` is the exchange's own URL; `nil` if the recorded resource may have been reached by another one.
  package func areSent(to resource: String, first: @autoclosure () -> String?) -> Bool {
    guard let own = self.url else { return true }
    return own.hasSameBytes(as: resource)
      || first()?.hasSameBytes(as: resource) == true && !ResourceURL.isOfMirror(own)
  }
}

extension ResumePoint {
  /// Whether a request for `resource` asks only for the rest; `first` is the exchange's own URL.
  ///
  /// After a redirect to another host, the file may be a copy. Its bytes are joined only with the same strong ETag,
  /// and only if a digest of the whole will be checked.
  package func isSent(to resource: String, first: @autoclosure () -> String) -> Bool {
    if url.hasSameBytes(as: resource) { return true }
    guard isCheckedByDigest, validator.etag != nil, ResourceURL.mayBeCopies(url, resource) else {
      return false
    }
    return !first().hasSameBytes(as: resource)
  }
}

extension ResourceURL {
  /// Whether two URLs lead to the same file name on different hosts. Another port is the same host.
  package static func mayBeCopies(_ a: String, _ b: String) -> Bool {
    guard let first = WebURL(a), let second = WebURL(b),
      first.host != second.host || isOfMirror(a) || isOfMirror(b),
      let name = first.lastPathPart, let other = second.lastPathPart
    else { return false }
    return name.hasSameBytes(as: other)
  }
}
