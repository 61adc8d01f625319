/// A request header from the manifest; the value may be secret.
package struct RequestHeader: Sendable, Hashable {
  /// As written; unique in its target, whatever the case.
  @Exact package var name: String
  /// As it is sent; may be empty.
  @Exact package var value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// Who asks; sent to the origin of the target's own URL only (SPEC section 5).
package enum Authentication: Sendable, Hashable {
  case bearer(Exact<String>)
  case basic(user: Exact<String>, password: Exact<String>)
  /// From the user's `.netrc`.
  case netrc
}
