import Synchronization

/// The content for a minisign signature: the digest of some bytes and, if they are few, the bytes.
package struct SignedContent: Sendable, Equatable {
  /// The most bytes that are kept: signatures of old versions of minisign cover the bytes themselves, and Ed25519
  /// wants all of them at once.
  package static let mostKept = 16 << 20

  /// The number of the signed bytes, also if ``bytes`` is `nil`.
  package var size: Int64
  /// BLAKE2b-512; `nil` if no library computes it.
  package var digest: [UInt8]?
  /// All bytes; `nil` if they are more than ``mostKept`` or not needed.
  package var bytes: [UInt8]?

  /// The facts of bytes that are present.
  package init(of bytes: [UInt8]) {
    var collector = SignedContentCollector(BytesWish())
    unsafe bytes.withUnsafeBytes { unsafe collector.update($0) }
    self = collector.content
  }

  init(size: Int64, digest: [UInt8]?, bytes: [UInt8]?) {
    self.size = size
    self.digest = digest
    self.bytes = bytes
  }
}

/// Whether the signed bytes themselves are needed; they are until the signature is known to be of their digest.
package final class BytesWish: Sendable, Equatable {
  private let isOver = Atomic(false)

  /// The bytes are needed until ``withdraw()`` is called.
  package init() {}

  /// Whether both are the same object.
  package static func == (a: BytesWish, b: BytesWish) -> Bool { a === b }

  /// It is open again whether the digest will do.
  package func renew() { isOver.store(false, ordering: .relaxed) }

  /// The digest will do.
  package func withdraw() { isOver.store(true, ordering: .relaxed) }

  var isWithdrawn: Bool { isOver.load(ordering: .relaxed) }
}

/// Collects a ``SignedContent`` while the bytes pass.
struct SignedContentCollector {
  private let wish: BytesWish
  private var size: Int64 = 0
  private var digest = Blake2b()
  private var bytes: [UInt8]? = []

  init(_ wish: BytesWish) { self.wish = wish }

  mutating func restart() { self = SignedContentCollector(wish) }

  mutating func update(_ more: UnsafeRawBufferPointer) {
    size += Int64(more.count)
    unsafe digest?.update(more)
    if wish.isWithdrawn || size > SignedContent.mostKept { bytes = nil }
    unsafe bytes?.append(contentsOf: more)
  }

  var content: SignedContent { SignedContent(size: size, digest: digest?.value, bytes: bytes) }
}
