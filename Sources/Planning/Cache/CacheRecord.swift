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
    if let signing {
      let unsigned = json(sum, name: signing.name.text)
      if let signature = signing.signature(Array(unsigned.utf8)) {
        let seal =
          "{\"ed25519\":\(JSONValue.quoted(Base64.encode(signature)))"
          + ",\"key\":\(JSONValue.quoted(signing.keyNumber))}"
        return json(sum, name: signing.name.text, seal: seal)
      }
    }
    return json(sum)
  }

  /// Its fields in order, with each of the last three among them unless it is `nil`; `seal` is JSON.
  private func json(_ sum: String?, name: String? = nil, seal: String? = nil) -> String {
    var text = "{\"checked_at\":" + JSONValue.quoted(checkedAt.exactRFC3339)
    func add(_ key: String, _ value: String?) {
      if let value { text += ",\"\(key)\":" + JSONValue.quoted(value) }
    }
    add("etag", etag?.text)
    add("format", Self.format)
    add("last_modified", lastModified)
    add("name", name)
    add("sha256", sha256.text)
    if let seal { text += ",\"sig\":" + seal }
    text += ",\"size\":\(size)"
    add("sum", sum)
    add("url", url)
    return text + "}"
  }

  /// XXH64 of the key's text and the JSON without `sum`, in hexadecimal.
  private func sum(at key: CacheKey) -> String {
    let bytes = Array((key.text.text + json(nil)).utf8)
    let hash = unsafe bytes.withUnsafeBytes { unsafe ByteSum.of($0, ByteSum.Key(words: (0, 0))).hash }
    return String(hash, radix: 16)
  }

  /// Reads ``json(at:_:)``, and checks no signature; `nil` if it is another document, damaged or of another key, or says what cannot be.
  ///
  /// Unknown fields are ignored. `key` is `nil` where it is not known.
  package init?(json bytes: [UInt8], at key: CacheKey?) {
    guard bytes.count <= Self.longest, case .object(let members)? = try? JSONValue(bytes) else { return nil }
    var texts: [ByteString: String] = [:]
    var size: Int64?
    for member in members {
      switch member.value {
      // A key that occurs twice could mean one thing to us and another to whoever checked it.
      case .string(let text): if texts.updateValue(text, forKey: member.key) != nil { return nil }
      case .number(let text) where member.key == "size":
        if size != nil { return nil }
        size = Int64(text)
      default: break
      }
    }
    guard texts["format"] == Self.format, let size, size >= 0,
      let sha256 = texts["sha256"].flatMap({ HexDigest($0, .sha256) }),
      let checkedAt = texts["checked_at"].flatMap({ Timestamp(rfc3339: $0) })
    else { return nil }
    // What is sent back to a server must be what a header can hold.
    let sent = [texts["etag"], texts["last_modified"], texts["url"]].compactMap { $0 }
    guard sent.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f } }) else {
      return nil
    }
    // A single star would match every version (RFC 9110, section 13.1.2).
    guard texts["etag"] != "*" else { return nil }
    self.init(
      url: texts["url"], etag: texts["etag"].map { EntityTag($0) }, lastModified: texts["last_modified"],
      size: size, sha256: sha256, checkedAt: checkedAt)
    if let key, texts["sum"] != sum(at: key) { return nil }
  }
}
