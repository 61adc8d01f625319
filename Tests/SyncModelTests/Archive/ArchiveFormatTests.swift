import SyncModel
import Testing

@Suite struct ArchiveFormatTests {
  @Test(
    arguments: [
      ("a.tar", .tar), ("a.tar.gz", .tarGzip), ("a.TGZ", .tarGzip), ("serde-1.0.crate", .tarGzip),
      ("a.tar.xz", .tarXz), ("a.txz", .tarXz), ("a.tar.lzma", .tarXz), ("a.tar.zst", .tarZstd),
      ("a.tzst", .tarZstd), ("a.tar.bz2", .tarBzip2), ("a.tbz", .tarBzip2), ("a.zip", .zip), ("a.jar", .zip),
      ("a-1.0-py3-none-any.whl", .zip), ("a.7z", .sevenZip), ("a.xar", .xar), ("a.gz", nil), ("tar", nil),
      (".tar", nil), ("a.tar.sig", nil), ("", nil),
    ] as [(String, ArchiveFormat?)])
  func `a name's ending tells the format`(name: String, format: ArchiveFormat?) {
    #expect(ArchiveFormat(ofName: name) == format)
  }

  @Test(
    arguments: [
      ([0x1f, 0x8b, 8], .tarGzip), ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], .tarXz),
      ([0x28, 0xb5, 0x2f, 0xfd], .tarZstd),
      ([0x53, 0x2a, 0x4d, 0x18], .tarZstd), (Array("BZh9".utf8), .tarBzip2), ([0x50, 0x4b, 3, 4], .zip),
      ([0x50, 0x4b, 5, 6], .zip), ([0x50, 0x4b, 9, 9], nil),
      ([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], .sevenZip),
      (Array("xar!".utf8), .xar), (Array("<html>".utf8), nil), ([], nil),
      ([UInt8](repeating: 0, count: 512), nil),
      ([UInt8](repeating: 0x20, count: 512), nil),
    ] as [([UInt8], ArchiveFormat?)])
  func `the first bytes tell the format`(bytes: [UInt8], format: ArchiveFormat?) {
    #expect(ArchiveFormat(firstBytes: bytes) == format)
  }

  @Test func `a header without a magic is recognised by its check sum`() {
    var header = [UInt8](repeating: 0, count: 512)
    header[0] = 0x61
    header.replaceSubrange(148..<156, with: Array("000541\0 ".utf8))
    #expect(TarChecksum.isRight(header[...]))
    #expect(ArchiveFormat(firstBytes: header) == .tar)
    header[1] = 1
    #expect(ArchiveFormat(firstBytes: header) == nil)
  }
}
