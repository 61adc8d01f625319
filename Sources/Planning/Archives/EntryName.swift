package import SyncModel

/// The name of an entry as a path below the archive's top (contract, section 10).
package struct EntryName: Sendable {
  /// In bytes; nearly every file system has this limit for one name in a path.
  static let longestPart = 255
  /// In bytes; Linux takes paths of 4,096 bytes with the zero at their end.
  static let longest = 4_095
  /// How many folders an entry is in at most. No publisher needs more, and each level costs a call for each entry.
  static let mostFolders = 64

  /// The parts from the top down, without `.` and empty ones; empty for the top itself.
  package let parts: [ArraySlice<UInt8>]

  /// The parts of any name, without a check.
  package init(unchecked raw: [UInt8]) {
    parts = raw.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
  }

  /// The parts of a name that is safe. `isWindows`: the format is one in which a backslash may separate folders.
  package init(_ raw: [UInt8], isWindows: Bool) throws(ArchiveFault.Reason) {
    self.init(unchecked: raw)
    if raw.isEmpty { throw .emptyName }
    if raw.first == UInt8(ascii: "/") { throw .absoluteName }
    if let control = Self.control(in: raw) { throw .controlCharacter(control) }
    if isWindows {
      if raw.contains(UInt8(ascii: "\\")) { throw .backslash }
      if raw.count > 1, raw[1] == UInt8(ascii: ":"), Self.isLetter(raw[0]) { throw .absoluteName }
    }
    if parts.contains(where: { $0.elementsEqual("..".utf8) }) { throw .leavesFolder }
    if raw.count > Self.longest || parts.contains(where: { $0.count > Self.longestPart }) {
      throw .nameTooLong
    }
    if parts.count > Self.mostFolders + 1 { throw .tooDeep(limit: Self.mostFolders) }
  }

  /// The first control character: of ASCII or of UTF-8's second block.
  static func control(in bytes: [UInt8]) -> UInt32? {
    if let byte = bytes.first(where: { $0 < 0x20 || $0 == 0x7f }) { return UInt32(byte) }
    for (first, second) in zip(bytes, bytes.dropFirst()) where first == 0xc2 && (0x80...0x9f).contains(second)
    {
      return UInt32(second)
    }
    return nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte & 0xdf) }

  /// The parts with slashes between them.
  static func joined(_ parts: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
    Array(parts.joined(separator: [UInt8(ascii: "/")]))
  }
}
