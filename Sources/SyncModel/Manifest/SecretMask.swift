/// Replaces secret values by `***` in every text that leaves the program (SPEC sections 2 and 6).
package struct SecretMask: Sendable, Equatable {
  /// What to look for, longest first, so that a secret inside another leaves no remainder.
  private var needles: [String] = []

  /// Masks nothing.
  package init() {}

  /// As by `add` for each of `values`.
  package init(values: some Sequence<String>) {
    for value in values { add(value) }
  }

  /// Whether there is nothing to look for, so that every text stays as it is.
  package var isEmpty: Bool { needles.isEmpty }

  /// Also masks the percent-encoded form, since a secret may stand in a URL. Empty values mask nothing.
  package mutating func add(_ value: String) {
    guard !value.isEmpty else { return }
    for needle in [value, Self.percentEncoded(value)] where !needles.contains(needle) {
      needles.append(needle)
    }
    needles.sort { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
  }

  /// Also masks what HTTP makes of them, where one of the two is secret: whoever sees that sees them.
  package mutating func addBasic(user: String, password: String) {
    let pair = "\(user):\(password)"
    guard mask(pair) != pair else { return }
    add(Base64.encode(Array(pair.utf8)))
  }

  /// `text` with every secret in it replaced by `***`.
  package func mask(_ text: String) -> String {
    guard !needles.isEmpty else { return text }
    var bytes = Array(text.utf8)
    for needle in needles { bytes = Self.replacing(Array(needle.utf8), in: bytes) }
    return bytes.count == text.utf8.count && bytes.elementsEqual(text.utf8)
      ? text : String(decoding: bytes, as: UTF8.self)
  }

  private static func replacing(_ needle: [UInt8], in hay: [UInt8]) -> [UInt8] {
    guard hay.count >= needle.count else { return hay }
    var out: [UInt8] = []
    var i = 0
    while i < hay.count {
      if i + needle.count <= hay.count, hay[i] == needle[0], hay[i..<(i + needle.count)].elementsEqual(needle)
      {
        out += [UInt8](repeating: UInt8(ascii: "*"), count: 3)
        i += needle.count
      } else {
        out.append(hay[i])
        i += 1
      }
    }
    return out
  }

  private static func percentEncoded(_ value: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for c in value.utf8 {
      let isUnreserved =
        (0x30...0x39).contains(c) || (0x41...0x5A).contains(c) || (0x61...0x7A).contains(c)
        || "-._~".utf8.contains(c)
      if isUnreserved {
        out.append(c)
      } else {
        out += [UInt8(ascii: "%"), digits[Int(c >> 4)], digits[Int(c & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
