/// Writes gzip members for tests: stored, or compressed with the fixed codes, in which runs become matches.
struct GzipWriter {
  private(set) var bytes: [UInt8] = []
  private var pending: UInt32 = 0
  private var pendingBits: UInt32 = 0

  enum Packing { case stored, fixed }

  static func member(_ data: [UInt8], _ packing: Packing = .fixed, name: String? = nil) -> [UInt8] {
    var writer = GzipWriter()
    writer.bytes = [0x1f, 0x8b, 8, name == nil ? 0 : 8, 0, 0, 0, 0, 0, 255]
    if let name { writer.bytes += Array(name.utf8) + [0] }
    switch packing {
    case .stored: writer.store(data)
    case .fixed: writer.pack(data)
    }
    writer.append(crc32(data))
    writer.append(UInt32(truncatingIfNeeded: data.count))
    return writer.bytes
  }

  /// `count` million zeros, packed 98 to 1, in as many members.
  static func zeros(millions count: Int) -> [UInt8] {
    let member = member([UInt8](repeating: 0, count: 1_000_000))
    return Array(repeatElement(member, count: count).joined())
  }

  private mutating func store(_ data: [UInt8]) {
    var rest = data[...]
    repeat {
      let piece = rest.prefix(65535)
      rest = rest.dropFirst(piece.count)
      let size = UInt16(piece.count)
      bytes.append(rest.isEmpty ? 1 : 0)
      bytes += [UInt8(size & 255), UInt8(size >> 8), UInt8(~size & 255), UInt8(~size >> 8)]
      bytes += piece
    } while !rest.isEmpty
  }

  private mutating func pack(_ data: [UInt8]) {
    put(0b011, 3)
    data.withUnsafeBufferPointer { data in
      var index = 0
      while index < data.count {
        literal(data[index])
        var run = 0
        while run < 258, index + 1 + run < data.count, data[index + 1 + run] == data[index] { run += 1 }
        if run == 258 {
          longestRun()
          index += run
        }
        index += 1
      }
    }
    end()
  }

  /// 258 times the last byte once more: length code 285, distance code 0.
  private mutating func longestRun() {
    putReversed(0b1100_0101, 8)
    putReversed(0, 5)
  }

  private mutating func literal(_ byte: UInt8) {
    if byte < 144 { putReversed(0x30 + UInt32(byte), 8) } else { putReversed(0x190 + UInt32(byte) - 144, 9) }
  }

  private mutating func end() {
    putReversed(0, 7)
    if pendingBits > 0 { put(0, 8 - pendingBits) }
  }

  private mutating func putReversed(_ code: UInt32, _ count: UInt32) {
    var bits: UInt32 = 0
    var bit: UInt32 = 0
    while bit < count {
      bits |= (code >> bit & 1) << (count - 1 - bit)
      bit += 1
    }
    put(bits, count)
  }

  private mutating func put(_ value: UInt32, _ count: UInt32) {
    pending |= value << pendingBits
    pendingBits += count
    while pendingBits >= 8 {
      bytes.append(UInt8(pending & 255))
      pending >>= 8
      pendingBits -= 8
    }
  }

  private mutating func append(_ value: UInt32) {
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(value >> UInt32(shift) & 255)) }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
  }

  // Loops over pointers: a test build is not optimised, and bodies are millions of bytes long.
  private static func crc32(_ data: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    table.withUnsafeBufferPointer { table in
      data.withUnsafeBufferPointer { data in
        var index = 0
        while index < data.count {
          crc = table[Int((crc ^ UInt32(data[index])) & 255)] ^ crc >> 8
          index += 1
        }
      }
    }
    return ~crc
  }
}
