package import SyncModel

/// Which format an archive has (contract, section 10).
package enum ArchiveRecognition {
  /// The format that `demanded` names or, without it, that of the name's ending, or else of the first bytes.
  ///
  /// `firstBytes` are the first ``ArchiveFormat/recognizedFrom`` bytes, or all of a shorter archive. Throws
  /// `.otherFormat` if name and bytes disagree, `.unknownFormat` if neither tells.
  package static func format(
    demanded: ArchiveFormat?, name: String, firstBytes: [UInt8]
  ) throws(ArchiveFault) -> ArchiveFormat {
    if let demanded { return demanded }
    let found = ArchiveFormat(firstBytes: firstBytes)
    guard let named = ArchiveFormat(ofName: name) else {
      if let found { return found }
      throw ArchiveFault(.unknownFormat)
    }
    // What is too short to be an archive, and `.lzma`, which has no magic bytes, is left to the format's reader.
    if found == named || found == nil && (isLzma(name) || firstBytes.count < shortest) { return named }
    // An empty archive has no header.
    if named == .tar, firstBytes.allSatisfy({ $0 == 0 }) { return named }
    throw ArchiveFault(.otherFormat(named: named, found: found))
  }

  /// In bytes. Fewer bytes do not show a format, so that the fault is their number.
  private static let shortest = 6

  private static func isLzma(_ name: String) -> Bool {
    [".lzma", ".tlz"].contains { name.lowercased().hasSuffix($0) }
  }
}
