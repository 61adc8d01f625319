import SyncModel

@testable import ContentPipeline

/// Compressed data of xz, zstd or bzip2: pieces of any size give the same bytes and the same end as all of it at once,
/// and so do several threads.
///
/// The input's first byte chooses the format and the threads, the next two the pieces; the rest are the data.
enum DecoderCheck {
  /// Larger outputs are left alone, since they only take time.
  private static let limit = 8 << 20
  private static let formats: [Compression] = [.xz, .zstd, .bzip2, .gzip]

  private enum End: Equatable {
    case whole, cut, corrupt
    case refused(FailureCause)
  }

  private struct Answer {
    var output: [UInt8] = []
    var end = End.whole
    var isTooLarge: Bool { output.count > DecoderCheck.limit }
  }

  static func run(_ input: [UInt8]) throws(Violation) {
    var choices = Choices(input)
    let kind = choices.byte()
    let pieces = (size: Int(choices.byte()), room: Int(choices.byte()))
    let packed = choices.rest()
    let format = formats[Int(kind & 3)]
    let expected = try answer(packed, Decoding(format), size: packed.count, room: Block.capacity)
    guard !expected.isTooLarge else { return }
    let actual = try answer(
      packed, Decoding(format, threads: kind & 4 == 0 ? 1 : 3),
      size: pieces.size == 0 ? packed.count : pieces.size,
      room: pieces.room == 0 ? Block.capacity : pieces.room * 64)
    try demand(actual.end == expected.end, "\(format): \(actual.end), but at once \(expected.end)")
    let isRight =
      expected.end == .whole
      ? actual.output == expected.output
      : expected.output.starts(with: actual.output) || actual.output.starts(with: expected.output)
    try demand(
      isRight, "\(format): \(actual.output.count) bytes that differ from \(expected.output.count) at once")
  }

  private static func answer(_ packed: [UInt8], _ decoding: Decoding, size: Int, room: Int) throws(Violation)
    -> Answer
  {
    let unpacker = Unpacker(decoding)
    let block = Block()
    var answer = Answer()
    var place = 0
    var isFull = false
    do throws(FailureCause) {
      // The last call returns the data that the library still holds.
      var isLast = false
      while !isLast || isFull {
        block.clear()
        block.grow(by: Block.capacity - room)
        isLast = place == packed.count
        let piece = Array(packed[place..<min(packed.count, place + max(size, 1))])
        defer { answer.output += block.bytes.dropFirst(Block.capacity - room) }
        place += try unpack(unpacker, piece, into: block, isLast: isLast)
        isFull = block.isFull
        if answer.isTooLarge { return answer }
      }
      try unpacker.finish()
    } catch {
      guard case .corrupt(let corruption) = error else {
        answer.end = .refused(error)
        if case .windowTooLarge = error { return answer }
        throw Violation("\(error)")
      }
      try demand(
        (0...Int64(packed.count)).contains(corruption.offset),
        "offset \(corruption.offset) of \(packed.count)"
      )
      answer.end = corruption.isCutShort ? .cut : .corrupt
    }
    return answer
  }

  /// Decompresses a piece in its own memory, so that reading beyond its end is detected.
  private static func unpack(
    _ unpacker: Unpacker, _ piece: [UInt8], into block: Block, isLast: Bool
  ) throws(FailureCause) -> Int {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: piece)
    return try unpacker.unpack(UnsafeRawBufferPointer(memory), into: block, isLast: isLast)
  }
}
