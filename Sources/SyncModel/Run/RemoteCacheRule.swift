/// What the configuration says of a cache on a server (`remote_cache`; contract, section 12).
package struct RemoteCacheRule: Sendable, Equatable {
  /// What a run does with it.
  package enum Mode: String, Sendable, CaseIterable {
    /// Bodies come from it.
    case read
    /// What is fetched is put there.
    case write
    /// Both.
    case readWrite = "read-write"

    /// Whether bodies come from it.
    package var reads: Bool { self != .write }
    /// Whether bodies are put there.
    package var writes: Bool { self != .read }
  }

  /// What is believed of it.
  package enum Trust: String, Sendable, CaseIterable {
    /// Nothing: bytes are taken by their digests only.
    case digest
    /// Its records: whoever can write to it may say which version a source has.
    case writers
    /// The records that one of ``RemoteCacheRule/keys`` has signed, also on when a source was asked.
    case signed
  }

  /// An address as ``address(_:)`` gives it, or `off`; `nil` if only an option or a variable names a server.
  package var url: String?
  /// What a run does with it.
  package var mode = Mode.read
  /// What is believed of it.
  package var trust = Trust.digest
  /// Whose records count under ``Trust/signed``; then it is not empty.
  package var keys: [MinisignKey] = []

  /// One that is only read, and whose records prove nothing.
  package init(url: String? = nil) { self.url = url }

  /// The rule for the server that an option or a variable names, `nil` if neither does; `nil` for no cache.
  ///
  /// What is said of one server does not count for another.
  package func named(_ url: String?) -> RemoteCacheRule? {
    var rule = self
    if let url, url != self.url { rule = self.url == nil ? self : RemoteCacheRule() }
    rule.url = url ?? self.url
    return rule.url == nil || rule.url == "off" ? nil : rule
  }

  /// `text` as ``url``; `nil` unless it is `off`, a place in S3, or the address of a server without credentials, query and
  /// fragment.
  package static func address(_ text: String) -> String? {
    if text == "off" { return text }
    if S3Location.isMeant(by: text) { return (try? S3Location(text)).map { _ in text } }
    guard RewriteRule.base(text) != nil else { return nil }
    var address = Substring(text)
    while address.utf8.last == UInt8(ascii: "/") { address.removeLast() }
    return String(address)
  }
}
