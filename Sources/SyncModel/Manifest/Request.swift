/// A request header from the manifest; the value may be secret.
package struct RequestHeader: Sendable, Hashable {
  /// As written; unique in its target, whatever the case.
  package var name: String
  /// As it is sent; may be empty.
  package var value: String

  /// The parser has checked that both are valid in a header; nothing is checked here.
  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Headers that syncmake sets itself, or that would break its promises; in lower case.
  package static let own: Set<String> = [
    "range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "host",
    "content-length", "transfer-encoding", "accept-encoding", "connection", "te", "expect", "upgrade",
    "http2-settings",
  ]

  /// Whether `text` is a token of RFC 9110, section 5.6.2, as names are.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
  }

  /// Compares bytes, in the name as well.
  package static func == (a: RequestHeader, b: RequestHeader) -> Bool {
    a.name.hasSameBytes(as: b.name) && a.value.hasSameBytes(as: b.value)
  }

  /// Agrees with `==`: equal are the same bytes only.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(ByteString(name))
    hasher.combine(ByteString(value))
  }
}

/// The credentials; sent to the origin of the target's own URL only (contract, section 5).
package enum Authentication: Sendable, Hashable {
  /// Sent as `Authorization: Bearer` with this token.
  case bearer(ByteString)
  /// Sent as `Authorization: Basic`; the password may be empty.
  case basic(user: ByteString, password: ByteString)
  /// From the user's `.netrc`.
  case netrc
}
