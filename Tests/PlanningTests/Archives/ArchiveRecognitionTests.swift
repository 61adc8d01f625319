import Planning
import SyncModel
import Testing

@Suite struct ArchiveRecognitionTests {
  private static let gzip: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]
  private static let zip: [UInt8] = [0x50, 0x4b, 3, 4, 0, 0, 0, 0]
  private static let page = Array("<!DOCTYPE html>".utf8)

  @Test(
    arguments: [
      (nil, "a.tar.gz", gzip, .tarGzip), (nil, "download", gzip, .tarGzip), (nil, "a.zip", zip, .zip),
      (nil, "", zip, .zip), (.zip, "a.tar.gz", zip, .zip), (.tarGzip, "x", page, .tarGzip),
      // What is too short shows nothing, and lzma has no magic bytes.
      (nil, "a.tar.gz", [0x1f], .tarGzip), (nil, "a.zip", [], .zip), (nil, "a.tar.lzma", page, .tarXz),
    ] as [(ArchiveFormat?, String, [UInt8], ArchiveFormat)])
  func `the demanded format counts, then the name, then the first bytes`(
    demanded: ArchiveFormat?, name: String, bytes: [UInt8], format: ArchiveFormat
  ) throws {
    #expect(try ArchiveRecognition.format(demanded: demanded, name: name, firstBytes: bytes) == format)
  }

  @Test(
    arguments: [
      ("a.tar.gz", zip, .otherFormat(named: .tarGzip, found: .zip)),
      ("a.tar.gz", page, .otherFormat(named: .tarGzip, found: nil)),
      ("a.tar", gzip, .otherFormat(named: .tar, found: .tarGzip)), ("download", page, .unknownFormat),
    ] as [(String, [UInt8], ArchiveFault.Reason)])
  func `a name and bytes that disagree are a fault`(name: String, bytes: [UInt8], reason: ArchiveFault.Reason)
  {
    let fault = ArchiveFault(reason)
    #expect(throws: fault) { try ArchiveRecognition.format(demanded: nil, name: name, firstBytes: bytes) }
    #expect(fault.code == .archiveCorrupt)
  }
}
