/// Hides what signs URLs in a longer text: quotations from a manifest, lists (contract, section 3, "Details").
package enum SignatureMask {
  /// What separates two parameters: as it is, in XML and HTML, and as some programs write JSON.
  private static let separators = ["&amp;", "&#38;", #"\u0026"#, "&"].map { Array($0.utf8) }
  private static let mark = Array("***".utf8)
  /// Of the names of parameters and variables that are looked for, so that no text takes more than linear time.
  private static let longest = 200

  /// `text` with `***` for the values of query parameters that sign a URL.
  ///
  /// A value that is a variable of the manifest stays: it names the signature without showing it.
  package static func mask(_ text: String) -> String {
    guard text.holds(UInt8(ascii: "?")) else { return text }
    let bytes = Array(text.utf8)
    let masked = mask(bytes)
    return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
  }

  /// The same for any bytes.
  package static func mask(_ bytes: [UInt8]) -> [UInt8] {
    var masked: [UInt8] = []
    masked.reserveCapacity(bytes.count)
    var place = 0
    var isInQuery = false
    while place < bytes.count {
      let byte = bytes[place]
      let width = byte == UInt8(ascii: "?") ? 1 : isInQuery ? separator(bytes[place...]) : 0
      if byte == UInt8(ascii: "?") { isInQuery = true } else if ends(byte) { isInQuery = false }
      masked += bytes[place..<place + max(width, 1)]
      place += max(width, 1)
      guard isInQuery, width > 0, let value = signature(bytes[place...]) else { continue }
      masked += bytes[place..<value.startIndex]
      masked += value.isEmpty || isVariable(value) ? value : mark[...]
      place = value.endIndex
    }
    return masked
  }

  /// The value of the parameter that `rest` begins with; `nil` if it signs nothing.
  private static func signature(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let name = rest.prefix(longest).prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "&") && !ends($0) }
    guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: "="),
      SigningParameters.contains(String(decoding: name, as: UTF8.self))
    else { return nil }
    var end = name.endIndex + 1
    while end < rest.endIndex, !ends(rest[end]), separator(rest[end...]) == 0 {
      end = variable(rest[end...]) ?? end + 1
    }
    return rest[(name.endIndex + 1)..<end]
  }

  /// The end of the variable that `rest` begins with; `nil` if it begins with none.
  private static func variable(_ rest: ArraySlice<UInt8>) -> Int? {
    guard rest.starts(with: "${".utf8) else { return nil }
    let inner = rest.prefix(longest).prefix { !ends($0) }
    guard inner.endIndex < rest.endIndex, rest[inner.endIndex] == UInt8(ascii: "}") else { return nil }
    return inner.endIndex + 1
  }

  /// The length of the separator that `rest` begins with; 0 for none.
  private static func separator(_ rest: ArraySlice<UInt8>) -> Int {
    guard rest.first == UInt8(ascii: "&") || rest.first == UInt8(ascii: "\\") else { return 0 }
    return separators.first { rest.starts(with: $0) }?.count ?? 0
  }

  private static func isVariable(_ value: ArraySlice<UInt8>) -> Bool {
    value.last == UInt8(ascii: "}") && value.starts(with: "${".utf8)
      && value.firstIndex(of: UInt8(ascii: "}")) == value.endIndex - 1
  }

  /// What no query has: blanks, quotes, a fragment's mark, the marks of XML and, in a list or a mapping of YAML, its end.
  private static func ends(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "#"), UInt8(ascii: "<"),
      UInt8(ascii: ">"), UInt8(ascii: "}"), UInt8(ascii: "]"):
      true
    default: false
    }
  }
}
