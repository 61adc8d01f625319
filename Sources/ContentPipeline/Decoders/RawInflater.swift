import CIsalShim
import CLibz
import SyncModel

/// Inflates deflated data without a header and a check sum, by one of two libraries.
@safe final class RawInflater {
  enum Status {
    case more, ended
    case damaged(String)
  }

  @safe private enum Engine {
    // zlib remembers its address.
    case zlib(UnsafeMutablePointer<z_stream>)
    case isal(UnsafeMutableRawPointer)
  }

  private let engine: Engine
  private var hasEnded = false
  /// Of the bytes so far; ISA-L counts for itself.
  private var sum: UInt32 = 0

  init(_ library: UnpackingLibrary) throws(FailureCause) {
    if library == .fastest, UnpackingLibrary.hasFaster, let state = unsafe isalshim_new() {
      unsafe isalshim_reset_raw(state)
      engine = unsafe .isal(state)
    } else {
      let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
      unsafe stream.initialize(to: z_stream())
      engine = unsafe .zlib(stream)
      // A negative number of bits means: no header.
      let status = unsafe inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      if status != Z_OK { throw .internalError("zlib: inflate could not start (\(status))") }
    }
  }

  deinit {
    switch engine {
    case .isal(let state): unsafe isalshim_free(state)
    case .zlib(let stream):
      unsafe inflateEnd(stream)
      unsafe stream.deallocate()
    }
  }

  /// Begins with other data.
  func restart() {
    hasEnded = false
    sum = 0
    switch engine {
    case .isal(let state): unsafe isalshim_reset_raw(state)
    case .zlib(let stream): unsafe inflateReset(stream)
    }
  }

  /// The CRC-32 of all bytes, once the data have ended.
  var crc32: UInt32 {
    switch engine {
    case .isal(let state): unsafe isalshim_crc(state)
    case .zlib: sum
    }
  }

  /// Inflates until `input` is used up, `room` is full, or the data end; after that it does nothing.
  ///
  /// `used` may be negative at the end: so many bytes of earlier inputs are behind it.
  func step(
    _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) -> (used: Int, made: Int, status: Status) {
    if hasEnded { return (0, 0, .ended) }
    let step =
      switch engine {
      case .isal(let state): unsafe Self.step(state, input, room)
      case .zlib(let stream): unsafe Self.step(stream, input, room)
      }
    if case .ended = step.status { hasEnded = true }
    if case .zlib = engine {
      unsafe sum = Self.crc32(sum, UnsafeRawBufferPointer(rebasing: room.prefix(step.made)))
    }
    return step
  }

  /// The CRC-32 of bytes with the sum `sum`, followed by `bytes`.
  static func crc32(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    // Without an address zlib returns the sum of nothing.
    guard let start = bytes.baseAddress else { return sum }
    return unsafe UInt32(
      truncatingIfNeeded: crc32_z(uLong(sum), start.assumingMemoryBound(to: Bytef.self), bytes.count))
  }

  private static func step(
    _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeRawBufferPointer,
    _ room: UnsafeMutableRawBufferPointer
  ) -> (used: Int, made: Int, status: Status) {
    // zlib declares its input mutable but does not write to it.
    unsafe stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
    unsafe stream.pointee.avail_in = uInt(input.count)
    unsafe stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: Bytef.self)
    unsafe stream.pointee.avail_out = uInt(room.count)
    let code = unsafe inflate(stream, Z_NO_FLUSH)
    let used = unsafe input.count - Int(stream.pointee.avail_in)
    let made = unsafe room.count - Int(stream.pointee.avail_out)
    switch code {
    case Z_OK, Z_BUF_ERROR: return (used, made, .more)
    case Z_STREAM_END: return (used, made, .ended)
    default:
      let text = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
      return (used, made, .damaged(text ?? "invalid data"))
    }
  }

  private static func step(
    _ state: UnsafeMutableRawPointer, _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer
  ) -> (used: Int, made: Int, status: Status) {
    var (used, made) = (0, 0)
    let code = unsafe isalshim_inflate(
      state, input.baseAddress, input.count, room.baseAddress, room.count, &used, &made)
    switch code {
    case 0: return (used, made, .more)
    case 1: return unsafe (used - isalshim_unused(state), made, .ended)
    default: return unsafe (used, made, .damaged(String(cString: isalshim_words(code))))
    }
  }
}
