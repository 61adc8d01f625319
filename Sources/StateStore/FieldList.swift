/// Several texts in one column, as `4:name5:value`: each after its length in bytes, so that any text will do.
enum FieldList {
  static func encode(_ parts: some Sequence<String>) -> String {
    var out: [UInt8] = []
    for part in parts { append(part, to: &out) }
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends one part to `list`.
  static func append(_ part: String, to list: inout [UInt8]) {
    unsafe part.withBytes { bytes in
      append(bytes.count, to: &list)
      list.append(UInt8(ascii: ":"))
      unsafe list.append(contentsOf: bytes)
    }
  }

  private static func append(_ number: Int, to list: inout [UInt8]) {
    if number >= 10 { append(number / 10, to: &list) }
    list.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  /// `nil` if the lengths do not match.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [String]? {
    var parts: [String] = []
    // As many as most lists have, at once.
    if unsafe !bytes.isEmpty { parts.reserveCapacity(4) }
    var offset = 0
    while offset < bytes.count {
      guard let length = unsafe length(in: bytes, at: &offset), length <= bytes.count - offset else {
        return nil
      }
      unsafe parts.append(
        String(repairing: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])))
      offset += length
    }
    return parts
  }

  /// The number before the colon; leaves `offset` after the colon.
  private static func length(in bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Int? {
    var value = 0
    let start = offset
    while offset < bytes.count, unsafe bytes[offset] != UInt8(ascii: ":") {
      guard unsafe (0x30...0x39).contains(bytes[offset]), offset - start < 9 else { return nil }
      value = unsafe value * 10 + Int(bytes[offset] - 0x30)
      offset += 1
    }
    guard offset < bytes.count, offset > start else { return nil }
    offset += 1
    return value
  }
}
