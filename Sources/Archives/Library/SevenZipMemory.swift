import SyncModel

/// Refuses a 7z for which libarchive would need too much memory.
enum SevenZipMemory {
  /// In bytes, of the description of a packed directory.
  private static let longestDescription = 4 << 10

  /// `place` is the directory's place in `file`. Throws `archive`, or what reading throws. Returns the sum of the
  /// entries' sizes, in bytes.
  static func check(_ file: any ArchiveBytes, directory place: Range<Int64>) throws(FailureCause) -> UInt64 {
    guard let first = try file.bytes(at: place.lowerBound, min(1, place.count)).first else { return 0 }
    let isPacked = first == 0x17
    guard place.count <= (isPacked ? Int64(longestDescription) : SevenZipDirectory.longest) else {
      throw tooLong(at: place.lowerBound)
    }
    guard !isPacked else { return try checkPacked(file, place) }
    var offset = place.lowerBound
    let bytes = SevenZipBytes(count: Int64(place.count)) { count throws(FailureCause) in
      let bytes = try file.bytes(at: offset, count)
      offset += Int64(bytes.count)
      return bytes
    }
    var directory = SevenZipDirectory(bytes)
    try directory.check()
    return directory.totalOutput
  }

  private static func tooLong(at offset: Int64) -> FailureCause {
    .archive(.damaged("its directory is longer than syncmake reads", at: offset))
  }

  /// The directory is packed, as most are: libarchive unpacks it, once it is known that this needs little memory.
  private static func checkPacked(
    _ file: any ArchiveBytes, _ place: Range<Int64>
  ) throws(FailureCause) -> UInt64 {
    let description = try file.bytes(at: place.lowerBound, place.count)
    let bytes = SevenZipBytes(count: Int64(description.count - 1)) { _ in Array(description.dropFirst()) }
    var outer = SevenZipDirectory(bytes)
    let next = try outer.packedDirectory()
    // Nothing else follows in an archive of 7-Zip.
    guard next == 0, bytes.place == Int64(description.count - 1) else { throw bytes.damaged }
    let size = outer.largestOutput
    guard size <= UInt64(SevenZipDirectory.longest) else { throw tooLong(at: place.lowerBound) }

    let streams = Array(description[1..<description.count - 1])
    let archive = try LibraryArchive(unchecked: SevenZipOfDirectory(file, place.lowerBound, streams))
    guard try archive.next() != nil else { throw bytes.damaged }
    let unpacked = SevenZipBytes(count: Int64(size)) { count throws(FailureCause) in
      try archive.content(upTo: count)
    }
    var directory = SevenZipDirectory(unpacked)
    try directory.check()
    return directory.totalOutput
  }
}

/// A 7z with one entry: the packed directory of another one.
///
/// The description of a packed directory has the form of the description of an archive's files, so libarchive can
/// unpack it as a file.
private final class SevenZipOfDirectory: ArchiveBytes {
  private static let startLength: Int64 = 32

  private let file: any ArchiveBytes
  private let start: [UInt8]
  private let directory: [UInt8]
  /// The directory's offset.
  private let place: Int64

  var size: Int64 { place + Int64(directory.count) }

  /// `place` is that of the directory in `file`, and `streams` its packed streams and decoders.
  init(_ file: any ArchiveBytes, _ place: Int64, _ streams: [UInt8]) {
    self.file = file
    self.place = place
    // The streams as they are, one entry in each part, one file with the name "d".
    let entries: [UInt8] = [0x08, 0x00, 0x00]
    let files: [UInt8] = [0x05, 0x01, 0x11, 0x05, 0x00, 0x64, 0x00, 0x00, 0x00, 0x00]
    directory = [0x01, 0x04] + streams + entries + files + [0x00]
    let position = Self.bytes(UInt64(place - Self.startLength), 8) + Self.bytes(UInt64(directory.count), 8)
    let ends = position + Self.bytes(UInt64(Self.sum(directory)), 4)
    start = [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0x00, 0x04] + Self.bytes(UInt64(Self.sum(ends)), 4) + ends
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    if offset < Self.startLength { return unsafe copy(start, from: Int(offset), into: buffer) }
    if offset >= place {
      return offset < size ? unsafe copy(directory, from: Int(offset - place), into: buffer) : 0
    }
    let count = Int(min(Int64(buffer.count), place - offset))
    return try unsafe file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
  }

  private func copy(_ bytes: [UInt8], from first: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, bytes.count - first)
    unsafe buffer.copyBytes(from: bytes[first..<first + count])
    return count
  }

  private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  /// The CRC-32 of a few bytes.
  private static func sum(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xedb8_8320 }
    }
    return ~sum
  }
}
