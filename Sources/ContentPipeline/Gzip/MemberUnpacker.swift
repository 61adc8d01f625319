import CIsalShim
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
    case more
    /// `trailer`: the member's last eight bytes as a little-endian number; `nil` where the library has held the sums
    /// in them against what it unpacked.
    case memberEnded(trailer: UInt64?)
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
    case zlib(ZlibUnpacker)
    case isal(UnsafeMutableRawPointer)
  }

  private let library: UnpackingLibrary
  private let leavesSums: Bool
  private var engine = Engine.none

  /// `leavesSums`: what is unpacked will be held against the sums of its trailer elsewhere, where the library takes
  /// long for that.
  init(_ library: UnpackingLibrary, leavesSums: Bool) {
    self.library = library
    self.leavesSums = leavesSums
  }

  deinit {
    switch engine {
    case .none, .zlib: break
    case .isal(let state): isalshim_free(state)
    }
  }

  /// Whether what is unpacked is still to be held against the sums of its member.
  var leavesUnproven: Bool { if case .zlib = engine { leavesSums } else { false } }

  /// Stands at the start of a member; asks for memory on the first call.
  func begin() throws(FailureCause) {
    switch engine {
    case .none:
      if library == .fastest, UnpackingLibrary.hasFaster, let state = isalshim_new() {
        engine = .isal(state)
      } else {
        engine = .zlib(try ZlibUnpacker(leavesSums: leavesSums))
      }
    case .isal(let state): isalshim_reset(state)
    case .zlib(let unpacker): try unpacker.begin()
    }
  }

  /// Unpacks until one of the two is used up, or the member ends.
  func step(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Step {
    // Both libraries count in 32 bits.
    let piece = UnsafeRawBufferPointer(rebasing: input.prefix(1 << 30))
    switch engine {
    case .none: return Step(used: 0, made: 0, outcome: .failed(0))
    case .zlib(let unpacker): return unpacker.step(piece, into: room)
    case .isal(let state): return Self.step(state, piece, room)
    }
  }

  private static func step(
    _ state: UnsafeMutableRawPointer, _ input: UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer
  ) -> Step {
    var (used, made) = (0, 0)
    let code = isalshim_inflate(
      state, input.baseAddress, input.count, room.baseAddress, room.count, &used, &made)
    let outcome: Outcome =
      switch code {
      case 0: .more
      case 1: .memberEnded(trailer: nil)
      default: .corrupt(String(cString: isalshim_words(code)))
      }
    return Step(used: used, made: made, outcome: outcome)
  }
}
