import SyncModel
import Testing

/// Values to store.
enum Sample {
  static let sha256 = String(repeating: "0123456789abcdef", count: 4)

  /// A record with all optional fields set, and with unusual texts.
  static func full(_ output: String = "data/gènes 🧬.tsv", name: String = "genes") throws -> TargetRecord {
    let digest = try #require(HexDigest(sha256, .sha256))
    let md5 = try #require(HexDigest(String(repeating: "ab", count: 16), .md5))
    return TargetRecord(
      name: TargetName(name), output: try RelativePath(output),
      definition: [
        DefinitionField(name: "url", value: "https://data.example.org/gènes.tsv.gz?a=1:2&b=;'\"\\"),
        DefinitionField(name: "steps", value: "line one\nline two\t3:abc"),
        DefinitionField(name: "output", value: ""),
      ],
      signature: FileSignature(
        size: 1 << 40, modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789),
        changed: Timestamp(nanoseconds: -1), inode: .max),
      content: ContentIdentity(size: 1 << 40, digests: [.sha256: digest, .md5: md5]),
      download: ContentIdentity(size: 0, digests: [.sha256: digest]), hasServerDigest: true,
      validators: Validators(
        etag: EntityTag("W/\"a\u{80}\u{ff}:1\""), lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
        fileStamp: "12-34", url: "https://cdn.example.org/x?k=***"),
      inputs: [
        InputRecord(kind: .needs, name: TargetName("base"), digest: digest),
        InputRecord(kind: .verify, name: TargetName("sums"), entry: "a file:with spaces", digest: md5),
        InputRecord(kind: .verify, name: TargetName("sums"), entry: "", digest: md5),
      ],
      checkedAt: Timestamp(nanoseconds: .max), updatedAt: Timestamp(nanoseconds: .min))
  }

  /// A record without any optional field.
  static func bare(_ output: String, name: String) throws -> TargetRecord {
    TargetRecord(
      name: TargetName(name), output: try RelativePath(output), definition: [],
      signature: FileSignature(
        size: 0, modified: Timestamp(nanoseconds: 0), changed: Timestamp(nanoseconds: 0), inode: 0),
      content: ContentIdentity(size: 0, digests: [:]), download: nil, validators: nil, inputs: [],
      checkedAt: nil, updatedAt: Timestamp(nanoseconds: 0))
  }

  /// The record of a typical download, distinguished from others by `number`.
  static func usual(_ number: Int) throws -> TargetRecord {
    let hex = String(number, radix: 16)
    let digest = try #require(HexDigest(String(repeating: "0", count: 64 - hex.utf8.count) + hex, .sha256))
    let digits = pad(number, 6)
    var record = try bare("data/part-\(digits).tsv", name: "part-\(digits)")
    record.definition = [
      DefinitionField(name: "url", value: "https://data.example.org/part-\(digits).tsv.gz"),
      DefinitionField(name: "output", value: "data/part-\(digits).tsv"),
      DefinitionField(name: "steps", value: "gunzip"),
    ]
    record.signature.inode = UInt64(number)
    record.content = ContentIdentity(size: Int64(number), digests: [.sha256: digest])
    record.download = record.content
    (record.checkedAt, record.updatedAt) = (Timestamp(seconds: 1), Timestamp(seconds: 1))
    record.validators = Validators(
      etag: EntityTag("\"\(digits)\""), lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
      url: "https://data.example.org/part-\(digits).tsv.gz")
    return record
  }

  static func sidecar(_ number: Int, size: Int = 200) -> SidecarRecord {
    SidecarRecord(
      url: "https://data.example.org/\(number).md5",
      validators: Validators(etag: EntityTag("\"\(number)\""), url: "https://data.example.org/\(number).md5"),
      body: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
  }
}
