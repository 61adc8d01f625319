import CDecoderShim
import SyncModel

/// Unpacks the frames of zstd, by libzstd; frames to be skipped unpack to nothing.
@safe final class ZstdDecoder: PartDecoder {
  /// `nil` if it can be used; else its file name.
  private static let missing: String? = unsafe decodershim_load_zstd().map { unsafe String(cString: $0) }

  private let state: UnsafeMutableRawPointer
  private let window: Int64
  private var header = ZstdFrameHeader()

  /// `window` is the largest that is allowed, in bytes.
  init(window: Int64) throws(FailureCause) {
    if let name = Self.missing { throw .decoderMissing(.zstd, name: name) }
    // The library's limit is a power of two; the header check finds values in between.
    let log: Int32 = (10...31).first { Int64(1) << $0 >= window } ?? 31
    guard let state = unsafe decodershim_zstd_new(log) else { throw .internalError("unzstd: no memory") }
    unsafe self.state = state
    self.window = window
  }

  deinit { unsafe decodershim_zstd_free(state) }

  func begin(with first: UInt8) throws(FailureCause) {
    header = ZstdFrameHeader()
    let code = unsafe decodershim_zstd_begin(state)
    if code != 0 { throw .internalError("unzstd cannot begin (\(code))") }
  }

  func step(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, isLast: Bool)
    -> DecodingStep
  {
    // The library asks for memory as soon as it has the whole header.
    if let needed = unsafe header.window(after: input), needed > window {
      return DecodingStep(used: 0, made: 0, outcome: .failed(.windowTooLarge(needed: needed, limit: window)))
    }
    var (used, made) = (0, 0)
    let code = unsafe decodershim_zstd_step(
      state, input.baseAddress, input.count, room.baseAddress, room.count, &used, &made)
    return DecodingStep(used: used, made: made, outcome: Self.outcome(code))
  }

  private static func outcome(_ code: Int32) -> DecodingStep.Outcome {
    switch code {
    case 0: return .more
    case 1: return .partEnded(trailer: nil)
    case _ where decodershim_zstd_is_memory(code) != 0: return .failed(.internalError("unzstd: no memory"))
    default:
      let words = unsafe String(cString: decodershim_zstd_words(code))
      return .corrupt(words.prefix(1).lowercased() + words.dropFirst())
    }
  }
}

/// The first bytes of a frame of zstd (RFC 8878, section 3.1.1.1), as far as they have come.
struct ZstdFrameHeader {
  /// In bytes; also the magic number.
  private static let longest = 18

  private var bytes: [UInt8] = []
  private var isRead = false

  /// The frame's window in bytes, once, as soon as `input` contains it; `nil` before and after, and for a frame to
  /// skip.
  ///
  /// Bytes that the library has not used are passed again, which is harmless: it takes whole headers.
  mutating func window(after input: UnsafeRawBufferPointer) -> Int64? {
    guard !isRead else { return nil }
    unsafe bytes.append(contentsOf: input.prefix(Self.longest - bytes.count))
    guard bytes.count > 4 else { return nil }
    guard bytes[0] == 0x28 else {
      isRead = true
      return nil
    }
    let descriptor = bytes[4]
    let isSingleSegment = descriptor & 0x20 != 0
    let size = isSingleSegment ? contentSize(descriptor) : windowSize()
    if size != nil { isRead = true }
    return size
  }

  private func windowSize() -> Int64? {
    guard bytes.count > 5 else { return nil }
    let base = Int64(1) << (10 + Int64(bytes[5] >> 3))
    return base + base / 8 * Int64(bytes[5] & 7)
  }

  /// A frame in a single segment has its content as its window.
  private func contentSize(_ descriptor: UInt8) -> Int64? {
    let start = 5 + [0, 1, 2, 4][Int(descriptor & 3)]
    let count = [1, 2, 4, 8][Int(descriptor >> 6)]
    guard bytes.count >= start + count else { return nil }
    let value = bytes[start..<start + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(clamping: count == 2 ? value + 256 : value)
  }
}
