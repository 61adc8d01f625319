import Foundation
import Platform
import SyncModel
import Testing

@testable import StateStore

@Suite struct `The listings of folders` {
  private let key = String(repeating: "0f", count: 16)

  static func signature(_ number: UInt64) -> FileSignature {
    FileSignature(
      size: Int64(number), modified: Timestamp(nanoseconds: Int64(number) &* 1_000_000_007),
      changed: Timestamp(nanoseconds: .min), inode: .max - number)
  }

  static func digest(_ number: UInt8) -> HexDigest { HexDigest(bytes: (0..<32).map { $0 &* 7 &+ number }) }

  private func sample(_ number: UInt64 = 5) -> TreeListing {
    TreeListing(
      [
        .init(
          path: Array("a b/ü".utf8), kind: .file(sha256: CompactDigest(Self.digest(1)), isExecutable: true),
          size: 1 << 40,
          signature: Self.signature(7)),
        .init(
          path: [0xFF, 0x2F, 0x01], kind: .file(sha256: CompactDigest(Self.digest(2)), isExecutable: false),
          size: 0),
        .init(path: Array("l".utf8), kind: .link(target: [0xFE, 0x2E]), signature: Self.signature(9)),
        .init(path: Array("m".utf8), kind: .link(target: [])),
        .init(path: Array("z".utf8), kind: .folder),
      ], signature: Self.signature(number), folder: number == 5 ? nil : .max - number)
  }

  @Test func `are read as they were written`() throws {
    let folder = try StateFolder()
    let shelf = TreeShelf(stateFolder: folder.path)
    #expect(shelf.read(key) == [])
    try shelf.promote(key)
    try shelf.write(sample(1), as: key)
    #expect(shelf.read(key) == [sample(1)])
    try shelf.write(sample(2), as: key, isNext: true)
    #expect(shelf.read(key) == [sample(2), sample(1)])
    for (stored, listing) in zip(shelf.stored(key), [sample(2), sample(1)]) {
      #expect(stored.listing == listing)
      let table = stored.table
      #expect(table.signature == listing.signature && table.folder == listing.folder)
      #expect(table.rows.map(table.path(of:)) == listing.entries.map(\.path))
      #expect(table.rows.map(\.signature) == listing.entries.map(\.signature))
      #expect(table.rows.map(\.kind) == listing.entries.map { TreeTable.Kind($0.kind) })
    }
    let other = String(repeating: "0a", count: 16)
    try shelf.write(TreeListing([], signature: Self.signature(3)), as: other, isNext: true)
    try shelf.promote(key)
    #expect(shelf.read(key) == [sample(2)])
    #expect(shelf.read(other) == [TreeListing([], signature: Self.signature(3))])
    shelf.remove(key)
    #expect(shelf.read(key) == [] && shelf.read(other).count == 1)
    shelf.remove(other)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/trees") == [])
  }

  @Test func `are missing, or cannot be read, which is another thing`() throws {
    let folder = try StateFolder()
    let shelf = TreeShelf(stateFolder: folder.path)
    #expect(try shelf.present(key) == nil)
    try shelf.write(sample(), as: key)
    #expect(try shelf.present(key) == sample())
    let path = folder.path + "/trees/" + key
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    #expect(throws: StateFault.self) { try shelf.present(key) }
    // A file whose attributes the disk does not give is not taken for one of another kind.
    #expect(throws: SystemError(EBADF)) { try Descriptor(owning: -1).regularSize }
  }

  @Test func `are not written where that is impossible`() throws {
    let folder = try StateFolder()
    try Data().write(to: URL(fileURLWithPath: folder.path + "/trees"))
    let fault = #expect(throws: StateFault.self) {
      try TreeShelf(stateFolder: folder.path).write(sample(), as: key)
    }
    #expect(fault?.systemError == ENOTDIR)
    #expect(fault?.path == folder.path + "/trees/" + key)
  }

  private func encoded(_ listing: TreeListing) -> [UInt8] {
    var file: [UInt8] = []
    TreeListingForm.encode(listing) { piece, offset in
      let place = Int(offset)..<(Int(offset) + piece.count)
      file += Array(repeating: 0, count: max(0, place.upperBound - file.count))
      file.replaceSubrange(place, with: piece)
    }
    return file
  }

  @Test func `are written in pieces`() throws {
    let entries = (0..<5_000).map { number in
      TreeListing.Entry(
        path: Array("folder/\(number)".utf8),
        kind: .file(sha256: CompactDigest(Self.digest(1)), isExecutable: false),
        size: Int64(number), signature: number % 3 == 0 ? nil : Self.signature(UInt64(number)))
    }
    let listing = TreeListing(entries, signature: Self.signature(7), folder: 8)
    var sizes: [Int] = []
    TreeListingForm.encode(listing) { piece, _ in sizes.append(piece.count) }
    #expect(sizes.count > 2)
    #expect(sizes.allSatisfy { $0 < 300_000 })
    let folder = try StateFolder()
    let shelf = TreeShelf(stateFolder: folder.path)
    try shelf.write(listing, as: key)
    #expect(shelf.read(key) == [listing])
  }

  @Test func `are ignored if they are damaged`() throws {
    let whole = encoded(sample())
    #expect(TreeListingForm.decode(whole) == sample())
    for index in whole.indices {
      for bit in 0..<8 {
        var damaged = whole
        damaged[index] ^= 1 << UInt8(bit)
        #expect(TreeListingForm.decode(damaged) == nil, "byte \(index)")
      }
    }
    for count in whole.indices {
      #expect(TreeListingForm.decode(Array(whole[..<count])) == nil, "\(count) bytes")
      #expect(TreeListingForm.table(Array(whole[..<count])) == nil, "\(count) bytes")
    }
    #expect(TreeListingForm.decode(whole + [0]) == nil)
    let folder = try StateFolder()
    let shelf = TreeShelf(stateFolder: folder.path)
    try shelf.write(sample(), as: key)
    try shelf.write(sample(), as: key, isNext: true)
    #expect(truncate(folder.path + "/trees/\(key).next", 40) == 0)
    #expect(shelf.read(key) == [sample()])
    // A file that consists only of a length.
    #expect(truncate(folder.path + "/trees/\(key)", 1 << 43) == 0)
    #expect(shelf.read(key) == [])
  }

  @Test func `do no harm if they are forged`() {
    let whole = encoded(sample())
    // With the right sum each change is read, and none may crash.
    for index in whole.indices.dropFirst(SealedForm.contentOffset) {
      for value in [0, 1, 2, 3, 4, 0x7F, 0x80, 0xFF] as [UInt8] {
        var forged = BinaryWriter(bytes: whole)
        forged.bytes[index] = value
        forged.set(0 as UInt64, at: SealedForm.sumOffset)
        let bytes = SealedForm.sealed(forged)
        #expect((TreeListingForm.decode(bytes) == nil) == (TreeListingForm.table(bytes) == nil))
      }
    }
    for count in SealedForm.contentOffset..<whole.count {
      let cut = SealedForm.sealed(BinaryWriter(bytes: Array(whole[..<count])))
      #expect(TreeListingForm.decode(cut) == nil, "\(count) bytes")
      #expect(TreeListingForm.table(cut) == nil, "\(count) bytes")
    }
  }
}
