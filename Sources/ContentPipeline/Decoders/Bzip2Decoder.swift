import CDecoderShim
import SyncModel

/// Unpacks the streams of bzip2, by libbz2.
@safe final class Bzip2Decoder: PartDecoder {
  /// `nil` if it can be used; else its file name.
  private static let missing: String? = unsafe decodershim_load_bzip2().map { unsafe String(cString: $0) }

  private let state: UnsafeMutableRawPointer

  init() throws(FailureCause) {
    if let name = Self.missing { throw .decoderMissing(.bzip2, name: name) }
    guard let state = unsafe decodershim_bzip2_new() else { throw .internalError("bunzip2: no memory") }
    unsafe self.state = state
  }

  deinit { unsafe decodershim_bzip2_free(state) }

  func begin(with first: UInt8) throws(FailureCause) {
    let code = unsafe decodershim_bzip2_begin(state)
    if code != 0 { throw .internalError("bunzip2 cannot begin (\(code))") }
  }

  func step(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, isLast: Bool)
    -> DecodingStep
  {
    // The library counts in 32 bits.
    let piece = unsafe UnsafeRawBufferPointer(rebasing: input.prefix(1 << 30))
    var (used, made) = (0, 0)
    let code = unsafe decodershim_bzip2_step(
      state, piece.baseAddress, piece.count, room.baseAddress, room.count, &used, &made)
    return DecodingStep(used: used, made: made, outcome: Self.outcome(Int(code)))
  }

  private static func outcome(_ code: Int) -> DecodingStep.Outcome {
    switch code {
    case 0: .more
    case 1: .partEnded(trailer: nil)
    case decodershim_damaged: .corrupt("invalid data, or a wrong check sum")
    case decodershim_other_format: .otherFormat
    case decodershim_no_memory: .failed(.internalError("bunzip2: no memory"))
    default: .failed(.internalError("bunzip2 failed (\(code))"))
    }
  }
}
