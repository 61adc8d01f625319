/// The content of a 206 by its header (RFC 9110, section 14.4); byte positions count from 0.
package struct ContentRange: Sendable, Equatable {
  /// The first byte's position, 0 or more.
  package var first: Int64
  /// The last byte's position, itself included; never before `first`.
  package var last: Int64
  /// The whole body's size, more than `last`; `nil` if the server wrote `*`.
  package var total: Int64?

  /// `last` must not be before `first`, and `total` must be more than `last`.
  package init(first: Int64, last: Int64, total: Int64?) {
    self.first = first
    self.last = last
    self.total = total
  }

  /// Reads a `Content-Range` header, such as `bytes 5-9/10`.
  ///
  /// `nil` for everything else: another unit, an unsatisfied range (`bytes */10`), a range that ends before it
  /// starts or beyond its total, a number above 63 bits, a sign, or several ranges.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)[...].trimmingBlanks
    guard let space = bytes.firstIndex(where: { $0 == 0x20 || $0 == 0x09 }),
      String(decoding: bytes[..<space], as: UTF8.self).lowercased() == "bytes"
    else { return nil }
    let spec = bytes[space...].trimmingBlanks
    guard let dash = spec.firstIndex(of: UInt8(ascii: "-")),
      let slash = spec.firstIndex(of: UInt8(ascii: "/")),
      dash < slash, let first = Int64(digits: spec[..<dash]),
      let last = Int64(digits: spec[(dash + 1)..<slash]), first <= last
    else { return nil }
    let whole = spec[(slash + 1)...]
    if whole.elementsEqual([UInt8(ascii: "*")]) {
      self.init(first: first, last: last, total: nil)
    } else {
      guard let total = Int64(digits: whole), last < total else { return nil }
      self.init(first: first, last: last, total: total)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Without the spaces and tabs at both ends.
  var trimmingBlanks: ArraySlice<UInt8> {
    var rest = self
    while let c = rest.first, c == 0x20 || c == 0x09 { rest.removeFirst() }
    while let c = rest.last, c == 0x20 || c == 0x09 { rest.removeLast() }
    return rest
  }
}

extension Int64 {
  /// A number of decimal digits only; `nil` if it is empty, has other characters or exceeds 63 bits.
  init?(digits: some Collection<UInt8>) {
    guard !digits.isEmpty else { return nil }
    var value: Int64 = 0
    for c in digits {
      guard (0x30...0x39).contains(c) else { return nil }
      let (tenfold, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, passed) = tenfold.addingReportingOverflow(Int64(c - 0x30))
      if overflowed || passed { return nil }
      value = sum
    }
    self = value
  }
}
