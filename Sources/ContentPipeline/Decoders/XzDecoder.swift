import CDecoderShim
import SyncModel

/// Unpacks the streams of `.xz`, or a `.lzma` file, by liblzma.
@safe final class XzDecoder: PartDecoder {
  /// In bytes, for the blocks that are unpacked at the same time, beside the dictionary. Files whose blocks are larger
  /// are unpacked by one thread, in the memory that their dictionary needs.
  private static let threadingLimit: UInt64 = 8 << 20

  /// The size of a `.lzma` file's header.
  private static let lzmaHeader = 13

  /// `nil` if it can be used; else its file name.
  private static let missing: String? = unsafe decodershim_load_xz().map { unsafe String(cString: $0) }

  private let state: UnsafeMutableRawPointer
  private let threads: Int
  private(set) var endsData = false
  /// How many bytes of a `.lzma` header have been zeros; `nil` once one was none.
  private var zeros: Int?

  init(threads: Int) throws(FailureCause) {
    if let name = Self.missing { throw .decoderMissing(.xz, name: name) }
    guard let state = unsafe decodershim_xz_new() else { throw .internalError("unxz: no memory") }
    unsafe self.state = state
    self.threads = threads
  }

  deinit { unsafe decodershim_xz_free(state) }

  func begin(with first: UInt8) throws(FailureCause) {
    // Other beginnings belong to the format before .xz, which has one part only.
    endsData = first != 0xfd
    zeros = endsData ? 0 : nil
    let code = unsafe decodershim_xz_begin(
      state, endsData ? 1 : 0, UInt32(clamping: threads), UInt64(Compression.largestDictionary),
      Self.threadingLimit)
    if code != 0 { throw .internalError("unxz cannot begin (\(code))") }
  }

  func step(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, isLast: Bool)
    -> DecodingStep
  {
    // A hole in place of a file would pass for one without content. No encoder makes a dictionary of 0 bytes.
    if let zeros {
      let header = unsafe input.prefix(Self.lzmaHeader - zeros)
      self.zeros = unsafe header.allSatisfy { $0 == 0 } ? zeros + header.count : nil
      if self.zeros == Self.lzmaHeader { return DecodingStep(used: 0, made: 0, outcome: .otherFormat) }
    }
    var (used, made) = (0, 0)
    let code = unsafe decodershim_xz_step(
      state, input.baseAddress, input.count, room.baseAddress, room.count, isLast ? 1 : 0, &used, &made)
    return DecodingStep(used: used, made: made, outcome: Self.outcome(Int(code)))
  }

  private static func outcome(_ code: Int) -> DecodingStep.Outcome {
    switch code {
    case 0: .more
    case 1: .partEnded(trailer: nil)
    case decodershim_damaged: .corrupt("invalid data, or a wrong check sum")
    case decodershim_other_format: .otherFormat
    case decodershim_memory_limit: .corrupt("a dictionary larger than any encoder makes")
    case decodershim_unsupported: .corrupt("unknown options or filters")
    case decodershim_unsupported_check: .corrupt("an unknown type of integrity check")
    case decodershim_no_memory: .failed(.internalError("unxz: no memory"))
    default: .failed(.internalError("unxz failed (\(code))"))
    }
  }
}
