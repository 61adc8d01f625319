/// Several texts in one column, as `4:name5:value`: each after its length in bytes, so that any text will do.
enum FieldList {
  static func encode(_ parts: some Sequence<String>) -> String {
    var out = ""
    for part in parts {
      out += String(part.utf8.count)
      out += ":"
      out += part
    }
    return out
  }

  /// `nil` where the lengths do not add up.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [String]? {
    var parts: [String] = []
    var offset = 0
    while offset < bytes.count {
      guard let length = length(in: bytes, at: &offset), length <= bytes.count - offset else { return nil }
      parts.append(String(repairing: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])))
      offset += length
    }
    return parts
  }

  /// The number before the colon; leaves `offset` behind the colon.
  private static func length(in bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Int? {
    var value = 0
    let start = offset
    while offset < bytes.count, bytes[offset] != UInt8(ascii: ":") {
      guard (0x30...0x39).contains(bytes[offset]), offset - start < 9 else { return nil }
      value = value * 10 + Int(bytes[offset] - 0x30)
      offset += 1
    }
    guard offset < bytes.count, offset > start else { return nil }
    offset += 1
    return value
  }
}
