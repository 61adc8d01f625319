import SyncModel

/// The start of a 7z says where it ends, which libarchive does not compare.
enum SevenZipFrame {
  private static let length = 32

  /// Throws if the archive ends too early, or if something other than zeros follows its end. Returns the place of its
  /// directory.
  static func check(_ file: any ArchiveBytes) throws(FailureCause) -> Range<Int64> {
    var window = ByteWindow(file)
    guard let head = try window.bytes(at: 0, length) else {
      throw .archive(.endsEarly("it ends inside its first header"))
    }
    guard head.bytes.starts(with: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]) else {
      throw .archive(.damaged("it does not begin like a 7z", at: 0))
    }
    let (offset, size) = (head.uint64(at: 12), head.uint64(at: 20))
    guard offset < 1 << 61, size < 1 << 61 else { throw .archive(.damaged("its header is damaged", at: 12)) }
    let start = Int64(length) + Int64(offset)
    let end = start + Int64(size)
    try checkEnd(file, end)
    return start..<end
  }

  private static func checkEnd(_ file: any ArchiveBytes, _ end: Int64) throws(FailureCause) {
    var place = end
    guard place <= file.size else {
      throw .archive(.endsEarly("it ends before its directory, or is one of several volumes"))
    }
    while place < file.size {
      let bytes = try file.bytes(at: place, 64 << 10)
      if let other = bytes.firstIndex(where: { $0 != 0 }) {
        throw .archive(.dataAfterEnd(at: place + Int64(other)))
      }
      guard !bytes.isEmpty else { return }
      place += Int64(bytes.count)
    }
  }
}
