package import SyncModel

/// Reads a zip by its directory, and refuses what readers of headers would read in another way (docs/decisions/0026).
///
/// Each member's own header must agree with the directory, and the members must fill the archive up to the directory
/// without a gap. The data themselves are not read.
package final class ZipReader {
  /// Where a member is: from its header to the end of its data.
  private struct Extent {
    var start: Int64
    var end: Int64
    /// Which of ``lengths`` the record after the data may have, as bits.
    var descriptors: UInt8

    /// In bytes: none, or with and without a signature, with sizes of four and of eight bytes.
    static let lengths: [Int64] = [0, 12, 16, 20, 24]
  }

  private static let headLength = 46
  private static let localLength = 30

  private let end: ZipEnd
  private var directory: ByteWindow
  private var headers: ByteWindow
  private var place: Int64
  private var count: UInt64 = 0
  private var extents: [Extent] = []

  /// Finds the directory. Throws if it is missing, or if the archive has no proper end.
  package init(_ file: any ArchiveBytes) throws(FailureCause) {
    directory = ByteWindow(file)
    headers = ByteWindow(file)
    if let first = try headers.bytes(at: 0, 4)?.uint32(at: 0), first == 0x0807_4b50 || first == 0x3030_4b50 {
      throw .archive(.severalVolumes)
    }
    end = try ZipEnd(of: file)
    place = end.offset
  }

  /// The sum of the members' sizes by the directory alone, in bytes; nothing else is checked.
  package static func announcedSize(of file: any ArchiveBytes) throws(FailureCause) -> Int64 {
    let reader = try ZipReader(file)
    var (sum, shown): (UInt64, String?) = (0, nil)
    for _ in 0..<reader.end.count { sum = sum.addingSaturated(try reader.record(&shown).fields.size) }
    return Int64(clamping: sum)
  }

  /// The next member in the directory's order; `nil` after the last one, if all are where they should be.
  package func next() throws(FailureCause) -> ZipMember? {
    guard count < end.count else {
      guard place == end.offset + end.size else {
        throw .archive(
          .disagreement("the directory has more members than the \(end.count) that its end announces"))
      }
      try checkExtents()
      return nil
    }
    count += 1
    var shown: String?
    do throws(FailureCause) { return try member(&shown) } catch {
      guard case .archive(let fault) = error, fault.entry == nil else { throw error }
      throw .archive(fault.reason, entry: shown)
    }
  }

  // MARK: The directory

  /// What the directory says of a member, before its name is decoded.
  private struct Record {
    let head: LittleEndianBytes
    let fields: ZipFields
    let start: UInt64?
  }

  /// `shown` gets the name as soon as it is known.
  private func member(_ shown: inout String?) throws(FailureCause) -> ZipMember {
    let record = try record(&shown)
    let isOfUnix = Self.isOfUnix(record.head)
    let name = try ZipName.decode(record.fields, isOfUnix: isOfUnix)
    shown = String(decoding: name, as: UTF8.self)
    guard [0, 0xffff].contains(record.head.uint16(at: 34)) else { throw .archive(.severalVolumes) }
    return try checked(
      record.fields, at: record.start ?? 0, name, try Self.kind(record.head, name),
      mode: isOfUnix ? UInt16(truncatingIfNeeded: record.head.uint32(at: 38) >> 16) : nil)
  }

  /// The next record of the directory.
  private func record(_ shown: inout String?) throws(FailureCause) -> Record {
    guard place + Int64(Self.headLength) <= end.offset + end.size,
      let head = try directory.bytes(at: place, Self.headLength),
      head.uint32(at: 0) == ZipFields.directorySignature
    else { throw .archive(.damaged("the directory has fewer members than its end announces", at: place)) }
    let lengths = [28, 30, 32].map { Int(head.uint16(at: $0)) }
    let length = Self.headLength + lengths.reduce(0, +)
    guard Int64(length) <= end.offset + end.size - place, let whole = try directory.bytes(at: place, length)
    else {
      throw .archive(.damaged("a member of the directory is cut off", at: place))
    }
    var fields = ZipFields(head, at: 8, name: whole.part(Self.headLength, lengths[0]))
    var start: UInt64? = UInt64(head.uint32(at: 42))
    shown = String(decoding: fields.name, as: UTF8.self)
    try fields.take(extra: whole.part(Self.headLength + lengths[0], lengths[1]), offset: &start)
    place += Int64(length)
    return Record(head: head, fields: fields, start: start)
  }

  /// Whether a program on Unix or macOS made the member.
  private static func isOfUnix(_ head: LittleEndianBytes) -> Bool {
    [3, 19].contains(head.uint16(at: 4) >> 8)
  }

  /// By the slash at the name's end, and the mode that Unix programs write.
  private static func kind(_ head: LittleEndianBytes, _ name: [UInt8]) throws(FailureCause)
    -> ArchiveEntry.Kind
  {
    let isNamedFolder = name.last == UInt8(ascii: "/")
    let mode = isOfUnix(head) ? head.uint32(at: 38) >> 16 & 0o170000 : 0
    let kind: ArchiveEntry.Kind =
      switch mode {
      case 0o040000: .folder
      case 0o120000: .symbolicLink(target: [])
      case 0o020000, 0o060000: .device
      case 0o010000: .fifo
      case 0o140000: .socket
      case 0o100000: .file
      default: isNamedFolder ? .folder : .file
      }
    if isNamedFolder != (kind == .folder) {
      throw .archive(.disagreement("its name and its mode say different kinds"))
    }
    return kind
  }

  // MARK: A member's own header

  private func checked(
    _ fields: ZipFields, at offset: UInt64, _ name: [UInt8], _ kind: ArchiveEntry.Kind, mode: UInt16?
  ) throws(FailureCause) -> ZipMember {
    guard let start = Int64(exactly: offset), let packed = Int64(exactly: fields.packedSize),
      let size = Int64(exactly: fields.size), let head = try headers.bytes(at: start, Self.localLength),
      head.uint32(at: 0) == ZipFields.headerSignature
    else {
      throw .archive(.damaged("its header is not where the directory says", at: Int64(clamping: offset)))
    }
    let (nameLength, extraLength) = (Int(head.uint16(at: 26)), Int(head.uint16(at: 28)))
    let length = Self.localLength + nameLength + extraLength
    let data = start + Int64(length)
    guard let whole = try headers.bytes(at: start, length), data <= end.offset, packed <= end.offset - data
    else {
      throw .archive(.damaged("its data go beyond the directory's start", at: start))
    }
    var own = ZipFields(head, at: 6, name: whole.part(Self.localLength, nameLength))
    var none: UInt64?
    try own.take(extra: whole.part(Self.localLength + nameLength, extraLength), offset: &none)
    try compare(fields, own)
    if fields.isEncrypted { throw .archive(.encrypted) }
    if kind == .folder, size != 0 { throw .archive(.sizeOfEmptyKind) }
    let method = try Self.method(fields)
    try addExtent(start, data + packed, fields, own)
    return ZipMember(
      entry: ArchiveEntry(name: name, kind: kind, size: size, mode: mode, modified: fields.modified),
      method: method, crc32: fields.crc32, dataOffset: data, packedSize: packed)
  }

  private static func method(_ fields: ZipFields) throws(FailureCause) -> ZipMember.Method {
    switch fields.method {
    case 0:
      guard fields.size == fields.packedSize else {
        throw .archive(.disagreement("it is stored, but its two sizes differ"))
      }
      return .stored
    case 8: return .deflated
    default: throw .archive(.unsupportedMethod(String(fields.method)))
    }
  }

  /// The header in front of the data says the same, or leaves sum and sizes to the record after them.
  private func compare(_ fields: ZipFields, _ own: ZipFields) throws(FailureCause) {
    func require(_ isSame: Bool, _ what: String) throws(FailureCause) {
      if !isSame { throw .archive(.disagreement("the directory and its header give it different \(what)")) }
    }
    try require(own.name == fields.name, "names")
    try require(
      own.unicodeName == nil || fields.unicodeName == nil || own.unicodeName == fields.unicodeName, "names")
    try require(own.method == fields.method, "methods")
    // Encryption, a record after the data, a name in UTF-8.
    try require((own.flags ^ fields.flags) & 0x0809 == 0, "flags")
    // A field whose value comes after the data may be zero.
    func isRight<Value: BinaryInteger>(_ value: Value, _ other: Value) -> Bool {
      value == other || own.hasDescriptor && value == 0
    }
    try require(isRight(own.crc32, fields.crc32), "check sums")
    try require(isRight(own.size, fields.size) && isRight(own.packedSize, fields.packedSize), "sizes")
  }

  // MARK: What lies between

  private func addExtent(
    _ start: Int64, _ dataEnd: Int64, _ fields: ZipFields, _ own: ZipFields
  ) throws(FailureCause) {
    var descriptors: UInt8 = 1
    if fields.hasDescriptor {
      // A header that is complete needs no record.
      let isComplete =
        own.crc32 == fields.crc32 && own.size == fields.size && own.packedSize == fields.packedSize
      descriptors = isComplete ? 1 : 0
      descriptors |= try self.descriptors(at: dataEnd, fields)
      guard descriptors != 0 else {
        throw .archive(.disagreement("the record after its data is missing, or has other values"))
      }
    }
    extents.append(Extent(start: start, end: dataEnd, descriptors: descriptors))
  }

  /// The forms in which the bytes at `place` are the member's record.
  private func descriptors(at place: Int64, _ fields: ZipFields) throws(FailureCause) -> UInt8 {
    var found: UInt8 = 0
    for (index, length) in Extent.lengths.enumerated().dropFirst() {
      guard let bytes = try headers.bytes(at: place, Int(length)) else { continue }
      let isSigned = length % 8 == 0 && length != 20
      if isSigned, bytes.uint32(at: 0) != 0x0807_4b50 { continue }
      let (first, size) = (isSigned ? 4 : 0, length < 20 ? 4 : 8)
      if bytes.uint32(at: first) == fields.crc32, bytes.number(at: first + 4, size) == fields.packedSize,
        bytes.number(at: first + 4 + size, size) == fields.size
      {
        found |= 1 << UInt8(index)
      }
    }
    return found
  }

  /// The members must follow each other, from the first byte to the directory.
  private func checkExtents() throws(FailureCause) {
    extents.sort { $0.start < $1.start }
    var ends: [Int64] = [0]
    for (index, extent) in extents.enumerated() {
      guard ends.contains(extent.start) else { throw Self.gap(ends, extent.start) }
      ends = Extent.lengths.indices.compactMap { bit in
        extent.descriptors & 1 << UInt8(bit) == 0 ? nil : extents[index].end + Extent.lengths[bit]
      }
    }
    guard ends.contains(end.offset) else { throw Self.gap(ends, end.offset) }
  }

  private static func gap(_ ends: [Int64], _ next: Int64) -> FailureCause {
    let end = ends.min() ?? 0
    return .archive(next < end ? .overlap : .strayBytes(at: end))
  }
}

extension UInt64 {
  /// The sum, or the largest number if it is larger.
  func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
