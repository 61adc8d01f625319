#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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
    while let end = unsafe Self.end(ofLineFrom: start, in: block) {
      let line = unsafe UnsafeRawBufferPointer(rebasing: block[start..<end])
      start = end + 1
      guard unsafe take(line, body) else { return false }
    }
    unsafe rest += block[start...]
    return unsafe rest.count <= limit || take(UnsafeRawBufferPointer(start: nil, count: 0), body)
  }

  /// Hands over a last line without an end.
  mutating func finish(_ body: (UnsafeRawBufferPointer) -> Bool) {
    if !rest.isEmpty { _ = unsafe take(UnsafeRawBufferPointer(start: nil, count: 0), body) }
  }

  private static func end(ofLineFrom start: Int, in block: UnsafeRawBufferPointer) -> Int? {
    guard let base = block.baseAddress,
      let newline = unsafe memchr(base + start, Int32(UInt8(ascii: "\n")), block.count - start)
    else { return nil }
    return unsafe UnsafeRawPointer(newline) - base
  }

  private mutating func take(_ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool
  {
    guard !rest.isEmpty else { return unsafe body(line) }
    unsafe rest += line
    defer { rest.removeAll(keepingCapacity: true) }
    return unsafe rest.withUnsafeBytes { unsafe body($0) }
  }
}
