package import SyncModel

/// Unpacks compressed data one part at a time (a member of gzip, a stream of xz or bzip2, a frame of zstd), by one
/// library.
///
/// What may lie between parts, and what a wrong header is called, is decided in ``Unpacker``, above all of them.
protocol PartDecoder: AnyObject {
  /// Whether what is unpacked is still to be held against the sums of its part.
  var leavesUnproven: Bool { get }
  /// Whether no other part may follow the one that has ended.
  var endsData: Bool { get }

  /// Stands at the start of a part whose first byte is `first`.
  func begin(with first: UInt8) throws(FailureCause)

  /// Unpacks until one of the two is used up, or the part ends.
  ///
  /// `isLast`: no more input will come, and whatever the library still holds is wanted.
  func step(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, isLast: Bool)
    -> DecodingStep
}

extension PartDecoder {
  var leavesUnproven: Bool { false }
  var endsData: Bool { false }
}

/// What one call of a decoder did.
struct DecodingStep {
  enum Outcome: Equatable {
    case more
    /// `trailer`: the last eight bytes of a gzip member as a little-endian number; `nil` where the library has checked
    /// the sums of the part.
    case partEnded(trailer: UInt64?)
    /// It is no data of this format at all.
    case otherFormat
    case corrupt(String)
    /// The data may be good, but they are not unpacked here.
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
  package var format: Compression
  /// The largest window that zstd may use, in bytes.
  package var window: Int64
  /// What unpacks gzip.
  package var library: UnpackingLibrary
  /// How many threads of its own a library may use.
  package var threads: Int

  package init(
    _ format: Compression, window: Int64? = nil, library: UnpackingLibrary = .fastest, threads: Int = 1
  ) {
    self.format = format
    self.window = window ?? Compression.usualWindow
    self.library = library
    self.threads = threads
  }

  /// Loads the library where that has not been done. Throws `decoderMissing`, or `internalError` when memory is short.
  func decoder(leavesSums: Bool) throws(FailureCause) -> any PartDecoder {
    switch format {
    case .gzip: GzipDecoder(library, leavesSums: leavesSums)
    case .xz: try XzDecoder(threads: threads)
    case .zstd: try ZstdDecoder(window: window)
    case .bzip2: try Bzip2Decoder()
    }
  }
}
