import CIsalShim
import CLibz
import SyncModel

/// Which library unpacks gzip data.
package enum UnpackingLibrary: Sendable, CaseIterable {
  /// ISA-L where it is installed, else zlib.
  case fastest
  /// The reference that every other library is held to.
  case zlib

  /// Whether there is another one than zlib on this machine.
  package static let hasFaster = isalshim_load() != 0
}

/// Unpacks the members of gzip data one at a time, by one of two libraries.
///
/// What lies between members, and what a fault is called, is ``Inflater``'s.
final class MemberUnpacker {
  enum Outcome: Equatable {
    case more, memberEnded
    case corrupt(String)
    /// The library itself failed.
    case failed(Int)
  }

  struct Step {
    /// Bytes taken from the input, and bytes written to the output.
    var used: Int
    var made: Int
    var outcome: Outcome
  }

  private enum Engine {
    case none
    // zlib remembers the stream's address, hence the pointer.
    case zlib(UnsafeMutablePointer<z_stream>)
    case isal(UnsafeMutableRawPointer)
  }

  private let library: UnpackingLibrary
  private var engine = Engine.none

  init(_ library: UnpackingLibrary) { self.library = library }

  deinit {
    switch engine {
    case .none: break
    case .isal(let state): isalshim_free(state)
    case .zlib(let stream):
      inflateEnd(stream)
      stream.deallocate()
    }
  }

  /// Stands at the start of a member; asks for memory on the first call.
  func begin() throws(FailureCause) {
    switch engine {
    case .none:
      if library == .fastest, UnpackingLibrary.hasFaster, let state = isalshim_new() {
        engine = .isal(state)
      } else {
        engine = .zlib(try Self.newStream())
      }
    case .isal(let state): isalshim_reset(state)
    case .zlib(let stream):
      let status = inflateReset2(stream, Self.windowBits)
      guard status == Z_OK else { throw Self.cannotStart(status) }
    }
  }

  /// Unpacks until one of the two is used up, or the member ends.
  func step(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Step {
    // Both libraries count in 32 bits.
    let piece = UnsafeRawBufferPointer(rebasing: input.prefix(1 << 30))
    switch engine {
    case .none: return Step(used: 0, made: 0, outcome: .failed(0))
    case .zlib(let stream): return Self.step(stream, piece, room)
    case .isal(let state): return Self.step(state, piece, room)
    }
  }

  // MARK: ISA-L

  private static func step(
    _ state: UnsafeMutableRawPointer, _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer
  ) -> Step {
    var (used, made) = (0, 0)
    let code = isalshim_inflate(
      state, input.baseAddress, input.count, room.baseAddress, room.count, &used, &made)
    let outcome: Outcome =
      switch code {
      case 0: .more
      case 1: .memberEnded
      default: .corrupt(String(cString: isalshim_words(code)))
      }
    return Step(used: used, made: made, outcome: outcome)
  }

  // MARK: zlib

  /// 15 bits of window; 16 more say: a gzip header and nothing else.
  private static let windowBits: Int32 = 15 + 16

  private static func newStream() throws(FailureCause) -> UnsafeMutablePointer<z_stream> {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      stream.deallocate()
      throw cannotStart(status)
    }
    return stream
  }

  private static func cannotStart(_ status: Int32) -> FailureCause {
    .internalError("zlib: inflate could not start (\(status))")
  }

  private static func step(
    _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeRawBufferPointer,
    _ room: UnsafeMutableRawBufferPointer
  ) -> Step {
    // zlib declares its input mutable but does not write to it.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
    stream.pointee.avail_in = uInt(input.count)
    stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = uInt(room.count)
    let status = inflate(stream, Z_NO_FLUSH)
    let outcome: Outcome =
      switch status {
      case Z_OK, Z_BUF_ERROR: .more
      case Z_STREAM_END: .memberEnded
      case Z_DATA_ERROR, Z_NEED_DICT:
        .corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "invalid data")
      default: .failed(Int(status))
      }
    return Step(
      used: input.count - Int(stream.pointee.avail_in), made: room.count - Int(stream.pointee.avail_out),
      outcome: outcome)
  }
}
