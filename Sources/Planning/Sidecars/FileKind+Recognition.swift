package import SyncModel

extension FileKind {
  /// The apparent kind of binary `bytes`; `nil` if they may be text, or anything.
  package static func recognised(in bytes: [UInt8]) -> FileKind? {
    guard bytes.count > 2 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0x1F, 0x8B), (0xFD, 0x37), (0x28, 0xB5): return .packed
    // "PK" alone may begin a text.
    case (0x50, 0x4B) where bytes[2] < 0x20: return .packed
    case (0x42, 0x5A) where bytes[2] == UInt8(ascii: "h") && !isUTF8(bytes): return .packed
    case (0x30, 0x80...0x84): return .der
    // A signature packet in the old format, with its length in one or two bytes, and in the new format.
    case (0x88, _) where !isUTF8(bytes), (0x89, _) where !isUTF8(bytes), (0xC2, _) where !isUTF8(bytes):
      return .pgpSignature
    default: return nil
    }
  }

  private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

  /// The apparent kind of a text that does not begin like a list of digests; UTF-8 without a byte order mark.
  package static func recognised(inText text: [UInt8]) -> FileKind? {
    let rest = text.drop(while: ChecksumLine.isBlank)
    switch rest.first {
    case UInt8(ascii: "<"): return isHTML(rest) ? .html : .xml
    case UInt8(ascii: "{"): return .json
    case UInt8(ascii: "["): return isJSONArray(rest) ? .json : nil
    case UInt8(ascii: "-"): return armoured(rest)
    default: return isLoneMinisignature(rest) ? .minisignSignature : nil
    }
  }

  /// Everything in angle brackets that does not call itself XML is taken for a web page.
  private static func isHTML(_ text: ArraySlice<UInt8>) -> Bool {
    let head = String(decoding: text.prefix(1024), as: UTF8.self).lowercased()
    return head.holds("<html") || head.holds("<!doctype html") || !head.hasPrefix("<?xml")
  }

  /// A bracket also begins the name of a section.
  private static func isJSONArray(_ text: ArraySlice<UInt8>) -> Bool {
    guard let next = text.dropFirst().first(where: { !ChecksumLine.isBlank($0) }) else { return false }
    return "{[]\"".utf8.contains(next)
  }

  private static func armoured(_ text: ArraySlice<UInt8>) -> FileKind? {
    func begins(_ what: String) -> Bool { text.starts(with: "-----BEGIN \(what)".utf8) }
    if begins("PGP SIGNED MESSAGE") { return nil }
    if begins("PGP ") { return .pgpSignature }
    if begins("SSH SIGNATURE") { return .sshSignature }
    return begins("") ? .pem : nil
  }

  /// A signature of minisign or signify, without the list that may follow a signify signature.
  private static func isLoneMinisignature(_ text: ArraySlice<UInt8>) -> Bool {
    guard MinisignSignature.isRecognised(in: Array(text.prefix(64))) else { return false }
    let lines = text.split(separator: UInt8(ascii: "\n")).map(ChecksumLine.trimmed).filter { !$0.isEmpty }
    return lines.count <= 2 || lines[2].starts(with: "trusted comment:".utf8)
  }
}
