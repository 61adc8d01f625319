/// Makes decisions from an input's bytes, so that a fuzzer can steer them. When the bytes are used up, every further
/// decision is the first choice.
struct Choices {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  /// Whether every byte was used.
  var areSpent: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// 0 or more and less than `limit`, which is 256 at most.
  mutating func below(_ limit: Int) -> Int { Int(byte()) % limit }

  mutating func flag() -> Bool { byte() & 1 == 1 }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  /// All remaining bytes.
  mutating func rest() -> [UInt8] {
    defer { bytes = [] }
    return Array(bytes)
  }
}
