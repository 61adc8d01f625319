package import SyncModel

/// A signature of a record, and what it was made of (contract, section 12).
///
/// It covers the record's JSON without `sig`, with the keys in order and without blanks, whatever other fields a later
/// version has added. In it, `name` says where the record is kept: the sum does so, too, but anybody can make one, and a
/// record in another place would say of one resource what is true of another.
package struct RecordSeal: Sendable, Equatable {
  /// What was signed.
  package var message: [UInt8]
  /// The number of the key as minisign prints it.
  package var keyNumber: String
  /// 64 bytes.
  package var signature: [UInt8]
  /// The name of the record in the cache, in hexadecimal.
  package var name: String

  /// That of the record in `json`; `nil` if it has none, or what cannot be one.
  package init?(json: [UInt8]) {
    guard json.count <= CacheRecord.longest, case .object(var members)? = try? JSONValue(json),
      // What occurs twice could mean one thing to us and another to whoever signed.
      Set(members.map(\.key)).count == members.count,
      let place = members.firstIndex(where: { $0.key == "sig" }),
      case .object(let parts) = members.remove(at: place).value, parts.count == 2,
      case .string(let keyNumber)? = parts.first(where: { $0.key == "key" })?.value,
      case .string(let text)? = parts.first(where: { $0.key == "ed25519" })?.value,
      case .string(let name)? = members.first(where: { $0.key == "name" })?.value,
      let signature = Base64.decode(text.utf8), signature.count == 64
    else { return nil }
    message = Array(JSONValue.object(members).canonical.utf8)
    self.keyNumber = keyNumber
    self.signature = signature
    self.name = name
  }
}

/// How far those who can write to a cache are trusted.
package enum RecordTrust: Sendable, Equatable {
  /// Not at all: its bytes are taken by their digests only.
  case digest
  /// Wholly: its records say what sources had.
  case writers
  /// Those who have the secret half of one of these keys. Their word on when a source was asked counts, too.
  case signed([MinisignKey])

  /// As the configuration says.
  package init(_ rule: RemoteCacheRule) {
    self =
      switch rule.trust {
      case .digest: .digest
      case .writers: .writers
      case .signed: .signed(rule.keys)
      }
  }

  /// The record of a source, as far as it counts.
  ///
  /// - Parameters:
  ///   - message: the `ActionResult` that is kept under `name`, the sha256 of `key`.
  ///   - isValid: whether a signature is that of these bytes by this key.
  package func record(
    in message: [UInt8], at key: CacheKey, named name: HexDigest,
    isValid: (_ signature: [UInt8], _ message: [UInt8], MinisignKey) -> Bool
  ) -> CacheRecord? {
    switch self {
    case .digest: return nil
    case .writers: return ActionResult.record(in: message, at: key)
    case .signed(let keys):
      guard var record = ActionResult.record(in: message, at: key), record.url != nil,
        let seal = ActionResult.json(in: message).flatMap({ RecordSeal(json: $0) }), seal.name == name.text,
        // Numbers are no secrets, and two keys may have one.
        keys.contains(where: {
          $0.shownNumber == seal.keyNumber && isValid(seal.signature, seal.message, $0)
        })
      else { return nil }
      record.isSigned = true
      return record
    }
  }
}

extension CacheRecord {
  /// Signs the record that is kept under `name`.
  package struct Signing {
    /// The name in the cache.
    package var name: HexDigest
    /// The number of the key as minisign prints it.
    package var keyNumber: String
    /// 64 bytes; `nil` if it cannot be done: then the record is not signed.
    package var signature: (_ message: [UInt8]) -> [UInt8]?

    /// `name` is the sha256 of the text of the record's key.
    package init(
      name: HexDigest, keyNumber: String, signature: @escaping (_ message: [UInt8]) -> [UInt8]?
    ) {
      self.name = name
      self.keyNumber = keyNumber
      self.signature = signature
    }
  }
}

extension JSONValue {
  /// The document with its keys in the order of their bytes, and without blanks.
  package var canonical: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): Self.quoted(text)
    case .array(let values): "[" + values.map(\.canonical).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
        .map { Self.quoted($0.key.text) + ":" + $0.value.canonical }.joined(separator: ",") + "}"
    }
  }

  /// Only what must be escaped is; control characters, which no record has, by their numbers.
  package static func quoted(_ text: String) -> String {
    var out: [UInt8] = []
    out.append(quoted: text)
    return String(decoding: out, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends ``JSONValue/quoted(_:)`` of `text`.
  mutating func append(quoted text: String) {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    append(quote)
    var text = text
    text.withUTF8 { bytes in
      guard unsafe bytes.contains(where: { $0 < 0x20 || $0 == quote || $0 == backslash }) else {
        return unsafe append(contentsOf: bytes)
      }
      for place in bytes.indices {
        let byte = unsafe bytes[place]
        if byte < 0x20 {
          self += (byte < 0x10 ? "\\u000" : "\\u00").utf8
          self += String(byte, radix: 16).utf8
        } else {
          if byte == quote || byte == backslash { append(backslash) }
          append(byte)
        }
      }
    }
    append(quote)
  }
}
