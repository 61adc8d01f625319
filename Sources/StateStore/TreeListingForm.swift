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
      return try? content(&reader)
    }
  }

  private static func content(_ reader: inout BinaryReader) throws(DamagedData) -> TreeListing {
    let signature = try reader.signature()
    let folder = try reader.number(UInt64.self)
    let count = try reader.number(UInt64.self)
    var entries: [TreeListing.Entry] = []
    // No entry takes less than one byte.
    guard count <= reader.left else { throw DamagedData() }
    entries.reserveCapacity(min(Int(count), reader.left / 16))
    for _ in 0..<count { entries.append(try entry(&reader)) }
    guard reader.isAtEnd else { throw DamagedData() }
    return TreeListing(entries, signature: signature, folder: folder == 0 ? nil : folder)
  }

  private static func entry(_ reader: inout BinaryReader) throws(DamagedData) -> TreeListing.Entry {
    let mark = try reader.number(UInt8.self)
    let path = try reader.bytes()
    let signature = mark & Mark.hasSignature != 0 ? try reader.signature() : nil
    switch mark & ~Mark.hasSignature {
    case let kind where kind == Mark.file || kind == Mark.executable:
      let size = try reader.number(Int64.self)
      let digest = unsafe HexDigest(bytes: try reader.take(Int64(digestSize)))
      return TreeListing.Entry(
        path: path, kind: .file(sha256: digest, isExecutable: kind == Mark.executable), size: size,
        signature: signature)
    case Mark.link:
      return TreeListing.Entry(path: path, kind: .link(target: try reader.bytes()), signature: signature)
    case Mark.folder: return TreeListing.Entry(path: path, kind: .folder, signature: signature)
    default: throw DamagedData()
    }
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

  fileprivate mutating func bytes() throws(DamagedData) -> [UInt8] {
    let count = try number(UInt32.self)
    return unsafe Array(try take(Int64(count)))
  }
}
