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
    guard bytes.contains(UInt8(ascii: "?")) else { return bytes }
    var masked: [UInt8] = []
    // How many of `bytes` are in `masked`.
    var done = 0
    var place = 0
    var isInQuery = false
    while place < bytes.count {
      let byte = bytes[place]
      var width = 1
      var beginsParameter = false
      if byte == UInt8(ascii: "?") {
        (isInQuery, beginsParameter) = (true, true)
      } else if isInQuery {
        if endsQuery(byte) {
          isInQuery = false
        } else if let separator = separator(bytes[place...]) {
          (width, beginsParameter) = (separator, true)
        } else if let end = variable(bytes[place...]) {
          width = end - place
        }
      }
      place += width
      guard beginsParameter, let value = signature(bytes[place...]), !isOpen(value) else { continue }
      masked += bytes[done..<value.startIndex]
      masked += mark
      done = value.endIndex
      place = done
    }
    return done == 0 ? bytes : masked + bytes[done...]
  }

  /// The value of the parameter that `rest` begins with; `nil` if it signs nothing.
  private static func signature(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let name = rest.prefix(longest).prefix {
      $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "&") && !endsValue($0)
    }
    guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: "="),
      SigningParameters.contains(String(decoding: name, as: UTF8.self))
    else { return nil }
    var end = name.endIndex + 1
    while end < rest.endIndex, !endsValue(rest[end]), separator(rest[end...]) == nil {
      end = variable(rest[end...]) ?? end + 1
    }
    return rest[(name.endIndex + 1)..<end]
  }

  /// The end of the variable that `rest` begins with; `nil` if it begins with none.
  private static func variable(_ rest: ArraySlice<UInt8>) -> Int? {
    guard rest.starts(with: "${".utf8) else { return nil }
    let inner = rest.prefix(longest).prefix { !endsValue($0) }
    guard inner.endIndex < rest.endIndex, rest[inner.endIndex] == UInt8(ascii: "}") else { return nil }
    return inner.endIndex + 1
  }

  /// The length of the separator that `rest` begins with; `nil` for none.
  private static func separator(_ rest: ArraySlice<UInt8>) -> Int? {
    guard rest.first == UInt8(ascii: "&") || rest.first == UInt8(ascii: "\\") else { return nil }
    return separators.first { rest.starts(with: $0) }?.count
  }

  /// Whether a value shows nothing: it is empty, or variables only.
  private static func isOpen(_ value: ArraySlice<UInt8>) -> Bool {
    var rest = value
    while let end = variable(rest) { rest = rest[end...] }
    return rest.isEmpty
  }

  /// What no query has: blanks, double quotes, a fragment's mark, and the marks of XML.
  private static func endsQuery(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"): true
    default: false
    }
  }

  /// What no signature has: also single quotes, and the end of a list or a mapping of YAML.
  private static func endsValue(_ byte: UInt8) -> Bool {
    endsQuery(byte) || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }
}
