import SyncModel

/// The form of the snapshot and of the files beside it: eight bytes that name it, the sum of everything behind the sum,
/// the sum's key, the content.
struct SealedForm {
  static let sumOffset = 8
  static let keyOffset = 16
  static let contentOffset = 32

  /// It ends in the form's number: a file of another form is none of these.
  let magic: [UInt8]

  /// `magic` has eight bytes.
  init(_ magic: String) { self.magic = Array(magic.utf8) }

  /// Everything before the content.
  func writer(_ key: ByteSum.Key, reserving capacity: Int) -> BinaryWriter {
    var out = BinaryWriter(bytes: magic)
    out.bytes.reserveCapacity(capacity)
    for word in [0, key.words.0, key.words.1] { out.add(word) }
    return out
  }

  /// The file's bytes; `out` began as ``writer(_:reserving:)`` has it.
  static func sealed(_ out: consuming BinaryWriter) -> [UInt8] {
    out.set(sum(out.bytes), at: sumOffset)
    return out.bytes
  }

  /// The key of a file that begins so; `nil` if it has another form.
  func key(of start: [UInt8]) -> ByteSum.Key? {
    start.count >= Self.contentOffset && start.starts(with: magic) ? Self.key(start) : nil
  }

  /// Whether these are the bytes of a whole file, as they were written.
  func isIntact(_ bytes: [UInt8]) -> Bool {
    bytes.count >= Self.contentOffset && bytes.starts(with: magic)
      && Self.sum(bytes) == Self.word(bytes, Self.sumOffset)
  }

  private static func sum(_ bytes: [UInt8]) -> UInt64 {
    let key = key(bytes)
    return unsafe bytes.withUnsafeBytes {
      unsafe ByteSum.of(UnsafeRawBufferPointer(rebasing: $0[keyOffset...]), key).hash
    }
  }

  private static func key(_ bytes: [UInt8]) -> ByteSum.Key {
    ByteSum.Key(words: (word(bytes, keyOffset), word(bytes, keyOffset + 8)))
  }

  /// The bytes must have it.
  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    unsafe bytes.withUnsafeBytes {
      unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}

/// A file of a form that is written in pieces, so that it is never in memory as a whole.
struct SealedPieces {
  private static let size = 256 << 10

  /// What follows the pieces that were written.
  var out: BinaryWriter
  private var sum: ByteSum
  private var offset: Int64 = 0

  /// Of a file with nothing but its beginning.
  init(_ form: SealedForm) {
    let key = ByteSum.Key.random()
    out = form.writer(key, reserving: Self.size)
    sum = ByteSum(key)
  }

  /// Calls `write` with a piece and its offset in the file, if ``out`` is long enough for one.
  mutating func pass<Failure: Error>(
    _ write: ([UInt8], _ offset: Int64) throws(Failure) -> Void
  ) throws(Failure) {
    if out.bytes.count >= Self.size { try flush(write) }
  }

  /// The same with all that is left, and with the sum, whose place is near the file's beginning.
  mutating func finish<Failure: Error>(
    _ write: ([UInt8], _ offset: Int64) throws(Failure) -> Void
  ) throws(Failure) {
    try flush(write)
    out.add(sum.value.hash)
    try write(out.bytes, Int64(SealedForm.sumOffset))
  }

  private mutating func flush<Failure: Error>(
    _ write: ([UInt8], _ offset: Int64) throws(Failure) -> Void
  ) throws(Failure) {
    let start = offset == 0 ? SealedForm.keyOffset : 0
    unsafe out.bytes.withUnsafeBytes { unsafe sum.update(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    try write(out.bytes, offset)
    offset += Int64(out.bytes.count)
    out.bytes.removeAll(keepingCapacity: true)
  }
}
