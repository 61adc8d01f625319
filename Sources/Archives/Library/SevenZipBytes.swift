import SyncModel

/// The bytes of a 7z's directory, one after the other.
final class SevenZipBytes {
  private let end: Int64
  private let more: (Int) throws(FailureCause) -> [UInt8]
  private var held: [UInt8] = []
  private var used = 0
  /// How many bytes were taken.
  private(set) var place: Int64 = 0

  /// `more` returns the next bytes, at most as many as it is given, and none if there are no more; `count` are read at
  /// most.
  init(count: Int64, _ more: @escaping (Int) throws(FailureCause) -> [UInt8]) {
    end = count
    self.more = more
  }

  /// The next byte.
  func byte() throws(FailureCause) -> UInt8 {
    if used == held.count { try refill() }
    place += 1
    used += 1
    return held[used - 1]
  }

  private func refill() throws(FailureCause) {
    guard place < end else { throw damaged }
    held = try more(Int(min(end - place, 64 << 10)))
    guard !held.isEmpty else { throw damaged }
    used = 0
  }

  /// Passes over `count` bytes.
  func skip(_ count: Int64) throws(FailureCause) {
    var left = count
    while left > 0 {
      if used == held.count { try refill() }
      let step = min(left, Int64(held.count - used))
      used += Int(step)
      place += step
      left -= step
    }
  }

  /// A number: the first byte's upper bits say how many bytes follow.
  func number(upTo limit: UInt64 = .max) throws(FailureCause) -> UInt64 {
    let first = try byte()
    let count = (~first).leadingZeroBitCount
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(try byte()) << UInt64(8 * index) }
    if count < 7 { value |= UInt64(first & (0x7f >> UInt8(count))) << UInt64(8 * count) }
    guard value <= limit else { throw damaged }
    return value
  }

  var damaged: FailureCause { damaged("its directory is damaged") }

  func damaged(_ text: String) -> FailureCause { .archive(.damaged(text, at: place)) }
}
