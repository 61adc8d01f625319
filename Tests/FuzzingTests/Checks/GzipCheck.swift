import CLibz
import SyncModel

@testable import ContentPipeline

/// gzip data in pieces of any size: the same bytes and the same end as with zlib in one piece.
///
/// The input's first byte determines the rest: gzip data, or data to compress in one or two members, perhaps
/// damaged afterwards. The next two choose the pieces.
enum GzipCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    var choices = Choices(input)
    let kind = choices.byte()
    let pieces = (size: Int(choices.byte()), room: Int(choices.byte()))
    let packed = kind & 1 == 0 ? choices.rest() : packed(kind: kind, &choices)
    let expected = Answer.ofZlib(packed)
    guard expected.output.count <= Answer.limit else { return }
    for library in UnpackingLibrary.allCases {
      for leavesSums in [false, true] {
        let actual = try Answer.ofUnpacker(packed, pieces, library, leavesSums: leavesSums)
        try check(actual, expected, library, isExact: library == .zlib && !leavesSums)
      }
    }
  }

  private static func check(
    _ actual: Answer, _ expected: Answer, _ library: UnpackingLibrary, isExact: Bool
  ) throws(Violation) {
    // Other libraries may find a fault a little earlier or later, but must find one.
    let isSameEnd =
      isExact ? actual.end == expected.end : (actual.end == .whole) == (expected.end == .whole)
    try demand(isSameEnd, "\(library): \(actual.end), but zlib says \(expected.end)")
    let isRight =
      expected.end == .whole
      ? actual.output == expected.output
      : expected.output.starts(with: actual.output)
        || !isExact && actual.output.starts(with: expected.output)
    try demand(
      isRight, "\(library): \(actual.output.count) bytes that differ from zlib's \(expected.output.count)")
  }

  /// The rest of the input, repeated and compressed, with damage if `kind` says so.
  private static func packed(kind: UInt8, _ choices: inout Choices) -> [UInt8] {
    let (place, value) = (Int(choices.byte()), choices.byte())
    let seed = choices.rest()
    // Some outputs must be larger than a block, so that several blocks are filled.
    let times = kind & 2 == 0 ? 1 : 300_000 / max(seed.count, 1)
    let body = (0..<max(times, 1)).reduce(into: [UInt8]()) { out, _ in out += seed }
    var packed = member(body, level: Int32(kind >> 2 & 3) * 3)
    if kind & 16 != 0 { packed += member(seed, level: 6) }
    if kind & 32 != 0 { packed += [UInt8](repeating: 0, count: place) }
    switch kind >> 6 {
    case 1: packed[place % packed.count] = value
    case 2: packed.removeLast(min(packed.count, place % 32))
    case 3: packed.append(value)
    default: break
    }
    return packed
  }

  private static func member(_ body: [UInt8], level: Int32) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard
      deflateInit2_(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
    else { return [] }
    defer { deflateEnd(&stream) }
    var body = body
    var out = [UInt8](repeating: 0, count: body.count + body.count / 100 + 64)
    let written = body.withUnsafeMutableBufferPointer { from in
      out.withUnsafeMutableBufferPointer { to in
        stream.next_in = from.baseAddress
        stream.avail_in = uInt(from.count)
        stream.next_out = to.baseAddress
        stream.avail_out = uInt(to.count)
        _ = deflate(&stream, Z_FINISH)
        return to.count - Int(stream.avail_out)
      }
    }
    return Array(out.prefix(written))
  }
}

/// The decompressed bytes of gzip data.
private struct Answer {
  enum End: Equatable { case whole, cut, corrupt }

  /// Larger outputs are left alone, since they only take time.
  static let limit = 8 << 20

  var output: [UInt8]
  var end: End

