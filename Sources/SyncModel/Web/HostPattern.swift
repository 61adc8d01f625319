/// Some hosts: one by its name, every host in a domain, or every host.
package struct HostPattern: Sendable, Equatable {
  /// In lower case: a host's name, `*.` and a domain for every host in it, or `*` for every host.
  package let text: String

  /// `nil` unless `text` is a host's name, perhaps with `*` for its beginning.
  package init?(_ text: String) {
    let lowered = text.lowercased()
    let isDomain = lowered.hasPrefix("*.")
    let name = Self.withoutFinalDot(isDomain ? String(lowered.dropFirst(2)) : lowered)
    // `*.` without a domain must not become `*`.
    guard isDomain || name != "*" ? HostLimits.isName(name) : lowered == "*" else { return nil }
    self.text = isDomain ? "*." + name : name
  }

  /// Whether it is for `name`, a host as in ``WebOrigin/host``.
  package func covers(_ name: String) -> Bool {
    if text == "*" { return true }
    let name =
      name.utf8.first == UInt8(ascii: "[") ? String(name.dropFirst().dropLast()) : Self.withoutFinalDot(name)
    return text.hasPrefix("*.")
      ? name.utf8.count > text.utf8.count - 1 && name.hasSuffix(text.dropFirst()) : text == name
  }

  /// A dot at the end of a host's name means the same host.
  package static func withoutFinalDot(_ name: String) -> String {
    name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
  }
}
