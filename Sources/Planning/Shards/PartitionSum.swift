import SyncModel

/// A digest of many texts and numbers, the same on every machine.
///
/// It is made of two ``ByteSum`` with other keys: it tells one partition from another, but is no protection against somebody who
/// chooses both.
struct PartitionSum {
  private static let keys = (ByteSum.Key(words: (0, 0)), ByteSum.Key(words: (0x7368_6172_6473, 0)))
  private var sums = (ByteSum(keys.0), ByteSum(keys.1))
  private var waiting: [UInt8] = []

  /// A number by which texts are told apart and dealt out.
  static func key(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { unsafe ByteSum.of(UnsafeRawBufferPointer($0), keys.0).hash }
  }

  mutating func add(_ text: String) {
    waiting += text.utf8
    // A byte that no UTF-8 text contains, so that two adjacent texts cannot exchange bytes.
    end(0xFF)
  }

  mutating func add(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) { waiting.append(UInt8(truncatingIfNeeded: number >> shift)) }
    end(0xFE)
  }

  private mutating func end(_ mark: UInt8) {
    waiting.append(mark)
    if waiting.count >= 64 << 10 { flush() }
  }

  private mutating func flush() {
    unsafe waiting.withUnsafeBytes { bytes in
      unsafe sums.0.update(bytes)
      unsafe sums.1.update(bytes)
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// 32 hexadecimal digits.
  var text: String {
    var whole = self
    whole.flush()
    let words = [whole.sums.0.value.hash, whole.sums.1.value.hash]
    return words.map { word in
      HexDigest(bytes: stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) })
        .text
    }.joined()
  }
}
