import Foundation
import SyncModel
import SyncTestSupport
import Testing

@testable import StateStore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct `A manifest's outline in its file` {
  private let outline = {
    var outline = ManifestOutline(parts: (1...20).map(part), hasTail: true, margin: 1, indent: 4)
    outline.expandedSize = 1 << 28
    return outline
  }()

  private static func part(_ number: UInt64) -> ManifestOutline.Part {
    ManifestOutline.Part(
      length: UInt32(number * 1000), sum: number &* 0x9E37_79B9_7F4A_7C15, meaning: number << 40,
      name: number << 20)
  }

  private func premises() throws -> SnapshotPremises { try SnapshotSample.make(targets: 3).premises }

  @Test func `is read as it was written`() throws {
    let folder = try StateFolder()
    var premises = try premises()
    #expect(!OutlineFile.exists(in: folder.path))
    #expect(OutlineFile.read(in: folder.path, of: premises) == nil)
    OutlineFile.write(outline, of: premises, in: folder.path)
    #expect(OutlineFile.exists(in: folder.path))
    #expect(OutlineFile.read(in: folder.path, of: premises) == outline)
    // Of no other manifest, and under no other key.
    premises.manifest.hash ^= 1
    #expect(OutlineFile.read(in: folder.path, of: premises) == nil)
    premises.manifest.hash ^= 1
    premises.key.words.0 ^= 1
    #expect(OutlineFile.read(in: folder.path, of: premises) == nil)
  }

  @Test func `is written with the snapshot and kept up to date with it`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(1))])
    let state = try #require(StateIdentity(folder: folder.path))
    let premises = try premises()
    SnapshotFile.write(CompiledSnapshot(premises, outline: outline), of: state, in: folder.path)
    #expect(try folder.names() == ["outline", "snapshot", "state.db"])
    let image = try #require(SnapshotFile.read(in: folder.path, isWorthIt: { _ in true }))
    #expect(OutlineFile.read(in: folder.path, of: image.premises) == outline)

    var edited = EditedManifest(sum: ByteSum.Value(count: 700, hash: 8), outline: outline)
    edited.outline.parts[3].length += 1
    let period = TimeSpan(from: Timestamp(nanoseconds: 3), until: Timestamp(nanoseconds: 5))
    SnapshotFile.refresh(image, for: edited, period: period, in: folder.path)
    let next = try #require(SnapshotFile.read(in: folder.path, isWorthIt: { $0 == 700 }))
    #expect(next.premises.manifest == edited.sum)
    #expect(next.period == period)
    #expect(next.premises.environment == image.premises.environment)
    #expect(SnapshotFile.isStateUnchanged(next, in: folder.path))
    // The state was written a moment ago, so that its times are not enough.
    #expect(next.stateSum == image.stateSum && next.stateSum != nil)
    #expect(OutlineFile.read(in: folder.path, of: next.premises) == edited.outline)
    #expect(OutlineFile.read(in: folder.path, of: image.premises) == nil)

    // An outline that no snapshot needs any more is removed.
    SnapshotFile.write(CompiledSnapshot(premises), of: state, in: folder.path)
    #expect(try folder.names() == ["snapshot", "state.db"])
  }

  @Test func `is not read if it is longer than allowed`() throws {
    let folder = try StateFolder()
    let premises = try premises()
    OutlineFile.write(outline, of: premises, in: folder.path)
    // A file that consists only of a length: no machine has so much memory.
    #expect(truncate(folder.path + "/outline", 1 << 43) == 0)
    #expect(OutlineFile.read(in: folder.path, of: premises) == nil)
  }

  @Test func `is ignored if it is damaged`() throws {
    let folder = try StateFolder()
    let premises = try premises()
    OutlineFile.write(outline, of: premises, in: folder.path)
    let path = folder.path + "/outline"
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 1 << UInt8(index % 8)
      try Data(damaged).write(to: URL(fileURLWithPath: path))
      #expect(OutlineFile.read(in: folder.path, of: premises) == nil, "byte \(index)")
    }
    for count in whole.indices {
      try Data(whole[..<count]).write(to: URL(fileURLWithPath: path))
      #expect(OutlineFile.read(in: folder.path, of: premises) == nil, "\(count) bytes")
    }
  }

  @Test func `does no harm if it is forged`() throws {
    let folder = try StateFolder()
    let premises = try premises()
    for parts in [0, 1] {
      var lies = outline
      lies.parts = Array(repeating: .init(length: .max, sum: 0, meaning: 0, name: 0), count: parts)
      lies.indent = .max
      lies.margin = .max
      OutlineFile.write(lies, of: premises, in: folder.path)
      #expect(OutlineFile.read(in: folder.path, of: premises) == (parts == 0 ? nil : lies))
      // The read data is extended.
      lies.expandedSize = .max
      OutlineFile.write(lies, of: premises, in: folder.path)
      #expect(OutlineFile.read(in: folder.path, of: premises) == nil)
    }
  }
}
