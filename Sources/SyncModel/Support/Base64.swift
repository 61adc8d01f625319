/// Base64 as RFC 4648, section 4 has it.
package enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The base64 text of `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        let isPadding = place > group.count
        text.append(isPadding ? UInt8(ascii: "=") : digits[bits >> (18 - 6 * place) & 63])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a base64 text; `nil` unless every character, the padding and the unused bits are valid.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(text.count / 4 * 3)
    var (bits, count, padding) = (0, 0, 0)
    for character in text {
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let digit = value(character) else { return nil }
      bits = bits << 6 | digit
      count += 1
      guard count == 4 else { continue }
      out += [UInt8(bits >> 16), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
      (bits, count) = (0, 0)
    }
    switch (count, padding) {
    case (0, 0): break
    case (2, 2) where bits & 15 == 0: out.append(UInt8(bits >> 4))
    case (3, 1) where bits & 3 == 0: out += [UInt8(bits >> 10), UInt8(bits >> 2 & 255)]
    default: return nil
    }
    return out
  }

  /// The same of a text whose padding may be missing, as RFC 8941, section 4.2.7 wants it.
  static func decode(unpadded text: some Collection<UInt8>) -> [UInt8]? {
    guard !text.contains(UInt8(ascii: "=")) else { return decode(text) }
    return decode(Array(text) + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
  }

  private static func value(_ c: UInt8) -> Int? {
    switch c {
    case 0x41...0x5A: Int(c) - 0x41
    case 0x61...0x7A: Int(c) - 0x61 + 26
    case 0x30...0x39: Int(c) - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
