/// A digest algorithm that manifests may name.
package enum DigestAlgorithm: String, Sendable, CaseIterable, Comparable {
  /// The spelling is that of the manifest and the JSON output.
  case md5, sha1, sha256, sha512

  /// The length of a digest in bytes.
  package var byteCount: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// The length of a digest in hexadecimal digits.
  package var hexCount: Int { 2 * byteCount }

  /// A raw number makes hashing fast: by default an enumeration of texts hashes its text.
  package func hash(into hasher: inout Hasher) { hasher.combine(byteCount) }

  /// Weakest first.
  package static func < (a: DigestAlgorithm, b: DigestAlgorithm) -> Bool { a.byteCount < b.byteCount }
}

/// A digest's value as lower-case hexadecimal digits.
package struct HexDigest: Hashable, Sendable, CustomStringConvertible {
  /// Two digits for each byte.
  package let text: String

  /// `nil` unless `text` is hexadecimal, either case, and as long as `algorithm` wants.
  package init?(_ text: String, _ algorithm: DigestAlgorithm) {
    guard text.utf8.count == algorithm.hexCount else { return nil }
    self.init(hex: text)
  }

  /// `nil` unless `text` is hexadecimal digits, either case, an even number of them.
  package init?(hex text: String) {
    guard !text.isEmpty, text.utf8.count.isMultiple(of: 2) else { return nil }
    var text = text
    // Without a branch for each digit: every record has two digests.
    let (isHex, hasUpper) = text.withUTF8 { bytes in
      var (others, uppers): (UInt8, UInt8) = (0, 0)
      for place in bytes.indices {
        let c = unsafe bytes[place]
        let isLower: UInt8 = (c &- 0x30 < 10 ? 1 : 0) | (c &- 0x61 < 6 ? 1 : 0)
        let isUpper: UInt8 = c &- 0x41 < 6 ? 1 : 0
        others |= 1 ^ isLower ^ isUpper
        uppers |= isUpper
      }
      return (others == 0, uppers != 0)
    }
    guard isHex else { return nil }
    self.text = hasUpper ? text.lowercased() : text
  }

  /// The digest whose bytes these are.
  package init(bytes: [UInt8]) { self = unsafe bytes.withUnsafeBytes { unsafe HexDigest(bytes: $0) } }

  /// The digest whose bytes these are.
  package init(bytes: UnsafeRawBufferPointer) {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
    text = unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { out in
      for place in bytes.indices {
        unsafe out[2 * place] = digit(bytes[place] >> 4)
        unsafe out[2 * place + 1] = digit(bytes[place] & 15)
      }
      return 2 * bytes.count
    }
  }

  /// The digits.
  package var description: String { text }
}

/// The place of an expected digest (`S` in the contract, section 4).
package enum DigestSource: Sendable, Hashable {
  /// The digest is in the manifest itself.
  case literal(HexDigest)
  /// A published file; `{url: …}`.
  case sidecar(Sidecar)
  /// The line `name` in the output of another target; `{target: T, entry: NAME}`.
  case entry(TargetID, name: ByteString)

  /// Whether the output of another target has the digest.
  package var isOfTarget: Bool { if case .entry = self { true } else { false } }
}
