import SyncModel

/// The column of a content's digests: a ``FieldList`` of algorithms and values, and perhaps a mark behind them.
struct DigestList {
  private(set) var sha256: HexDigest?
  private var others: [DigestAlgorithm: HexDigest] = [:]
  /// Whether the server sent one of the digests. A row of an earlier program never says so.
  private(set) var isMarked = false

  private static let mark = ["server", "1"]
  /// What stands before the digest in most rows, which have this one alone.
  private static let usualStart = Array("6:sha25664:".utf8)

  /// `nil` for anything else. Where `known` is the same digest, its text is used again: without steps, download and
  /// output are the same bytes.
  init?(_ bytes: UnsafeRawBufferPointer, sharing known: HexDigest? = nil) {
    let start = Self.usualStart.count
    if bytes.count == start + DigestAlgorithm.sha256.hexCount, unsafe bytes.starts(with: Self.usualStart) {
      let digits = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      if let known, unsafe known.text.hasSameBytes(as: digits) {
        sha256 = known
      } else {
        guard let digest = unsafe HexDigest(hex: String(repairing: digits)) else { return nil }
        sha256 = digest
      }
    } else {
      guard let parts = unsafe FieldList.decode(bytes), take(parts) else { return nil }
    }
  }

  private mutating func take(_ parts: [String]) -> Bool {
    isMarked = parts.count > 2 && parts.suffix(2).elementsEqual(Self.mark)
    guard parts.count.isMultiple(of: 2) else { return false }
    for i in stride(from: 0, to: parts.count - (isMarked ? 2 : 0), by: 2) {
      guard let algorithm = DigestAlgorithm(rawValue: parts[i]),
        let digest = HexDigest(parts[i + 1], algorithm)
      else { return false }
      if algorithm == .sha256 { sha256 = digest } else { others[algorithm] = digest }
    }
    return true
  }

  /// Of so many bytes.
  func identity(size: Int64) -> ContentIdentity {
    guard !others.isEmpty else { return ContentIdentity(size: size, sha256: sha256) }
    var digests = others
    digests[.sha256] = sha256
    return ContentIdentity(size: size, digests: digests)
  }

  /// Adds the column's bytes to `list`.
  static func append(_ content: ContentIdentity, isMarked: Bool = false, to list: inout [UInt8]) {
    if content.hasSHA256Alone, let digest = content.sha256,
      digest.text.utf8.count == DigestAlgorithm.sha256.hexCount
    {
      list.append(contentsOf: usualStart)
      unsafe digest.text.withBytes { unsafe list.append(contentsOf: $0) }
    } else {
      for algorithm in DigestAlgorithm.allCases {
        guard let digest = content.digest(algorithm) else { continue }
        FieldList.append(algorithm.rawValue, to: &list)
        FieldList.append(digest.text, to: &list)
      }
    }
    if isMarked { for part in mark { FieldList.append(part, to: &list) } }
  }
}
