import SyncModel

/// A listing in bytes: the folder's signature and inode number, 0 if it is unknown, the number of entries, the entries.
///
/// An entry is its kind, its path, its signature if it has one, and what the kind has: size and digest, or target.
enum TreeListingForm {
  private static let form = SealedForm("synctre1")
  private static let digestSize = 32
  /// A common path with what comes with it; only memory is reserved by it.
  private static let usualSize = 128

  private enum Mark {
    static let file: UInt8 = 0
    static let executable: UInt8 = 1
    static let link: UInt8 = 2
    static let folder: UInt8 = 3
    /// Added to the kind.
    static let hasSignature: UInt8 = 0x80
  }

  static func encode(_ listing: TreeListing) -> [UInt8] {
    var out = form.writer(.random(), reserving: 64 + listing.entries.count * usualSize)
    out.add(listing.signature)
    out.add(listing.folder ?? 0)
    out.add(UInt64(listing.entries.count))
    for entry in listing.entries { out.add(entry) }
    return SealedForm.sealed(out)
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

  private static func listing(_ reader: inout BinaryReader) throws(DamagedData) -> TreeListing {
    let head = try Head(&reader)
    var entries: [TreeListing.Entry] = []
    entries.reserveCapacity(head.room(in: reader))
    try unsafe forEach(head.count, &reader) { (entry) throws(DamagedData) in
      unsafe entries.append(entry.asEntry)
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

    var asEntry: TreeListing.Entry {
      let kind: TreeListing.Entry.Kind =
        switch unsafe kind {
        case .file: .file(sha256: unsafe HexDigest(bytes: rest), isExecutable: unsafe isExecutable)
        case .link: .link(target: unsafe Array(rest))
        case .folder: .folder
        }
      return unsafe TreeListing.Entry(path: Array(path), kind: kind, size: size, signature: signature)
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

  fileprivate mutating func add(text bytes: [UInt8]) {
    add(UInt32(bytes.count))
    self.bytes += bytes
  }

  fileprivate mutating func add(_ entry: TreeListing.Entry) {
    let signed: UInt8 = entry.signature == nil ? 0 : 0x80
    func start(_ kind: UInt8) -> UInt8 { kind | signed }
    switch entry.kind {
    case .file(_, let isExecutable): add(start(isExecutable ? 1 : 0))
    case .link: add(start(2))
    case .folder: add(start(3))
    }
    add(text: entry.path)
    if let signature = entry.signature { add(signature) }
    switch entry.kind {
    case .file(let sha256, _):
      add(entry.size)
      add(digest: sha256)
    case .link(let target): add(text: target)
    case .folder: break
    }
  }

  /// The bytes of a sha256.
  private mutating func add(digest: HexDigest) {
    precondition(digest.text.utf8.count == DigestAlgorithm.sha256.hexCount)
    var high: UInt8?
    for digit in digest.text.utf8 {
      let value = digit < 0x3A ? digit - 0x30 : digit - 0x57
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
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
