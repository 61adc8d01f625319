import SyncModel

/// Hides the signatures of URLs in quotations from a manifest (contract, section 3, "Details").
enum SignatureMask {
  /// `text` with `***` for the values of query parameters that sign a URL.
  static func mask(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "?")) else { return text }
    var masked: [UInt8] = []
    var place = 0
    var isInQuery = false
    while place < bytes.count {
      let byte = bytes[place]
      masked.append(byte)
      place += 1
      if byte == UInt8(ascii: "?") { isInQuery = true } else if ends(byte) { isInQuery = false }
      guard isInQuery, byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&") else { continue }
      let name = bytes[place...].prefix { $0 != UInt8(ascii: "=") && !separates($0) }
      guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "="),
        SigningParameters.contains(String(decoding: name, as: UTF8.self))
      else { continue }
      let value = bytes[(name.endIndex + 1)...].prefix { !separates($0) }
      masked += name + Array("=".utf8) + (value.isEmpty ? [] : Array("***".utf8))
      place = value.endIndex
    }
    return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
  }

  private static func separates(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "&") || ends(byte) }

  /// What no query has: blanks, quotes, a fragment's mark and, in a list or a mapping of YAML, its end.
  private static func ends(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "#")
      || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }
}
