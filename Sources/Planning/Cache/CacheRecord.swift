package import SyncModel

/// What a cache knows of one resource, or of one digest: the bytes that somebody fetched, and their validators.
///
/// Other programs can read and write it: it is the `stdout_raw` of an `ActionResult`, as JSON with its keys in order
/// and without blanks (contract, section 12). Its `sum` tells a record from a damaged one, and from one of another key:
/// a changed letter in an ETag would make a wrong question, to which the source may answer yes.
package struct CacheRecord: Sendable, Equatable {
  /// The resource that the bytes came from, without what signs it; `nil` if the record is of a digest.
  package var url: String?
  /// The reply's; `nil` if there was none.
  package var etag: EntityTag?
  /// The header's text; `nil` if there was none.
  package var lastModified: String?
  /// The number of bytes as they came.
  package var size: Int64
  /// The digest of the bytes as they came; it names the file in the cache.
  package var sha256: HexDigest
  /// When the source had this version.
  package var checkedAt: Timestamp
  /// Whether one who is trusted has signed it: then ``checkedAt`` counts as a check, too.
  package var isSigned = false

  /// The value of `format`.
  static let format = "syncmake.record/1"
  /// In bytes: a longer one is not read.
  package static let longest = 64 << 10

  /// `url` is `nil` for the record of a digest; what signs it is removed.
  package init(
    url: String?, etag: EntityTag? = nil, lastModified: String? = nil, size: Int64, sha256: HexDigest,
    checkedAt: Timestamp
  ) {
    self.url = url.map(ResourceURL.text)
    self.etag = etag
    self.lastModified = lastModified
    self.size = size
    self.sha256 = sha256
    self.checkedAt = checkedAt
  }

  /// The validators for a request; `nil` if there is nothing to ask with.
  package var validators: Validators? {
    guard let url else { return nil }
    let validators = Validators(etag: etag, lastModified: lastModified, url: url)
    return validators.isEmpty ? nil : validators
  }

  /// Whether it is the one to go by: the later one or, of one moment, the signed one.
  package func says(moreThan other: CacheRecord) -> Bool {
    checkedAt > other.checkedAt || checkedAt == other.checkedAt && isSigned && !other.isSigned
  }

  /// As a source's digest of the bytes is compared with it.
  var content: ContentIdentity { ContentIdentity(size: size, sha256: sha256) }
}

extension CacheRecord {
  /// The JSON document, as it is kept at `key`; signed, if `signing` is given and can do it.
  package func json(at key: CacheKey, _ signing: Signing? = nil) -> String {
    let sum = sum(at: key)
    func bytes(name: String? = nil, seal: String? = nil) -> [UInt8] {
      var text: [UInt8] = []
      write(to: &text, sum, name: name, seal: seal)
      return text
    }
    guard let signing, let signature = signing.signature(bytes(name: signing.name.text)) else {
      return String(decoding: bytes(), as: UTF8.self)
    }
    let seal =
      "{\"ed25519\":\(JSONValue.quoted(Base64.encode(signature)))"
      + ",\"key\":\(JSONValue.quoted(signing.keyNumber))}"
    return String(decoding: bytes(name: signing.name.text, seal: seal), as: UTF8.self)
  }

  /// Appends the document: its fields in order, with each of the last three among them unless it is `nil`; `seal` is
  /// JSON.
  private func write(to text: inout [UInt8], _ sum: String?, name: String? = nil, seal: String? = nil) {
    func add(_ key: String, _ value: String?) {
      guard let value else { return }
      text += key.utf8
      text.append(quoted: value)
    }
    add("{\"checked_at\":", checkedAt.exactRFC3339)
    add(",\"etag\":", etag?.text)
    add(",\"format\":", Self.format)
    add(",\"last_modified\":", lastModified)
    add(",\"name\":", name)
    add(",\"sha256\":", sha256.text)
    if let seal { text += ",\"sig\":\(seal)".utf8 }
    text += ",\"size\":\(size)".utf8
    add(",\"sum\":", sum)
    add(",\"url\":", url)
    text.append(UInt8(ascii: "}"))
  }

  /// XXH64 of the key's text and the JSON without `sum`, in hexadecimal.
  private func sum(at key: CacheKey) -> String {
    var bytes = Array(key.text.text.utf8)
    write(to: &bytes, nil)
    let hash = unsafe bytes.withUnsafeBytes { unsafe ByteSum.of($0, ByteSum.Key(words: (0, 0))).hash }
    return String(hash, radix: 16)
  }

  /// Reads ``json(at:_:)``, and checks no signature; `nil` if it is another document, damaged or of another key, or says what cannot be.
  ///
  /// Unknown fields are ignored. `key` is `nil` where it is not known.
  package init?(json bytes: [UInt8], at key: CacheKey?) {
    guard bytes.count <= Self.longest, case .object(let members)? = try? JSONValue(bytes),
      let fields = Fields(members), fields.format == Self.format,
      let size = fields.size.flatMap({ Int64($0) }), size >= 0,
      let sha256 = fields.sha256.flatMap({ HexDigest($0, .sha256) }),
      let checkedAt = fields.checkedAt.flatMap({ Timestamp(rfc3339: $0) })
    else { return nil }
    // What is sent back to a server must be what a header can hold.
    let sent = [fields.etag, fields.lastModified, fields.url].compactMap { $0 }
    guard sent.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }) else { return nil }
    // A single star would match every version (RFC 9110, section 13.1.2).
    guard fields.etag != "*" else { return nil }
    self.init(
      url: fields.url, etag: fields.etag.map { EntityTag($0) }, lastModified: fields.lastModified,
      size: size, sha256: sha256, checkedAt: checkedAt)
    if let key, fields.sum != sum(at: key) { return nil }
  }

  /// The texts of a document, as they are written.
  private struct Fields {
    private(set) var checkedAt, etag, format, lastModified, sha256, size, sum, url: String?
    private var others: Set<ByteString> = []

    /// `nil` if a key occurs twice: it could mean one thing to us and another to whoever checked it.
    init?(_ members: [JSONValue.Member]) {
      for member in members {
        let isFirst =
          switch member.value {
          case .string(let text): take(text, as: member.key)
          case .number(let text) where member.key == "size": Self.set(&size, text)
          default: true
          }
        guard isFirst else { return nil }
      }
    }

    /// Whether it is the first one.
    private mutating func take(_ text: String, as key: ByteString) -> Bool {
      switch key {
      case "checked_at": Self.set(&checkedAt, text)
      case "etag": Self.set(&etag, text)
      case "format": Self.set(&format, text)
      case "last_modified": Self.set(&lastModified, text)
      case "sha256": Self.set(&sha256, text)
      case "sum": Self.set(&sum, text)
      case "url": Self.set(&url, text)
      default: others.insert(key).inserted
      }
    }

    private static func set(_ field: inout String?, _ text: String) -> Bool {
      defer { field = text }
      return field == nil
    }
  }
}
