import SyncModel

/// An address with `://`, split where secrets are.
struct AddressParts {
  var scheme: String
  /// What stands before the `@`.
  var user: String?
  var password: String?
  /// Host, path, query and fragment.
  var rest: String

  /// `nil` without a scheme and `://`.
  init?(_ text: String) {
    guard let scheme = WebURL.scheme(of: text) else { return nil }
    let tail = text.utf8.dropFirst(scheme.utf8.count)
    guard tail.starts(with: "://".utf8) else { return nil }
    self.scheme = scheme
    let rest = tail.dropFirst(3)
    let authority = rest.prefix { !WebURL.endsAuthority($0) }
    let tailText = String(Substring(rest[authority.endIndex...]))
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
      self.rest = String(Substring(authority)) + tailText
      return
    }
    let account = String(Substring(authority[..<at]))
    let (user, password) = account.cut(at: UInt8(ascii: ":")) ?? (account, nil)
    self.user = WebURL.percentDecoded(user) ?? user
    self.password = password.map { WebURL.percentDecoded($0) ?? $0 }
    self.rest = String(Substring(authority[at...].dropFirst())) + tailText
  }

  /// Whether it has a user or a password that is not empty.
  var hasAccount: Bool { user?.isEmpty == false || password?.isEmpty == false }

  /// The host, with a port if it has one.
  var host: String { String(Substring(rest.utf8.prefix { !WebURL.endsAuthority($0) })) }
}

extension WebURL {
  /// Whether `text` begins like an address on the network, whatever its scheme.
  static func isAddress(_ text: String) -> Bool {
    AddressParts(text) != nil || scheme(of: text) == "magnet"
  }
}
