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
  /// The nine permission bits; `nil` if the archive has none.
  package var mode: UInt16?
  /// `nil` if the archive has no usable time.
  package var modified: Timestamp?

  /// `size` is in bytes.
  package init(
    name: [UInt8], kind: Kind, size: Int64 = 0, mode: UInt16? = nil, modified: Timestamp? = nil
  ) {
    self.name = name
    self.kind = kind
    self.size = size
    self.mode = mode.map { $0 & 0o777 }
    self.modified = modified
  }

  /// Whether any of the three x bits is set; `nil` if the archive has no modes.
  package var isExecutable: Bool? { mode.map { $0 & 0o111 != 0 } }

  /// The name for people; bytes that are not UTF-8 are replaced.
  package var shownName: String { String(decoding: name, as: UTF8.self) }
}