  /// By RFC 1952: members, then zeros or nothing; each member in one call of zlib.
  static func ofZlib(_ packed: [UInt8]) -> Answer {
    var answer = Answer(output: [], end: .whole)
    var rest = packed[...]
    var members = 0
    while rest.first == 0x1F || members == 0 {
      guard let first = rest.first else {
        answer.end = .corrupt
        return answer
      }
      guard first == 0x1F else { return Answer(output: [], end: .corrupt) }
      let (used, end) = member(Array(rest), into: &answer.output)
      rest = rest.dropFirst(used)
      members += 1
      answer.end = end
      if end != .whole { return answer }
    }
    if rest.contains(where: { $0 != 0 }) { answer.end = .corrupt }
    return answer
  }

  private static func member(_ packed: [UInt8], into output: inout [UInt8]) -> (used: Int, end: End) {
    var stream = z_stream()
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      return (0, .corrupt)
    }
    defer { inflateEnd(&stream) }
    var packed = packed
    let status = packed.withUnsafeMutableBufferPointer { from in
      stream.next_in = from.baseAddress
      stream.avail_in = uInt(from.count)
      var status = Z_OK
      while status == Z_OK, output.count <= limit {
        // The 1 is for the call that only finds the member's end.
        let room = 64 * (from.count + 64) + 1
        output.append(
          contentsOf: [UInt8](unsafeUninitializedCapacity: room) { to, count in
            stream.next_out = to.baseAddress
            stream.avail_out = uInt(to.count)
            status = inflate(&stream, Z_SYNC_FLUSH)
            count = to.count - Int(stream.avail_out)
          })
      }
      return status
    }
    let end: End = status == Z_STREAM_END ? .whole : status == Z_BUF_ERROR || status == Z_OK ? .cut : .corrupt
    return (packed.count - Int(stream.avail_in), end)
  }

  /// Through ``Unpacker``, in pieces made from `pieces`, into blocks with as little room.
  ///
  /// `leavesSums`: the checksums in the trailers are checked block by block, as by another thread.
  static func ofUnpacker(
    _ packed: [UInt8], _ pieces: (size: Int, room: Int), _ library: UnpackingLibrary, leavesSums: Bool
  ) throws(Violation) -> Answer {
    let unpacker = Unpacker(Decoding(.gzip, library: library), leavesSums: leavesSums)
    var proof = GzipTrailerCheck()
    let block = Block()
    var answer = Answer(output: [], end: .whole)
    // 0 means everything at once.
    let size = pieces.size == 0 ? max(packed.count, 1) : pieces.size
    let room = pieces.room == 0 ? Block.capacity : pieces.room * 64
    do throws(FailureCause) {
      var place = 0
      var isFull = false
      while place < packed.count || isFull {
        block.clear()
        block.grow(by: Block.capacity - room)
        let piece = Array(packed[place..<min(packed.count, place + size)])
        defer { answer.output += block.bytes.dropFirst(Block.capacity - room) }
        let step = Result { () throws(FailureCause) in try unpack(unpacker, piece, into: block) }
        // The output before a fault is detected may already be wrong.
        try proof.take(part(of: block, from: Block.capacity - room))
        place += try step.get()
        isFull = block.isFull
        if answer.output.count > 2 * limit { throw .internalError("no end") }
      }
      try unpacker.finish()
    } catch {
      guard case .corrupt(let corruption) = error else { throw Violation("\(error)") }
      try demand(
        (0...Int64(packed.count)).contains(corruption.offset),
        "offset \(corruption.offset) of \(packed.count)")
      answer.end = corruption.isCutShort ? .cut : .corrupt
    }
    return answer
  }

  /// The bytes of `block` from `start` on, in another block.
  private static func part(of block: Block, from start: Int) -> Block {
    let part = Block()
    _ = part.append(UnsafeRawBufferPointer(rebasing: block.bytes[start...]))
    part.isUnproven = block.isUnproven
    for end in block.memberEnds {
      part.add(MemberEnd(place: end.place - start, trailer: end.trailer, offset: end.offset))
    }
    return part
  }

  /// Decompresses a piece in its own memory, so that reading beyond its end is detected.
  private static func unpack(
    _ unpacker: Unpacker, _ piece: [UInt8], into block: Block
  ) throws(FailureCause) -> Int {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: piece)
    return try unpacker.unpack(UnsafeRawBufferPointer(memory), into: block)
  }
}
