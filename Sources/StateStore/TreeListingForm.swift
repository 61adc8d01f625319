import SyncModel

/// A listing in bytes: the folder's signature and inode number, 0 if it is unknown, the number of entries, the entries.
///
/// An entry is its kind, its path, its signature if it has one, and what the kind has: size and digest, or target.
enum TreeListingForm {
  private static let form = SealedForm("synctre1")
  private static let digestSize = 32

  fileprivate enum Mark {
    static let file: UInt8 = 0
    static let executable: UInt8 = 1
    static let link: UInt8 = 2
    static let folder: UInt8 = 3
    /// Added to the kind.
    static let hasSignature: UInt8 = 0x80
  }

  /// Calls `write` with the pieces of a listing's bytes, and the offset of each in the file.
  static func encode<Failure: Error>(
    _ listing: TreeListing, write: ([UInt8], _ offset: Int64) throws(Failure) -> Void
  ) throws(Failure) {
    var file = SealedPieces(form)
    file.out.add(listing.signature)
    file.out.add(listing.folder ?? 0)
    file.out.add(UInt64(listing.entries.count))
    for place in listing.entries.indices {
      file.out.add(place, of: listing.entries)
      try file.pass(write)
    }
    try file.finish(write)
  }

  /// `nil` unless they are a listing's bytes, as they were written.
  static func decode(_ bytes: [UInt8]) -> TreeListing? {
    guard form.isIntact(bytes) else { return nil }
    return unsafe bytes.withUnsafeBytes {
      var reader = unsafe BinaryReader($0, at: SealedForm.contentOffset)
      return try? listing(&reader)
    }
  }

  /// The same for what a look needs.
  static func table(_ bytes: [UInt8]) -> TreeTable? {
    guard form.isIntact(bytes) else { return nil }
    return unsafe bytes.withUnsafeBytes {
      var reader = unsafe BinaryReader($0, at: SealedForm.contentOffset)
      return try? table(&reader)
    }
  }

  /// The listing's own signature; `nil` as for ``decode(_:)``.
  static func signature(_ bytes: [UInt8]) -> FileSignature? {
    guard form.isIntact(bytes) else { return nil }
    return unsafe bytes.withUnsafeBytes {
      var reader = unsafe BinaryReader($0, at: SealedForm.contentOffset)
      return try? Head(&reader).signature
    }
  }

  private static func listing(_ reader: inout BinaryReader) throws(DamagedData) -> TreeListing {
    let head = try Head(&reader)
    var entries = TreeEntries()
    entries.reserve(head.room(in: reader), pathBytes: reader.left / 2)
    try unsafe forEach(head.count, &reader) { (entry) throws(DamagedData) in
      unsafe entries.append(entry.path, entry.content, size: entry.size, entry.signature)
    }
    return TreeListing(entries, signature: head.signature, folder: head.folder)
  }

  private static func table(_ reader: inout BinaryReader) throws(DamagedData) -> TreeTable {
    let head = try Head(&reader)
    var table = TreeTable(
      signature: head.signature, folder: head.folder, reserving: head.room(in: reader),
      pathBytes: reader.left / 2)
    try unsafe forEach(head.count, &reader) { (entry) throws(DamagedData) in
      unsafe table.add(entry.path, entry.kind, entry.signature)
    }
    return table
  }

  /// What is before the entries.
  private struct Head {
    let signature: FileSignature
    let folder: UInt64?
    let count: UInt64

    init(_ reader: inout BinaryReader) throws(DamagedData) {
      signature = try reader.signature()
      let number = try reader.number(UInt64.self)
      folder = number == 0 ? nil : number
      count = try reader.number()
      // No entry takes less than one byte.
      guard count <= reader.left else { throw DamagedData() }
    }

    /// The number of entries for which to reserve memory: no more than there can be.
    func room(in reader: BinaryReader) -> Int { min(Int(count), reader.left / 16) }
  }

  /// An entry as it is in the file.
  @unsafe private struct RawEntry {
    let path: UnsafeRawBufferPointer
    let kind: TreeTable.Kind
    let isExecutable: Bool
    let signature: FileSignature?
    let size: Int64
    /// The digest of a file, the target of a link.
    let rest: UnsafeRawBufferPointer

    init(_ reader: inout BinaryReader) throws(DamagedData) {
      let mark = try reader.number(UInt8.self)
      unsafe path = try reader.take(Int64(try reader.number(UInt32.self)))
      unsafe signature = mark & Mark.hasSignature != 0 ? try reader.signature() : nil
      let kind = mark & ~Mark.hasSignature
      unsafe isExecutable = kind == Mark.executable
      switch kind {
      case Mark.file, Mark.executable:
        unsafe self.kind = .file
        unsafe size = try reader.number(Int64.self)
        unsafe rest = try reader.take(Int64(digestSize))
      case Mark.link:
        unsafe self.kind = .link
        unsafe size = 0
        unsafe rest = try reader.take(Int64(try reader.number(UInt32.self)))
      case Mark.folder:
        unsafe self.kind = .folder
        unsafe size = 0
        unsafe rest = try reader.take(0)
      default: throw DamagedData()
      }
    }

    /// The kind with what it has.
    var content: TreeListing.Entry.Kind {
      switch unsafe kind {
      case .file: .file(sha256: unsafe CompactDigest(bytes: rest), isExecutable: unsafe isExecutable)
      case .link: .link(target: unsafe Array(rest))
      case .folder: .folder
      }
    }
  }

  private static func forEach(
    _ count: UInt64, _ reader: inout BinaryReader, _ body: (RawEntry) throws(DamagedData) -> Void
  ) throws(DamagedData) {
    for _ in 0..<count { try unsafe body(RawEntry(&reader)) }
    guard reader.isAtEnd else { throw DamagedData() }
  }
}

extension BinaryWriter {
  fileprivate mutating func add(_ signature: FileSignature) {
    add(signature.size)
    add(signature.modified.nanoseconds)
    add(signature.changed.nanoseconds)
    add(signature.inode)
  }

  private mutating func add(text bytes: UnsafeRawBufferPointer) {
    add(UInt32(bytes.count))
    unsafe self.bytes.append(contentsOf: bytes)
  }

  fileprivate mutating func add(_ place: Int, of entries: TreeEntries) {
    let (kind, signature) = (entries.kind(at: place), entries.signature(at: place))
    let mark =
      switch kind {
      case .file(_, isExecutable: false): TreeListingForm.Mark.file
      case .file(_, isExecutable: true): TreeListingForm.Mark.executable
      case .link: TreeListingForm.Mark.link
      case .folder: TreeListingForm.Mark.folder
      }
    add(signature == nil ? mark : mark | TreeListingForm.Mark.hasSignature)
    unsafe entries.withPath(at: place) { unsafe add(text: $0) }
    if let signature { add(signature) }
    switch kind {
    case .file(let sha256, _):
      add(entries.size(at: place))
      unsafe sha256.withBytes { unsafe bytes.append(contentsOf: $0) }
    case .link(let target): unsafe target.withUnsafeBytes { unsafe add(text: $0) }
    case .folder: break
    }
  }
}

extension BinaryReader {
  fileprivate mutating func signature() throws(DamagedData) -> FileSignature {
    FileSignature(
      size: try number(), modified: Timestamp(nanoseconds: try number()),
      changed: Timestamp(nanoseconds: try number()), inode: try number())
  }
}
