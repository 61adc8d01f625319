/// A rule of `credentials`: the program that gives the credentials for some hosts (contract, section 12).
package struct CredentialRule: Sendable, Equatable {
  /// The hosts that it is for.
  package let hosts: HostPattern
  /// As the configuration spells it.
  package let helper: String
  /// Where the program is: a name without a slash, which is looked up, or a path.
  package let program: String

  /// `nil` unless `host` is a host's name, perhaps with `*` for its beginning.
  package init?(host: String, helper: String, program: String) {
    guard let hosts = HostPattern(host) else { return nil }
    self.hosts = hosts
    self.helper = helper
    self.program = program
  }

  /// Whether it is for `name`, a host as in ``WebOrigin/host``.
  package func covers(_ name: String) -> Bool { hosts.covers(name) }
}

extension HostLimits {
  /// Whether `text` can be a host's name, an IPv6 address without its brackets included.
  package static func isName(_ text: some StringProtocol) -> Bool {
    if text.utf8.contains(UInt8(ascii: ":")) { return NetworkAddress(String(text)) != nil }
    return !text.isEmpty
      && text.utf8.allSatisfy { c in
        (0x30...0x39).contains(c) || (0x41...0x5A).contains(c) || (0x61...0x7A).contains(c) || c >= 0x80
          || "-._".utf8.contains(c)
      }
  }
}
