/// Reads the digests in one header field; other rules decide what they cover.
package struct DigestReading: Sendable, Equatable {
  /// In the field's order.
  package private(set) var digests: [ServerDigest] = []
  /// The items that prove nothing.
  package private(set) var ignored: [IgnoredDigest] = []
  private let name: DigestField.Name

  /// `value` is the field's text.
  package init(_ name: DigestField.Name, _ value: String) {
    self.name = name
    switch name {
    case .representation, .content: readDictionary(value)
    case .digest, .googleHash: readList(value)
    case .contentMD5: readBase64(value, .md5)
    case .amazonSHA256: readAmazon(value)
    case .checksumSHA256: readHex(value[...], .sha256, of: value)
    case .checksumSHA1: readHex(value[...], .sha1, of: value)
    case .checksumMD5: readHex(value[...], .md5, of: value)
    case .linkedETag: readHex(Self.unquoted(value), .sha256, of: value)
    case .amazonType, .googleStoredEncoding: break
    }
  }

  private mutating func ignore(_ value: String, _ reason: IgnoredDigest.Reason) {
    ignored.append(IgnoredDigest(name, value, reason))
  }

  /// RFC 9530, section 5, registers these names; its other digests are not reliable.
  private static func algorithm(structured key: String) -> DigestAlgorithm? {
    switch key {
    case "sha-256": .sha256
    case "sha-512": .sha512
    case "sha": .sha1
    case "md5": .md5
    default: nil
    }
  }

  private mutating func readDictionary(_ value: String) {
    guard let dictionary = DigestDictionary(value), !dictionary.members.isEmpty else {
      return ignore(value, .malformed)
    }
    for member in dictionary.members {
      let shown = "\(member.key)=\(member.text)"
      guard let algorithm = Self.algorithm(structured: member.key) else {
        ignore(shown, .unknownAlgorithm)
        continue
      }
      add(member.bytes, algorithm, of: shown)
    }
  }

  /// `ALGORITHM=BASE64`, several with commas between them (RFC 3230, section 4.3); names in any case.
  private mutating func readList(_ value: String) {
    for item in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let bytes = Array(item)[...].trimmingBlanks
      let text = String(decoding: bytes, as: UTF8.self)
      guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
        ignore(text, .malformed)
        continue
      }
      let key = String(decoding: bytes[..<equals], as: UTF8.self).lowercased()
      guard let algorithm = Self.algorithm(structured: key) else {
        ignore(text, .unknownAlgorithm)
        continue
      }
      add(Base64.decode(unpadded: bytes[(equals + 1)...]), algorithm, of: text)
    }
  }

  private mutating func readBase64(_ value: String, _ algorithm: DigestAlgorithm) {
    add(Base64.decode(unpadded: Array(value.utf8)[...].trimmingBlanks), algorithm, of: value)
  }

  /// A value that ends in `-N` is the digest of N digests of parts.
  private mutating func readAmazon(_ value: String) {
    let bytes = Array(value.utf8)[...].trimmingBlanks
    if let dash = bytes.lastIndex(of: UInt8(ascii: "-")), dash + 1 < bytes.endIndex,
      bytes[(dash + 1)...].allSatisfy({ (0x30...0x39).contains($0) })
    {
      return ignore(value, .notOfFile)
    }
    readBase64(value, .sha256)
  }

  private mutating func readHex(_ text: Substring, _ algorithm: DigestAlgorithm, of value: String) {
    let bytes = Array(text.utf8)[...].trimmingBlanks
    guard let digest = HexDigest(String(decoding: bytes, as: UTF8.self), algorithm) else {
      return ignore(value, .malformed)
    }
    digests.append(ServerDigest(name, algorithm, digest))
  }

  private mutating func add(_ bytes: [UInt8]?, _ algorithm: DigestAlgorithm, of text: String) {
    guard let bytes, bytes.count == algorithm.byteCount else { return ignore(text, .malformed) }
    digests.append(ServerDigest(name, algorithm, HexDigest(bytes: bytes)))
  }

  /// Without quotes around it, as an ETag has them.
  private static func unquoted(_ text: String) -> Substring {
    let bytes = text.utf8
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
      return text[...]
    }
    return Substring(bytes.dropFirst().dropLast())
  }
}
