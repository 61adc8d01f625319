import SyncModel

/// How ``ConfirmedFile`` values stand in a snapshot's file: for each the size, then three texts with their lengths.
enum ConfirmedFilesForm {
  /// In place of the length of a text that is not there.
  private static let absent = Int32(-1)

  static func encode(_ files: [ConfirmedFile]) -> [UInt8] {
    var out = BinaryWriter()
    out.bytes.reserveCapacity(files.count * 128)
    for file in files {
      out.add(file.size)
      for text in [file.sha256?.text, file.etag?.text, file.lastModified] {
        out.add(text.map { Int32(clamping: $0.utf8.count) } ?? absent)
        out.bytes += (text ?? "").utf8
      }
    }
    return out.bytes
  }

  /// Throws if these are not the bytes of `count` files.
  static func decode(_ bytes: UnsafeRawBufferPointer, count: Int) throws(DamagedData) -> [ConfirmedFile] {
    var reader = unsafe BinaryReader(bytes)
    var files: [ConfirmedFile] = []
    files.reserveCapacity(count)
    for _ in 0..<count {
      let size = try reader.number(Int64.self)
      let digest = try text(&reader)
      let etag = try text(&reader)
      let lastModified = try text(&reader)
      let sha256 = digest.flatMap { HexDigest($0, .sha256) }
      guard (sha256 == nil) == (digest == nil) else { throw DamagedData() }
      files.append(
        ConfirmedFile(
          size: size, sha256: sha256, etag: etag.map { EntityTag($0) }, lastModified: lastModified))
    }
    guard reader.isAtEnd else { throw DamagedData() }
    return files
  }

  private static func text(_ reader: inout BinaryReader) throws(DamagedData) -> String? {
    let length = try reader.number(Int32.self)
    guard length != absent else { return nil }
    return unsafe String(repairing: try reader.take(Int64(length)))
  }
}
