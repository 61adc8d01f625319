import CLibz
import SyncModel

/// Inflates deflated data without a header and a check sum, by zlib.
@safe final class RawInflater {
  enum Status {
    case more, ended
    case damaged(String)
  }

  // zlib remembers its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var hasEnded = false

  init() throws(FailureCause) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // A negative number of bits means: no header.
    let status = unsafe inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    if status != Z_OK { throw .internalError("zlib: inflate could not start (\(status))") }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Inflates until `input` is used up, `room` is full, or the data end; after that it does nothing.
  func step(
    _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) -> (used: Int, made: Int, status: Status) {
    if hasEnded { return (0, 0, .ended) }
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
    case Z_STREAM_END:
      hasEnded = true
      return (used, made, .ended)
    default:
      let text = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
      return (used, made, .damaged(text ?? "invalid data"))
    }
  }
}
