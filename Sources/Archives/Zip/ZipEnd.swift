import SyncModel

/// What the records at a zip's end say about its directory.
struct ZipEnd {
  static let signature: UInt32 = 0x0605_4b50
  private static let length = 22
  private static let longestComment = 65_535
  private static let locatorLength = 20
  private static let wideLength = 56

  var count: UInt64
  var offset: Int64
  var size: Int64

  /// Finds and checks the records. The directory must end where they begin, and nothing but zeros may follow them.
  init(of file: any ArchiveBytes) throws(FailureCause) {
    let (place, record) = try Self.find(in: file)
    try Self.requireOneVolume(record)
    var window = ByteWindow(file)
    var (count, size) = (UInt64(record.uint16(at: 10)), UInt64(record.uint32(at: 12)))
    var (offset, end) = (UInt64(record.uint32(at: 16)), place)
    if let wide = try Self.wide(before: place, &window) {
      count = try Self.full(wide.record.uint64(at: 32), narrow: count, most: 0xffff)
      size = try Self.full(wide.record.uint64(at: 40), narrow: size, most: 0xffff_ffff)
      offset = try Self.full(wide.record.uint64(at: 48), narrow: offset, most: 0xffff_ffff)
      end = wide.place
    } else if size == 0xffff_ffff || offset == 0xffff_ffff || count == 0xffff && offset + size != UInt64(end)
    {
      // Exactly 65,535 entries need no such record.
      throw .archive(.damaged("the record for large archives is missing", at: place))
    }
    guard let from = Int64(exactly: offset), let length = Int64(exactly: size), from <= end,
      length <= end - from
    else { throw .archive(.damaged("the directory is not inside the archive", at: place)) }
    guard from + length == end else { throw .archive(.strayBytes(at: from + length)) }
    (self.count, self.offset, self.size) = (count, from, length)
  }

  // MARK: The last record

  private static func find(in file: any ArchiveBytes) throws(FailureCause) -> (
    place: Int64, LittleEndianBytes
  ) {
    let used = try usedSize(of: file)
    let start = max(0, used - Int64(length + longestComment))
    // Its comment may be empty and its length zero, and then it ends in zeros itself.
    let bytes = try file.bytes(at: start, Int(used - start) + length)
    let places = signatures(in: bytes)
    guard let last = places.last else {
      throw .archive(.endsEarly("the directory at its end is missing"))
    }
    let fits = places.filter { place in
      guard place + length <= bytes.count else { return false }
      let end = end(of: place, bytes)
      return start + Int64(end) >= used && start + Int64(end) <= file.size
    }
    if fits.count > 1 || fits.count == 1 && fits[0] != last {
      throw .archive(.ambiguous("its end is there twice"))
    }
    guard let place = fits.first else {
      guard last + length <= bytes.count, start + Int64(end(of: last, bytes)) < used else {
        throw .archive(.endsEarly("it ends inside its last record"))
      }
      throw .archive(.dataAfterEnd(at: start + Int64(end(of: last, bytes))))
    }
    return (start + Int64(place), LittleEndianBytes(bytes: bytes[place..<place + length]))
  }

  private static func end(of place: Int, _ bytes: [UInt8]) -> Int {
    place + length + Int(LittleEndianBytes(bytes: bytes[place...]).uint16(at: 20))
  }

  private static func signatures(in bytes: [UInt8]) -> [Int] {
    guard bytes.count >= 4 else { return [] }
    return (0...bytes.count - 4).filter { place in
      bytes[place] == 0x50 && bytes[place + 1] == 0x4b && bytes[place + 2] == 5 && bytes[place + 3] == 6
    }
  }

  /// The size without the zeros at the end.
  private static func usedSize(of file: any ArchiveBytes) throws(FailureCause) -> Int64 {
    var end = file.size
    while end > 0 {
      let start = max(0, end - 64 << 10)
      let bytes = try file.bytes(at: start, Int(end - start))
      if let last = bytes.lastIndex(where: { $0 != 0 }) { return start + Int64(last) + 1 }
      end = start
    }
    throw .archive(.endsEarly("there are no data"))
  }

  private static func requireOneVolume(_ record: LittleEndianBytes) throws(FailureCause) {
    let (disk, start) = (record.uint16(at: 4), record.uint16(at: 6))
    guard [0, 0xffff].contains(disk), [0, 0xffff].contains(start),
      record.uint16(at: 8) == record.uint16(at: 10)
    else {
      throw .archive(.severalVolumes)
    }
  }

  // MARK: The record for large archives

  /// The value that the record for large archives has; one that fits may be in both, and is then the same.
  private static func full(_ full: UInt64, narrow: UInt64, most: UInt64) throws(FailureCause) -> UInt64 {
    guard narrow == most || narrow == full else {
      throw .archive(.disagreement("the two records at its end say \(narrow) and \(full)"))
    }
    return full
  }

  /// The record whose locator is directly before `place`; `nil` if there is none.
  private static func wide(
    before place: Int64, _ window: inout ByteWindow
  ) throws(FailureCause) -> (place: Int64, record: LittleEndianBytes)? {
    guard let locator = try window.bytes(at: place - Int64(locatorLength), locatorLength),
      locator.uint32(at: 0) == 0x0706_4b50
    else { return nil }
    guard locator.uint32(at: 4) == 0, locator.uint32(at: 16) <= 1 else { throw .archive(.severalVolumes) }
    guard let start = Int64(exactly: locator.uint64(at: 8)),
      let record = try window.bytes(at: start, wideLength),
      record.uint32(at: 0) == 0x0606_4b50
    else { throw .archive(.damaged("the record for large archives is not where it should be", at: place)) }
    // It may be followed by data of its own, which nobody uses.
    guard record.uint64(at: 4) == UInt64(wideLength - 12),
      start + Int64(wideLength) == place - Int64(locatorLength)
    else { throw .archive(.strayBytes(at: start + Int64(wideLength))) }
    guard record.uint32(at: 16) == 0, record.uint32(at: 20) == 0,
      record.uint64(at: 24) == record.uint64(at: 32)
    else {
      throw .archive(.severalVolumes)
    }
    return (start, record)
  }
}
