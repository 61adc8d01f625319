package import SyncModel

/// The structure of a compressed file: how its parts begin, and what may be between and after them.
///
/// The rules are those of each format's own tool, except that zeros, and only they, are ignored after the last part.
extension Compression {
  /// The data that may follow a part, besides another part.
  enum Padding {
    /// Zeros up to the end.
    case zerosAtEnd
    /// Zeros, as many as a multiple of four, before another part or the end.
    case zerosInFours
  }

  var padding: Padding {
    switch self {
    case .gzip, .zstd, .bzip2: .zerosAtEnd
    case .xz: .zerosInFours
    }
  }

  /// How many bytes of a part ``headerFault(_:at:first:isFirst:)`` looks at.
  ///
  /// A library may want the whole header before it objects, or may not object at all.
  var headerSize: Int { self == .xz ? Self.xzMagic.count : 4 }

  /// The fault of `byte` at `index` of a part that begins with `first`; `nil` for none.
  ///
  /// `isFirst`: there was no part before, so the data may be of another kind.
  func headerFault(_ byte: UInt8, at index: Int, first: UInt8, isFirst: Bool) -> String? {
    let isRight =
      switch self {
      case .gzip: index > 1 || byte == [0x1f, 0x8b][index]
      // The predecessor of .xz has no magic bytes; liblzma recognises it.
      case .xz: isFirst && first != Self.xzMagic[0] || byte == Self.xzMagic[index]
      case .zstd: Self.isZstdMagic(byte, at: index, first: first)
      case .bzip2:
        index == 3
          ? (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(byte) : byte == [0x42, 0x5a, 0x68][index]
      }
    guard isRight else { return isFirst ? isNotThis : dataAfterEnd }
    guard self == .gzip else { return nil }
    if index == 2, byte != 8 { return "unknown compression method" }
    // RFC 1952 keeps three for later.
    return index == 3 && byte & 0xe0 != 0 ? "unknown header flags set" : nil
  }

  private static let xzMagic: [UInt8] = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]

  /// A frame (RFC 8878, section 3.1.1) or a skippable frame (3.1.2), whose first byte is one of sixteen.
  private static func isZstdMagic(_ byte: UInt8, at index: Int, first: UInt8) -> Bool {
    if index == 0 { return byte == 0x28 || byte & 0xf0 == 0x50 }
    let magic: [UInt8] = first == 0x28 ? [0x28, 0xb5, 0x2f, 0xfd] : [first, 0x2a, 0x4d, 0x18]
    return byte == magic[index]
  }

  // MARK: what faults are called

  /// The fault of data that stop too early, as after an interrupted transfer.
  package var endsInside: String { "ends inside a \(partName)" }
  /// The fault of data that do not begin with the format's magic bytes.
  package var isNotThis: String { "not \(rawValue) data" }
  /// The fault of data with something other than zeros after the last part.
  package var dataAfterEnd: String { "unexpected data after the last \(partName)" }
  /// The fault of an empty file.
  package var isEmpty: String { "no data, not even \(self == .xz ? "an" : "a") \(rawValue) header" }
  /// The fault of an xz file in which the number of zeros between two streams is not a multiple of four.
  package var paddingIsOdd: String { "the padding between streams is no multiple of four bytes" }
}
