/// A compressed format that a step of the manifest unpacks (contract, section 4).
package enum Compression: String, Sendable, CaseIterable {
  /// The `.gz` format (RFC 1952).
  case gzip
  /// The `.xz` format, and `.lzma`, its predecessor.
  case xz
  /// The `.zst` format (RFC 8878).
  case zstd
  /// The `.bz2` format.
  case bzip2

  /// The default limit for zstd windows, in bytes: zstd's own limit.
  package static let usualWindow: Int64 = 128 << 20
  /// The largest window that libzstd can allow, in bytes.
  package static let largestWindow: Int64 = 2 << 30
  /// The largest dictionary of LZMA that is allowed, with what the decoder needs beside it, in bytes. xz makes none of
  /// more than 1.5 GiB, and a damaged header may ask for 4.
  package static let largestDictionary: Int64 = 1_700 << 20

  /// The name of the step that unpacks it.
  package var stepName: String {
    switch self {
    case .gzip: "gunzip"
    case .xz: "unxz"
    case .zstd: "unzstd"
    case .bzip2: "bunzip2"
    }
  }

  /// How names of files end that are compressed so, in lower case.
  package var ending: String {
    switch self {
    case .gzip: ".gz"
    case .xz: ".xz"
    case .zstd: ".zst"
    case .bzip2: ".bz2"
    }
  }

  /// The format's word for the parts of a file.
  package var partName: String {
    switch self {
    case .gzip: "member"
    case .xz, .bzip2: "stream"
    case .zstd: "frame"
    }
  }
}

/// The fault of compressed bytes.
package struct Corruption: Sendable, Equatable {
  /// The format that the bytes should have.
  package var format: Compression
  /// How many compressed bytes were read until it was found.
  package var offset: Int64
  /// The fault in a few words.
  package var text: String
  /// Whether the bytes only end too early, as those of a transfer that broke off do.
  package var isCutShort: Bool
  /// The index of the target's step that found it, if several steps change the bytes and it is known.
  package var step: Int?

  /// `offset` counts compressed bytes.
  package init(
    _ format: Compression, offset: Int64, text: String, isCutShort: Bool = false, step: Int? = nil
  ) {
    self.format = format
    self.offset = offset
    self.text = text
    self.isCutShort = isCutShort
    self.step = step
  }
}
