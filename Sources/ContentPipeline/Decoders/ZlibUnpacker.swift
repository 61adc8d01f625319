import CLibz
import SyncModel

/// Unpacks one member after the other with zlib.
@safe final class ZlibUnpacker {
  /// 15 bits of window; 16 more mean: only a gzip header.
  private static let windowBits: Int32 = 15 + 16

  // zlib remembers its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let leavesSums: Bool
  /// zlib always checks the header's own sum.
  private var isInHeader = true
  /// The last eight bytes that were taken, the newest on top.
  private var last: UInt64 = 0

  /// At the start of a member; `leavesSums`: the trailer's sums are returned and not checked.
  init(leavesSums: Bool) throws(FailureCause) {
    self.leavesSums = leavesSums
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status = unsafe inflateInit2_(
      stream, Self.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    if status != Z_OK { throw Self.cannotStart(status) }
  }

  deinit {
    // Does nothing to one that never started.
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Stands at the start of a member.
  func begin() throws(FailureCause) {
    let status = unsafe inflateReset2(stream, Self.windowBits)
    guard status == Z_OK else { throw Self.cannotStart(status) }
    isInHeader = true
  }

  func step(
    _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    // zlib declares its input mutable but does not write to it.
    unsafe stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
    unsafe stream.pointee.avail_in = uInt(input.count)
    unsafe stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: Bytef.self)
    unsafe stream.pointee.avail_out = uInt(room.count)
    let status = inflateOn()
    let used = unsafe input.count - Int(stream.pointee.avail_in)
    for place in max(0, used - 8)..<used { last = unsafe last >> 8 | UInt64(input[place]) << 56 }
    return unsafe DecodingStep(
      used: used, made: room.count - Int(stream.pointee.avail_out), outcome: outcome(status))
  }

  /// zlib's checks can be turned off at any time, so also after the header.
  private func inflateOn() -> Int32 {
    guard leavesSums, isInHeader else { return unsafe inflate(stream, Z_NO_FLUSH) }
    // zlib stops after the header and reports it by this bit (zlib.h, inflate).
    let status = unsafe inflate(stream, Z_BLOCK)
    guard status == Z_OK, unsafe stream.pointee.data_type & 128 != 0 else { return status }
    isInHeader = false
    unsafe inflateValidate(stream, 0)
    return unsafe inflate(stream, Z_NO_FLUSH)
  }

  private func outcome(_ status: Int32) -> DecodingStep.Outcome {
    switch status {
    case Z_OK, Z_BUF_ERROR: .more
    case Z_STREAM_END: .partEnded(trailer: leavesSums ? last : nil)
    case Z_DATA_ERROR, Z_NEED_DICT:
      unsafe .corrupt(stream.pointee.msg.map { unsafe String(cString: $0) } ?? "invalid data")
    default: .failed(.internalError("gunzip failed (\(status))"))
    }
  }

  private static func cannotStart(_ status: Int32) -> FailureCause {
    .internalError("zlib: inflate could not start (\(status))")
  }
}
