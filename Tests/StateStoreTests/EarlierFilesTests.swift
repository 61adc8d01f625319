import Foundation
import SyncModel
import Testing

@testable import StateStore

/// The files in `EarlierFiles` are from a version whose state files did not share one codec: 16 targets, updated and
/// then confirmed.
@Suite struct `Files of an earlier program` {
  private let folder: StateFolder

  init() throws {
    folder = try StateFolder()
    let earlier = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "EarlierFiles")
    for name in ["state.db", "snapshot", "outline", "checked"] {
      try FileManager.default.copyItem(
        at: earlier.appendingPathComponent(name), to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }
  }

  /// The time of the last check is in a file of an earlier form, which costs a request at most.
  @Test func `have their records`() throws {
    let snapshot = try folder.snapshot(.readOnly)
    #expect(snapshot.records.count == 16)
    #expect(snapshot.noted.isEmpty)
    let digest = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    #expect(snapshot.records.allSatisfy { $0.content.sha256?.description == digest })
    let written = try folder.snapshot(.readWrite)
    #expect(written.records == snapshot.records)
  }

  /// They have an earlier form, so the next run makes its own instead.
  @Test func `have a snapshot and an outline that are not read`() throws {
    #expect(SnapshotFile.read(in: folder.path, isWorthIt: { _ in true }) == nil)
    #expect(SnapshotFile.key(in: folder.path) == nil)
    #expect(OutlineFile.read(in: folder.path, of: try SnapshotSample.make(targets: 16).premises) == nil)
  }
}
