/// The 32 bytes of a sha256: unlike a ``HexDigest`` it takes no memory of its own.
package struct CompactDigest: Hashable, Sendable, BitwiseCopyable {
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  /// All bytes are zero.
  package static let zero = CompactDigest(first: 0, second: 0, third: 0, fourth: 0)

  private init(first: UInt64, second: UInt64, third: UInt64, fourth: UInt64) {
    self.first = first
    self.second = second
    self.third = third
    self.fourth = fourth
  }

  /// `bytes` are 32.
  package init(bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count == DigestAlgorithm.sha256.byteCount)
    self = unsafe bytes.loadUnaligned(as: CompactDigest.self)
  }

  /// `digest` is a sha256.
  package init(_ digest: HexDigest) {
    precondition(digest.text.utf8.count == DigestAlgorithm.sha256.hexCount)
    var (bytes, high): ([UInt8], UInt8?) = ([], nil)
    bytes.reserveCapacity(DigestAlgorithm.sha256.byteCount)
    for digit in digest.text.utf8 {
      let value = digit < 0x3A ? digit - 0x30 : digit - 0x57
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    self = unsafe bytes.withUnsafeBytes { unsafe CompactDigest(bytes: $0) }
  }

  /// The digest in hexadecimal digits.
  package var hex: HexDigest { unsafe withBytes { unsafe HexDigest(bytes: $0) } }

  /// Calls `body` with the 32 bytes.
  package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    unsafe withUnsafeBytes(of: self) { unsafe body($0) }
  }
}
