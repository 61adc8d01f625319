/// What an archive says about one of its entries.
package struct ArchiveEntry: Sendable, Equatable {
  /// What an entry is.
  package enum Kind: Sendable, Equatable {
    case file
    case folder
    /// `target` as the archive has it.
    case symbolicLink(target: [UInt8])
    /// `target` is the name of an earlier entry.
    case hardLink(target: [UInt8])
    case device, fifo, socket
  }

  /// The bytes of the name, as the archive has them; of a zip without its flag for UTF-8, decoded.
  package var name: [UInt8]
  /// The kind.
  package var kind: Kind
  /// Of the content, in bytes.
  package var size: Int64

  /// `size` is in bytes.
  package init(name: [UInt8], kind: Kind, size: Int64 = 0) {
    self.name = name
    self.kind = kind
    self.size = size
  }

  /// The name for people; bytes that are not UTF-8 are replaced.
  package var shownName: String { String(decoding: name, as: UTF8.self) }
}
