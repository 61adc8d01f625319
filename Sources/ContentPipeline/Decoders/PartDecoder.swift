package import SyncModel

/// Decompresses one part at a time (a member of gzip, a stream of xz or bzip2, a frame of zstd) with one library.
///
/// ``Unpacker`` decides what may be between parts, and which fault a wrong header is.
protocol PartDecoder: AnyObject {
  /// Whether the decompressed bytes must still be compared with the sums of their part.
  var leavesUnproven: Bool { get }
  /// Whether no other part may follow the one that has ended.
  var endsData: Bool { get }

  /// Stands at the start of a part whose first byte is `first`.
  func begin(with first: UInt8) throws(FailureCause)

  /// Decompresses until the input or the output is used up, or the part ends.
  ///
  /// `isLast`: there is no more input, so the library must return everything that it holds.
  func step(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, isLast: Bool)
    -> DecodingStep
}

extension PartDecoder {
  var leavesUnproven: Bool { false }
  var endsData: Bool { false }
}

/// The result of one call of a decoder.
struct DecodingStep {
  enum Outcome: Equatable {
    case more
    /// `trailer`: the last eight bytes of a gzip member as a little-endian number; `nil` if the library has checked
    /// the part's sums.
    case partEnded(trailer: UInt64?)
    /// The data do not have this format.
    case otherFormat
    case corrupt(String)
    /// The data may be valid, but cannot be decompressed here.
    case failed(FailureCause)
  }

  /// Bytes taken from the input.
  var used: Int
  /// Bytes written to the output.
  var made: Int
  var outcome: Outcome
}

/// How a decompressing step is performed.
package struct Decoding: Sendable, Equatable {
  /// The format of the compressed bytes.
  package var format: Compression
  /// The largest window that zstd may use, in bytes.
  package var window: Int64
  /// The library for gzip.
  package var library: UnpackingLibrary
  /// The number of its own threads that a library may use.
  package var threads: Int

  /// `window` is in bytes; `nil` is ``SyncModel/Compression/usualWindow``. `threads` is 1 or more.
  package init(
    _ format: Compression, window: Int64? = nil, library: UnpackingLibrary = .fastest, threads: Int = 1
  ) {
    self.format = format
    self.window = window ?? Compression.usualWindow
    self.library = library
    self.threads = threads
  }

  /// Loads the library if necessary. Throws `decoderMissing`, or `internalError` if memory is short.
  func decoder(leavesSums: Bool) throws(FailureCause) -> any PartDecoder {
    switch format {
    case .gzip: GzipDecoder(library, leavesSums: leavesSums)
    case .xz: try XzDecoder(threads: threads)
    case .zstd: try ZstdDecoder(window: window)
    case .bzip2: try Bzip2Decoder()
    }
  }
}
