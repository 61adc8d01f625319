import CIsalShim
import SyncModel

/// Which library unpacks gzip data.
package enum UnpackingLibrary: Sendable, CaseIterable {
  /// ISA-L if it is installed, else zlib.
  case fastest
  /// The reference for every other library.
  case zlib

  /// Whether there is another one than zlib on this machine.
  package static let hasFaster = isalshim_load() != 0
}

/// Unpacks the members of gzip data one at a time, by one of two libraries.
final class GzipDecoder: PartDecoder {
  @safe private enum Engine {
    case none
    case zlib(ZlibUnpacker)
    case isal(UnsafeMutableRawPointer)
  }

  private let library: UnpackingLibrary
  private let leavesSums: Bool
  private var engine = Engine.none

  /// `leavesSums`: another stage compares the decompressed bytes with the trailer's sums, if the library would take
  /// long for that.
  init(_ library: UnpackingLibrary, leavesSums: Bool) {
    self.library = library
    self.leavesSums = leavesSums
  }

  deinit {
    switch engine {
    case .none, .zlib: break
    case .isal(let state): unsafe isalshim_free(state)
    }
  }

  /// Whether the decompressed bytes must still be compared with the sums of their member.
  var leavesUnproven: Bool { if case .zlib = engine { leavesSums } else { false } }

  /// Asks for memory on the first call.
  func begin(with first: UInt8) throws(FailureCause) {
    switch engine {
    case .none:
      if library == .fastest, UnpackingLibrary.hasFaster, let state = unsafe isalshim_new() {
        engine = unsafe .isal(state)
      } else {
        engine = .zlib(try ZlibUnpacker(leavesSums: leavesSums))
      }
    case .isal(let state): unsafe isalshim_reset(state)
    case .zlib(let unpacker): try unpacker.begin()
    }
  }

  func step(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, isLast: Bool)
    -> DecodingStep
  {
    // Both libraries count in 32 bits.
    let piece = unsafe UnsafeRawBufferPointer(rebasing: input.prefix(1 << 30))
    switch engine {
    case .none:
      return DecodingStep(used: 0, made: 0, outcome: .failed(.internalError("gunzip has not begun")))
    case .zlib(let unpacker): return unsafe unpacker.step(piece, into: room)
    case .isal(let state): return unsafe Self.step(state, piece, room)
    }
  }

  private static func step(
    _ state: UnsafeMutableRawPointer, _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    var (used, made) = (0, 0)
    let code = unsafe isalshim_inflate(
      state, input.baseAddress, input.count, room.baseAddress, room.count, &used, &made)
    let outcome: DecodingStep.Outcome =
      switch code {
      case 0: .more
      case 1: .partEnded(trailer: nil)
      default: unsafe .corrupt(String(cString: isalshim_words(code)))
      }
    return DecodingStep(used: used, made: made, outcome: outcome)
  }
}
