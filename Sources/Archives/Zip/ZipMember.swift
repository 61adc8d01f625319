package import SyncModel

/// A member of a zip, as directory and header agree on it.
package struct ZipMember: Sendable, Equatable {
  /// How its data are compressed.
  package enum Method: Sendable, Equatable {
    case stored, deflated
  }

  /// Its name, kind and size. The target of a symbolic link is its content, and missing here.
  package var entry: ArchiveEntry
  /// The compression of the content.
  package var method: Method
  /// Of the content.
  package var crc32: UInt32
  /// Where the compressed data begin, in bytes.
  package var dataOffset: Int64
  /// Of the compressed data, in bytes.
  package var packedSize: Int64
}

/// A member's fields in the directory or, with other places, in its own header.
struct ZipFields {
  static let directorySignature: UInt32 = 0x0201_4b50
  static let headerSignature: UInt32 = 0x0403_4b50

  var flags: UInt16
  var method: UInt16
  var crc32: UInt32
  var packedSize: UInt64
  var size: UInt64
  var name: [UInt8]
  /// The name as the extra field for UTF-8 names has it; `nil` without one.
  var unicodeName: [UInt8]?
  /// By the extra field for times, else the header's, which has no zone and is taken for UTC.
  private(set) var modified: Timestamp?

  /// Whether sizes and sum are in a record after the data.
  var hasDescriptor: Bool { flags & 8 != 0 }
  var isEncrypted: Bool { flags & 1 != 0 || flags & 1 << 6 != 0 || flags & 1 << 13 != 0 || method == 99 }
  var isUTF8: Bool { flags & 1 << 11 != 0 }

  /// From the fields that both kinds of header have, in the same order, from `place` on.
  init(_ head: LittleEndianBytes, at place: Int, name: LittleEndianBytes) {
    flags = head.uint16(at: place)
    method = head.uint16(at: place + 2)
    crc32 = head.uint32(at: place + 8)
    packedSize = UInt64(head.uint32(at: place + 12))
    size = UInt64(head.uint32(at: place + 16))
    self.name = Array(name.bytes)
    modified = Self.time(head.uint16(at: place + 4), head.uint16(at: place + 6))
  }

  /// In steps of two seconds; `nil` for what is no date.
  private static func time(_ time: UInt16, _ date: UInt16) -> Timestamp? {
    let (month, day) = (Int(date >> 5 & 15), Int(date & 31))
    guard (1...12).contains(month), day > 0 else { return nil }
    let civil = CivilTime(
      year: 1980 + Int(date >> 9), month: month, day: day, hour: Int(time >> 11), minute: Int(time >> 5 & 63),
      second: Int(time & 31) * 2)
    return Timestamp(seconds: civil.secondsSince1970)
  }

  /// Takes the sizes that are too large for the header itself, and the name in UTF-8, from the extra fields. `offset`
  /// is the header's place, which only the directory has.
  mutating func take(extra: LittleEndianBytes, offset: inout UInt64?) throws(FailureCause) {
    var place = 0
    var hasWide = false
    while place + 4 <= extra.count {
      let (id, length) = (extra.uint16(at: place), Int(extra.uint16(at: place + 2)))
      guard place + 4 + length <= extra.count else {
        throw .archive(.ambiguous("an extra field is longer than its header says"))
      }
      let field = extra.part(place + 4, length)
      if id == 1 {
        if hasWide { throw .archive(.ambiguous("there are two extra fields for large sizes")) }
        hasWide = true
        try takeWide(field, &offset)
      } else if id == 0x7075, length >= 5, field.bytes.first == 1, field.uint32(at: 1) == Self.crc32(name) {
        if unicodeName != nil { throw .archive(.ambiguous("there are two extra fields with names")) }
        unicodeName = Array(field.bytes.dropFirst(5))
      } else if id == 0x5455, length >= 5, let flags = field.bytes.first, flags & 1 == 1 {
        modified = Timestamp(seconds: Int64(Int32(bitPattern: field.uint32(at: 1))))
      }
      place += 4 + length
    }
  }

  private mutating func takeWide(_ field: LittleEndianBytes, _ offset: inout UInt64?) throws(FailureCause) {
    var place = 0
    func next() throws(FailureCause) -> UInt64 {
      guard place + 8 <= field.count else {
        throw .archive(.ambiguous("the extra field for large sizes is too short"))
      }
      defer { place += 8 }
      return field.uint64(at: place)
    }
    if size == 0xffff_ffff { size = try next() }
    if packedSize == 0xffff_ffff { packedSize = try next() }
    if offset == 0xffff_ffff { offset = try next() }
  }

  /// Of short texts: names.
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = crc & 1 == 1
        crc >>= 1
        if isOdd { crc ^= 0xedb8_8320 }
      }
    }
    return ~crc
  }
}
