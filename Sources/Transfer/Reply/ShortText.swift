/// A header value that needs no memory of its own: a date has 33 bytes at most.
struct ShortText {
  private typealias Storage = (UInt64, UInt64, UInt64, UInt64, UInt64)

  private static let capacity = MemoryLayout<Storage>.size
  private var storage: Storage = (0, 0, 0, 0, 0)
  private var count = 0
  private var isSpoilt = false

  /// Keeps a value. One that is too long, and a second one, leave nothing.
  mutating func take(_ value: UnsafeRawBufferPointer) {
    isSpoilt = isSpoilt || count > 0 || value.count > Self.capacity
    guard !isSpoilt else { return }
    count = value.count
    unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyMemory(from: value) }
  }

  /// `nil` if nothing is stored.
  var text: String? {
    guard !isSpoilt, count > 0 else { return nil }
    return unsafe withUnsafeBytes(of: storage) { unsafe String(decoding: $0.prefix(count), as: UTF8.self) }
  }
}
