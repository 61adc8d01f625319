import SyncModel

/// The header of one reply, gathered line by line as libcurl hands it over.
///
/// Interim replies (1xx) are read and forgotten; lines after the final header's end are trailers and ignored.
struct HeaderBlock {
  enum Progress: Equatable {
    case more
    /// The empty line of a final reply has arrived.
    case complete
    case fault(ProtocolFault)
  }

  /// curl's limit, too.
  static let limit = 300 << 10

  /// 0 until a status line was read.
  private(set) var status = 0
  /// HTTP's major version as the status line has it: 1, 2 or 3; 0 until one was read.
  private(set) var version = 0
  private(set) var isComplete = false
  /// Whether `Cache-Control` has `no-store` or `private`; nothing else of it is used, so it is not kept.
  private(set) var isPrivate = false
  private var fields: [(name: Field, value: String)] = []
  /// Every reply has one and few are read, so it is not one of the ``fields``: that would need memory for each.
  private var sentAt = ShortText()
  /// Whether one of `fields` is about a digest; few replies have one.
  private var hasDigests = false
  /// Whether the last line was one of `fields`, so that a folded line continues it.
  private var lastIsKept = false
  private var size = 0

  /// The fields that anything is decided by.
  enum Field: CaseIterable {
    case etag, location, lastModified, contentLength, contentRange, contentEncoding, contentType
    case transferEncoding, retryAfter, date, link, cacheControl
    case representationDigest, contentDigest, digest, contentMD5, checksumSHA256, checksumSHA1, checksumMD5
    case googleHash, googleStoredEncoding, amazonSHA256, amazonType, linkedETag

    /// In lower case.
    var name: StaticString {
      switch self {
      case .etag: "etag"
      case .location: "location"
      case .lastModified: "last-modified"
      case .contentLength: "content-length"
      case .contentRange: "content-range"
      case .contentEncoding: "content-encoding"
      case .contentType: "content-type"
      case .transferEncoding: "transfer-encoding"
      case .retryAfter: "retry-after"
      case .date: "date"
      case .link: "link"
      case .cacheControl: "cache-control"
      case .representationDigest: "repr-digest"
      case .contentDigest: "content-digest"
      case .digest: "digest"
      case .contentMD5: "content-md5"
      case .checksumSHA256: "x-checksum-sha256"
      case .checksumSHA1: "x-checksum-sha1"
      case .checksumMD5: "x-checksum-md5"
      case .googleHash: "x-goog-hash"
      case .googleStoredEncoding: "x-goog-stored-content-encoding"
      case .amazonSHA256: "x-amz-checksum-sha256"
      case .amazonType: "x-amz-checksum-type"
      case .linkedETag: "x-linked-etag"
      }
    }

    /// The header line as a digest field; `nil` if it is not one.
    var digestName: DigestField.Name? {
      switch self {
      case .representationDigest: .representation
      case .contentDigest: .content
      case .digest: .digest
      case .contentMD5: .contentMD5
      case .checksumSHA256: .checksumSHA256
      case .checksumSHA1: .checksumSHA1
      case .checksumMD5: .checksumMD5
      case .googleHash: .googleHash
      case .googleStoredEncoding: .googleStoredEncoding
      case .amazonSHA256: .amazonSHA256
      case .amazonType: .amazonType
      case .linkedETag: .linkedETag
      case .etag, .location, .lastModified, .contentLength, .contentRange, .contentEncoding, .contentType,
        .transferEncoding, .retryAfter, .date, .link, .cacheControl:
        nil
      }
    }

    /// The field with this name, in any case; compared in place, since most header lines are not used.
    init?(name: UnsafeRawBufferPointer) {
      // By its length first: at most three have the same.
      for field in Self.ofLength(name.count) where unsafe field.isNamed(name) {
        self = field
        return
      }
      return nil
    }

    private static func ofLength(_ count: Int) -> [Field] { count < byLength.count ? byLength[count] : [] }

    private static let byLength = (0...(allCases.map(\.name.utf8CodeUnitCount).max() ?? 0)).map { length in
      allCases.filter { $0.name.utf8CodeUnitCount == length }
    }

    private func isNamed(_ bytes: UnsafeRawBufferPointer) -> Bool {
      let own = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
      for place in 0..<min(bytes.count, own.count) {
        let byte = unsafe bytes[place]
        let isUpper = byte >= 0x41 && byte <= 0x5a
        guard unsafe (isUpper ? byte | 0x20 : byte) == own[place] else { return false }
      }
      return true
    }
  }

  /// Takes one line with its line end.
  mutating func append(_ line: UnsafeRawBufferPointer) -> Progress {
    size += line.count
    guard size <= Self.limit else { return .fault(.headerTooLarge(limit: Self.limit)) }
    guard !isComplete else { return .more }
    // For libcurl, too, a line of blanks is not an end: it continues the field before it.
    if unsafe line.first == 0x0d || line.first == 0x0a { return endOfBlock() }
    let text = unsafe line.trimmed
    if unsafe line.first == 0x20 || line.first == 0x09 {
      if lastIsKept, let last = fields.indices.last, unsafe !text.isEmpty {
        unsafe fields[last].value += (fields[last].value.isEmpty ? "" : " ") + fields[last].name.text(text)
      }
    } else if unsafe line.isStatusLine {
      return unsafe startBlock(text)
    } else {
      unsafe appendField(text)
    }
    return .more
  }

