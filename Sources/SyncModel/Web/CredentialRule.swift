/// A rule of `credentials`: the program that gives the credentials for some hosts (contract, section 12).
package struct CredentialRule: Sendable, Equatable {
  /// In lower case: a host's name, `*.` and a domain for every host in it, or `*` for every host.
  package let host: String
  /// As the configuration spells it.
  package let helper: String
  /// Where the program is: a name without a slash, which is looked up, or a path.
  package let program: String

  /// `nil` unless `host` is a host's name, perhaps with `*` for its beginning.
  package init?(host: String, helper: String, program: String) {
    let host = host.lowercased()
    let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
    guard host == "*" || HostLimits.isName(name) else { return nil }
    self.host = host
    self.helper = helper
    self.program = program
  }

  /// Whether it is for `name`, a host as in ``WebOrigin/host``.
  package func covers(_ name: String) -> Bool {
    if host == "*" { return true }
    let name = name.utf8.first == UInt8(ascii: "[") ? String(name.dropFirst().dropLast()) : name
    return host.hasPrefix("*.")
      ? name.utf8.count > host.utf8.count - 1 && name.hasSuffix(host.dropFirst()) : host == name
  }
}

extension HostLimits {
  /// Whether `text` can be a host's name, an IPv6 address without its brackets included.
  package static func isName(_ text: some StringProtocol) -> Bool {
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    return !text.isEmpty && colons != 1
      && text.utf8.allSatisfy { c in
        (0x30...0x39).contains(c) || (0x41...0x5A).contains(c) || (0x61...0x7A).contains(c) || c >= 0x80
          || "-._:".utf8.contains(c)
      }
  }
}
