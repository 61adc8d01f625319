/// The fields of a header block that matter here.
struct TarHeader {
  /// In words.
  struct Fault: Error {
    var text: String
  }

  /// The letter or digit of its kind.
  var type: UInt8
  /// With ustar's prefix.
  var name: [UInt8]
  /// The target of a link.
  var link: [UInt8]
  /// In bytes; 0 or more.
  var size: Int64
  /// The nine permission bits; `nil` if the field has no number.
  var mode: UInt16?
  /// In seconds since 1970; `nil` if the field has no number.
  var modified: Int64?

  /// Reads a block whose check sum is right.
  init(_ block: [UInt8]) throws(Fault) {
    type = block[156]
    name = Self.text(block[0..<100])
    link = Self.text(block[157..<257])
    size = try Self.number(block[124..<136])
    // Nothing that is unpacked depends on them unless the manifest asks for them.
    mode = (try? Self.number(block[100..<108])).map { UInt16(truncatingIfNeeded: $0) & 0o777 }
    modified = Self.time(block[136..<148])
    // GNU's own magic is "ustar  ", and it has times where ustar has the prefix.
    guard block[257..<263].elementsEqual("ustar\0".utf8) else { return }
    let prefix = Self.text(block[345..<500])
    if !prefix.isEmpty { name = prefix + [UInt8(ascii: "/")] + name }
  }

  /// A field's bytes up to its first zero.
  private static func text(_ field: ArraySlice<UInt8>) -> [UInt8] { Array(field.prefix { $0 != 0 }) }

  /// Octal digits, or GNU's number of base 256.
  static func number(_ field: ArraySlice<UInt8>) throws(Fault) -> Int64 {
    if field.first! & 0x80 != 0 { return try binary(field) }
    var rest = field.drop { $0 == UInt8(ascii: " ") }
    var value: Int64 = 0
    while let digit = rest.first, (0x30...0x37).contains(digit) {
      guard value < 1 << 59 else { throw Fault(text: "a size is too large") }
      value = value << 3 | Int64(digit & 7)
      rest = rest.dropFirst()
    }
    // What follows the digits, readers would ignore or not.
    guard rest.allSatisfy({ $0 == 0 || $0 == UInt8(ascii: " ") }) else {
      throw Fault(text: "a size is no octal number")
    }
    return value
  }

  /// `nil` if there is no number. GNU's number of base 256 may be negative, for a time before 1970.
  private static func time(_ field: ArraySlice<UInt8>) -> Int64? {
    guard field.first == 0xFF else { return try? number(field) }
    // Of the twelve bytes those before the last eight repeat the sign.
    guard field.dropLast(8).allSatisfy({ $0 == 0xFF }), field.suffix(8).first! & 0x80 != 0 else { return nil }
    return field.suffix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func binary(_ field: ArraySlice<UInt8>) throws(Fault) -> Int64 {
    guard field.first == 0x80 else { throw Fault(text: "a size is negative or too large") }
    var value: Int64 = 0
    for byte in field.dropFirst() {
      guard value < 1 << 54 else { throw Fault(text: "a size is too large") }
      value = value << 8 | Int64(byte)
    }
    return value
  }
}
