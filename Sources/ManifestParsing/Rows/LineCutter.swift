/// Cuts a file that comes in blocks into lines.
struct LineCutter {
  /// The beginning of a line whose end is in a later block.
  private var rest: [UInt8] = []

  /// Hands each line that ends in `block` to `body`, without its end, until that wants no more; returns whether it does.
  ///
  /// A line that is longer than `limit` is handed over before its end has come.
  mutating func cut(
    _ block: UnsafeRawBufferPointer, limit: Int, _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var start = 0
    var end = 0
    while end < block.count {
      guard unsafe block[end] == UInt8(ascii: "\n") else {
        end += 1
        continue
      }
      let line = unsafe UnsafeRawBufferPointer(rebasing: block[start..<end])
      end += 1
      start = end
      guard unsafe take(line, body) else { return false }
    }
    unsafe rest += block[start...]
    return unsafe rest.count <= limit || take(UnsafeRawBufferPointer(start: nil, count: 0), body)
  }

  /// Hands over a last line without an end.
  mutating func finish(_ body: (UnsafeRawBufferPointer) -> Bool) {
    if !rest.isEmpty { _ = unsafe take(UnsafeRawBufferPointer(start: nil, count: 0), body) }
  }

  private mutating func take(_ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool
  {
    guard !rest.isEmpty else { return unsafe body(line) }
    unsafe rest += line
    defer { rest.removeAll(keepingCapacity: true) }
    return unsafe rest.withUnsafeBytes { unsafe body($0) }
  }
}
