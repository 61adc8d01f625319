/// The environment variables that take the place of a foreign file's secrets: one for each value.
struct SecretNames {
  /// In the order of their first use.
  private(set) var all: [String] = []
  private var texts = UniqueTexts()
  /// By what the name is made of and the value.
  private var names: [[String]: String] = [:]

  /// `${env:NAME:-not-set}` for `value`, where NAME is made of the host and of what the secret is.
  ///
  /// Not `${secret:NAME}`: as long as that is not set, the manifest is not valid.
  mutating func reference(_ value: String, _ host: String, _ what: String) -> String {
    "${env:\(name(value, host, what)):-not-set}"
  }

  private mutating func name(_ value: String, _ host: String, _ what: String) -> String {
    let bytes = "\(host)_\(what)".uppercased().utf8.map { c in
      (0x30...0x39).contains(c) || (0x41...0x5A).contains(c) ? c : UInt8(ascii: "_")
    }
    let isDigit = (0x30...0x39).contains(bytes.first ?? 0)
    let base = (isDigit ? "HOST_" : "") + String(decoding: bytes, as: UTF8.self)
    if let name = names[[base, value]] { return name }
    let name = texts.take(base) { "\($0)_\($1)" }
    names[[base, value]] = name
    all.append(name)
    return name
  }
}
