import SyncModel

/// `Content-Range`: it is read exactly as RFC 9110's grammar says.
enum ContentRangeCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    let range = ContentRange(text)
    try demand(
      range == expected(Array(text.utf8)), "\(text.debugDescription) is \(String(describing: range))")
    guard let range else { return }
    try demand(0 <= range.first && range.first <= range.last, "\(range) ends before it begins")
    try demand(range.total.map { range.last < $0 } ?? true, "\(range) ends behind its end")
    let written = "bytes \(range.first)-\(range.last)/\(range.total.map(String.init) ?? "*")"
    try demand(ContentRange(written) == range, "\(written) is not \(range)")
  }

  /// Reads by the grammar, with white space around and between allowed, as in curl and browsers.
  private static func expected(_ bytes: [UInt8]) -> ContentRange? {
    func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 }
    let words = bytes.split(whereSeparator: isBlank)
    guard words.count == 2, words[0].map({ $0 | 0x20 }) == Array("bytes".utf8) else { return nil }
    let halves = words[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last else {
      return nil
    }
    if halves[1].elementsEqual("*".utf8) { return ContentRange(first: first, last: last, total: nil) }
    guard let total = number(halves[1]), last < total else { return nil }
    return ContentRange(first: first, last: last, total: total)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self))
  }
}