  private mutating func startBlock(_ line: UnsafeRawBufferPointer) -> Progress {
    var place = 5
    while unsafe place < line.count && line[place] != 0x20 { place += 1 }
    while unsafe place < line.count && line[place] == 0x20 { place += 1 }
    let end = place + 3
    guard line.count >= end, let major = unsafe line[5].decimal, let hundreds = unsafe line[place].decimal,
      let tens = unsafe line[place + 1].decimal, let ones = unsafe line[place + 2].decimal, hundreds > 0,
      unsafe line.count == end || line[end] == 0x20
    else { return .fault(.malformed("status line")) }
    let status = 100 * hundreds + 10 * tens + ones
    self.status = status
    version = major
    fields = []
    sentAt = ShortText()
    (hasDigests, lastIsKept, isPrivate) = (false, false, false)
    return .more
  }

  private mutating func endOfBlock() -> Progress {
    // 101 changes the protocol, which was not requested.
    if status == 101 { return .fault(.unexpectedStatus(101)) }
    guard status >= 200 else { return .more }
    isComplete = true
    return .complete
  }

  private mutating func appendField(_ line: UnsafeRawBufferPointer) {
    lastIsKept = false
    guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")), colon <= 32 else { return }
    guard let field = unsafe Field(name: UnsafeRawBufferPointer(rebasing: line[..<colon])) else { return }
    let value = unsafe UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmed
    if field == .date { return unsafe sentAt.take(value) }
    if field == .cacheControl {
      if unsafe value.forbidsKeeping { isPrivate = true }
      return
    }
    // As many as most replies have, at once.
    if fields.isEmpty { fields.reserveCapacity(4) }
    unsafe fields.append((field, field.text(value)))
    if field.digestName != nil { hasDigests = true }
    lastIsKept = true
  }

  /// Every value of this field, in order.
  func values(_ field: Field) -> [String] {
    guard fields.contains(where: { $0.name == field }) else { return [] }
    return fields.filter { $0.name == field }.map(\.value)
  }

  /// The field's value; `nil` for none, an empty one, and two different ones.
  func value(_ field: Field) -> String? {
    var found: String?
    for (name, value) in fields where name == field {
      if let found, !found.hasSameBytes(as: value) { return nil }
      found = value
    }
    return found.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The value of `Date`; `nil` for none, two of them, and an invalid one.
  var date: String? { sentAt.text }

  /// Every line about a digest, in order.
  func digestFields(ofRedirect: Bool) -> [DigestField] {
    guard hasDigests else { return [] }
    return fields.compactMap { field in
      field.name.digestName.map { DigestField($0, field.value, isOfRedirect: ofRedirect) }
    }
  }
}

extension HeaderBlock.Field {
  /// A value as text. A validator's text has all its bytes in it (``HeaderText``); of others invalid UTF-8 is repaired.
  fileprivate func text(_ value: UnsafeRawBufferPointer) -> String {
    switch self {
    case .location: unsafe value.reference
    case .etag, .lastModified: unsafe value.isASCII ? value.string : HeaderText.text(value)
    default: unsafe value.string
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Without white space and line ends around it.
  fileprivate var trimmed: UnsafeRawBufferPointer {
    func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 || c == 0x0d || c == 0x0a }
    guard let first = unsafe firstIndex(where: { !isBlank($0) }),
      let last = unsafe lastIndex(where: { !isBlank($0) })
    else {
      return unsafe UnsafeRawBufferPointer(rebasing: self[..<0])
    }
    return unsafe UnsafeRawBufferPointer(rebasing: self[first...last])
  }

  /// Whether one of the directives of a `Cache-Control` is `no-store` or `private`, with fields or without.
  fileprivate var forbidsKeeping: Bool {
    unsafe string.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" || $0 == "=" }
      .contains { $0 == "no-store" || $0 == "private" }
  }

  /// Whether it begins with `HTTP/`, in capital or small letters, as libcurl takes it.
  fileprivate var isStatusLine: Bool {
    unsafe count > 5 && self[0] | 0x20 == 0x68 && self[1] | 0x20 == 0x74 && self[2] | 0x20 == 0x74
      && self[3] | 0x20 == 0x70 && self[4] == 0x2f
  }

  /// Text that is not UTF-8 keeps its bytes, as a URL writes them.
  fileprivate var reference: String {
    if let text = unsafe String(validating: self, as: UTF8.self) { return text }
    return unsafe reduce(into: "") { text, byte in
      if byte < 0x80 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  fileprivate var isASCII: Bool {
    var all: UInt8 = 0
    for place in indices { unsafe all |= self[place] }
    return all < 0x80
  }

  /// Invalid UTF-8 is repaired.
  fileprivate var string: String { unsafe String(decoding: self, as: UTF8.self) }
}

extension UInt8 {
  /// Its value as an ASCII digit.
  fileprivate var decimal: Int? { (0x30...0x39).contains(self) ? Int(self - 0x30) : nil }
}
