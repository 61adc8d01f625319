/// A format of archives (contract, section 10), as the key `format` of `unpack` names it.
package enum ArchiveFormat: String, Sendable, CaseIterable {
  /// ustar, GNU or pax, not compressed.
  case tar
  /// The same, compressed as a whole.
  case tarGzip = "tar.gz"
  /// Also `.tar.lzma`.
  case tarXz = "tar.xz"
  case tarZstd = "tar.zst"
  case tarBzip2 = "tar.bz2"
  /// Members stored or deflated; zip64.
  case zip
  case sevenZip = "7z"
  case xar

  /// The compression around the archive; `nil` if there is none.
  package var compression: Compression? {
    switch self {
    case .tarGzip: .gzip
    case .tarXz: .xz
    case .tarZstd: .zstd
    case .tarBzip2: .bzip2
    case .tar, .zip, .sevenZip, .xar: nil
    }
  }

  /// Whether it is read from its start to its end; others have a directory that says where their entries are.
  package var isStream: Bool {
    switch self {
    case .tar, .tarGzip, .tarXz, .tarZstd, .tarBzip2: true
    case .zip, .sevenZip, .xar: false
    }
  }

  /// The format that the ending of a file's name promises; `nil` if it promises none.
  package init?(ofName name: String) {
    let name = name.lowercased()
    for (format, endings) in Self.endings {
      guard endings.contains(where: { name.utf8.count > $0.utf8.count && name.hasSuffix($0) }) else {
        continue
      }
      self = format
      return
    }
    return nil
  }

  /// In lower case, longer ones first where one ends like another.
  private static let endings: [(ArchiveFormat, [String])] = [
    (.tarGzip, [".tar.gz", ".tgz", ".tar.gzip", ".crate"]),
    (.tarXz, [".tar.xz", ".txz", ".tar.lzma", ".tlz"]),
    (.tarZstd, [".tar.zst", ".tzst", ".tar.zstd"]),
    (.tarBzip2, [".tar.bz2", ".tbz2", ".tbz", ".tar.bz", ".tar.bzip2"]),
    (.tar, [".tar"]),
    (.zip, [".zip", ".jar", ".whl", ".nupkg", ".vsix", ".xpi"]),
    (.sevenZip, [".7z"]),
    (.xar, [".xar"]),
  ]

  /// How many bytes ``init(firstBytes:)`` wants to see: a block of tar.
  package static let recognizedFrom = 512

  /// The format that begins with these bytes; `nil` if none does. `bytes` are the first
  /// ``recognizedFrom`` of the file, or all of a shorter one.
  ///
  /// Compressed data count as a compressed tar: nothing else that is compressed as a whole is an archive. `.lzma` has
  /// no magic bytes.
  package init?(firstBytes bytes: [UInt8]) {
    func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
    if begins([0x1f, 0x8b]) {
      self = .tarGzip
    } else if begins([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]) {
      self = .tarXz
    } else if begins([0x28, 0xb5, 0x2f, 0xfd]) || Self.isSkippableFrame(bytes) {
      self = .tarZstd
    } else if begins(Array("BZh".utf8)) {
      self = .tarBzip2
    } else if begins([0x50, 0x4b]),
      [[3, 4], [5, 6], [6, 6], [7, 8]].contains(bytes.dropFirst(2).prefix(2).map { $0 })
    {
      self = .zip
    } else if begins([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]) {
      self = .sevenZip
    } else if begins(Array("xar!".utf8)) {
      self = .xar
    } else if Self.isTarHeader(bytes) {
      self = .tar
    } else {
      return nil
    }
  }

  /// RFC 8878, section 3.1.2: a file may begin with data that are no part of its content.
  private static func isSkippableFrame(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 4 && bytes[0] & 0xf0 == 0x50 && bytes[1...3].elementsEqual([0x2a, 0x4d, 0x18])
  }

  /// By the magic of ustar and GNU. Older headers have only a check sum. An empty archive is all zeros, as other files are
  /// that are no archive: only its name can say that it is one.
  private static func isTarHeader(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= recognizedFrom else { return false }
    if bytes[257..<262].elementsEqual("ustar".utf8) { return true }
    return TarChecksum.isRight(bytes[..<recognizedFrom])
  }
}

/// The check sum in a header of tar: the sum of its bytes, in which the field itself counts as blanks.
package enum TarChecksum {
  /// Where the field is in the header.
  package static let field = 148..<156

  /// Whether the header's field has the sum of `header`, which is one block.
  // Of one type: code that is generic over collections is not specialised for other modules, and this one took two
  // fifths of the time for an archive of small files.
  package static func isRight(_ header: ArraySlice<UInt8>) -> Bool {
    let own = header.startIndex + field.lowerBound..<header.startIndex + field.upperBound
    var sum = 0
    for byte in header { sum += Int(byte) }
    var told = 0
    var digits = 0
    for byte in header[own] {
      sum += 0x20 - Int(byte)
      guard (0x30...0x37).contains(byte) else { continue }
      told = told << 3 | Int(byte & 7)
      digits += 1
    }
    return digits > 0 && sum == told
  }
}
