/// Replaces secret values by `***` in every text that leaves the program (contract, sections 2 and 6).
package struct SecretMask: Sendable, Equatable {
  /// The texts to search for, longest first, so that a secret inside another leaves no rest.
  private var needles: [String] = []
  /// Passwords too short to be looked for everywhere, as they stand in a URL: `:PASSWORD@`.
  private var shortPasswords: [String] = []

  /// Gives the secrets that become known during a run; `nil` if there are none. Any thread may call it.
  package var later: (@Sendable () -> [String])?
  /// A password of a URL with fewer bytes masks nothing but itself in a URL: a single letter is in every other text, too.
  private static let shortestURLPassword = 4

  /// A shorter value of a credential, in bytes, masks nothing: it is also part of other texts.
  private static let shortestCredential = 8

  /// Masks nothing.
  package init() {}

  /// Those of `values` that are long enough to be looked for in every text.
  package static func maskable(_ values: [String]) -> [String] {
    values.filter { $0.utf8.count >= shortestCredential }
  }

  /// As by `add` for each of `values`.
  package init(values: some Sequence<String>) {
    for value in values { add(value) }
  }

  /// One that also masks what `other` does.
  package func joined(_ other: SecretMask) -> SecretMask {
    var mask = self
    for needle in other.needles { mask.add(needle) }
    for needle in other.shortPasswords where !mask.shortPasswords.contains(needle) {
      mask.shortPasswords.append(needle)
    }
    return mask
  }

  /// Whether there is no secret, so that every text stays unchanged.
  package var isEmpty: Bool { needles.isEmpty && shortPasswords.isEmpty && later == nil }

  /// Compares what is known from the beginning.
  package static func == (a: SecretMask, b: SecretMask) -> Bool {
    a.needles == b.needles && a.shortPasswords == b.shortPasswords
  }

  /// Empty values mask nothing.
  package mutating func add(_ value: String) {
    guard !value.isEmpty, !needles.contains(where: { $0.hasSameBytes(as: value) }) else { return }
    needles.append(value)
    needles.sort { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
  }

  /// Masks a password of a URL, such as a proxy's: everywhere, or where URLs have passwords if it is very short.
  package mutating func add(urlPassword password: String) {
    guard password.utf8.count < Self.shortestURLPassword else { return add(password) }
    let needle = ":\(password)@"
    guard !password.isEmpty, !shortPasswords.contains(where: { $0.hasSameBytes(as: needle) }) else { return }
    shortPasswords.append(needle)
  }

  /// Also masks their HTTP encodings if one of the two is secret.
  package mutating func addBasic(user: String, password: String) {
    let pair = "\(user):\(password)"
    guard mask(pair) != pair else { return }
    add(Base64.encode(Array(pair.utf8)))
  }

  /// `text` with every secret replaced by `***`, also if it is URL-encoded: each byte as itself or percent-encoded,
  /// and a space as `+`.
  package func mask(_ text: String) -> String {
    guard !isEmpty else { return text }
    var bytes = Array(text.utf8)
    let mayBeEncoded = bytes.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
    for needle in shortPasswords {
      bytes = Self.replacing(Array(needle.utf8), in: bytes, by: ":***@", Self.end(of:in:from:))
      if mayBeEncoded {
        bytes = Self.replacing(Array(needle.utf8), in: bytes, by: ":***@", Self.encodedEnd(of:in:from:))
      }
    }
    for needle in allNeedles {
      bytes = Self.replacing(Array(needle.utf8), in: bytes, Self.end(of:in:from:))
      guard mayBeEncoded else { continue }
      bytes = Self.replacing(Array(needle.utf8), in: bytes, Self.encodedEnd(of:in:from:))
      // Some servers encode what they send back as ISO 8859-1.
      guard let short = Self.latin1(needle) else { continue }
      bytes = Self.replacing(short, in: bytes, Self.encodedEnd(of:in:from:))
    }
    return bytes.count == text.utf8.count && bytes.elementsEqual(text.utf8)
      ? text : String(decoding: bytes, as: UTF8.self)
  }

  /// A text in ISO 8859-1; `nil` if that has not all of its characters, or it is ASCII.
  private static func latin1(_ text: String) -> [UInt8]? {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
    let bytes = text.unicodeScalars.map { UInt8(exactly: $0.value) }
    return bytes.contains(nil) ? nil : bytes.compactMap(\.self)
  }

  private var allNeedles: [String] {
    guard let later = later?(), !later.isEmpty else { return needles }
    var all = self
    all.later = nil
    for value in later { all.add(value) }
    return all.needles
  }

  /// Whether a file's bytes contain a secret.
  package func finds(in bytes: [UInt8]) -> Bool {
    guard !isEmpty else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    return mask(text) != text
  }

  private static func replacing(
    _ needle: [UInt8], in hay: [UInt8], by mark: String = "***",
    _ end: (_ needle: [UInt8], _ hay: [UInt8], _ start: Int) -> Int?
  ) -> [UInt8] {
    guard hay.count >= needle.count else { return hay }
    var out: [UInt8] = []
    out.reserveCapacity(hay.count)
    var i = 0
    while i < hay.count {
      if let next = end(needle, hay, i) {
        out += mark.utf8
        i = next
      } else {
        out.append(hay[i])
        i += 1
      }
    }
    return out
  }

  /// The end of the needle that begins at `start`; `nil` if it does not match.
  private static func end(of needle: [UInt8], in hay: [UInt8], from start: Int) -> Int? {
    guard start + needle.count <= hay.count, hay[start] == needle[0],
      hay[start..<(start + needle.count)].elementsEqual(needle)
    else { return nil }
    return start + needle.count
  }

  /// The same for a needle that is percent-encoded, at least in part.
  private static func encodedEnd(of needle: [UInt8], in hay: [UInt8], from start: Int) -> Int? {
    var i = start
    for byte in needle {
      guard i < hay.count else { return nil }
      if hay[i] == UInt8(ascii: "%"), i + 2 < hay.count, let high = hay[i + 1].hexValue,
        let low = hay[i + 2].hexValue
      {
        guard high << 4 | low == byte else { return nil }
        i += 3
      } else {
        guard hay[i] == byte || hay[i] == UInt8(ascii: "+") && byte == UInt8(ascii: " ") else { return nil }
        i += 1
      }
    }
    return i
  }
}
