import StateStore
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// What every ``RecordStore`` does, in a file or in memory.
@Suite struct `A store of records` {
  enum Kind: CaseIterable { case file, memory }

  private func open(_ kind: Kind, in folder: TemporaryFolder) throws -> any RecordStore {
    switch kind {
    case .file: try StateStore.open(folder: folder.path, access: .readWrite)
    case .memory: MemoryRecords()
    }
  }

  private func record(_ output: String, _ number: Int) throws -> TargetRecord {
    let digest = HexDigest(bytes: Array(repeating: UInt8(truncatingIfNeeded: number), count: 32))
    let signature = FileSignature(
      size: Int64(number), modified: Timestamp(seconds: 1), changed: Timestamp(seconds: 2), inode: 3)
    return TargetRecord(
      name: TargetName("t-\(output)"), output: try RelativePath(output), definition: [], signature: signature,
      content: ContentIdentity(size: Int64(number), digests: [.sha256: digest]), download: nil,
      validators: Validators(etag: EntityTag("\"\(number)\""), url: "https://data.example/\(output)"),
      inputs: [], checkedAt: Timestamp(seconds: 4), updatedAt: Timestamp(seconds: 5))
  }

  @Test(arguments: Kind.allCases) func `keeps the last record of each output, in ascending order`(
    _ kind: Kind
  ) throws {
    let folder = try TemporaryFolder()
    let store = try open(kind, in: folder)
    try store.apply([.commit(record("b", 1)), .commit(record("a", 2)), .commit(record("b", 3))])
    #expect(try store.load(only: nil).records == [record("a", 2), record("b", 3)])
    #expect(try store.load(only: [RelativePath("b")]).records == [record("b", 3)])
    try store.apply([.forget(output: RelativePath("b"))])
    #expect(try store.load(only: nil).records == [record("a", 2)])
  }

  @Test(arguments: Kind.allCases) func `keeps an intention until it is settled`(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    let store = try open(kind, in: folder)
    try store.apply([.intend(record("a", 1)), .intend(record("b", 1)), .intend(record("c", 1))])
    #expect(try store.load(only: nil).pending.count == 3)
    #expect(try store.load(only: nil).records.isEmpty)
    try store.apply([.commit(record("a", 1)), .withdraw(output: RelativePath("b"))])
    #expect(try store.load(only: nil).pending == [record("c", 1)])
    #expect(try store.load(only: nil).records == [record("a", 1)])
  }

  /// Random changes leave the same in both.
  @Test func `in memory remembers what one in a file does`() throws {
    for seed in 0..<20 {
      var random = SeededGenerator(seed: 28, case: seed)
      let folder = try TemporaryFolder()
      let stores = try Kind.allCases.map { try open($0, in: folder) }
      var intended: Set<String> = []
      for step in 0..<12 {
        var changes: [StateChange] = []
        for _ in 0...random.below(3) {
          let output = ["a", "b", "c/d", "e"][random.below(4)]
          let path = try RelativePath(output)
          switch random.below(6) {
          // An output has one intention at a time.
          case 0 where intended.insert(output).inserted: changes.append(.intend(try record(output, step)))
          case 1:
            changes.append(.withdraw(output: path))
            intended.remove(output)
          case 2:
            changes.append(.forget(output: path))
            intended.remove(output)
          case 3:
            changes.append(
              .sidecar(
                SidecarRecord(
                  url: "https://data.example/\(output)", validators: Validators(url: ""), body: [UInt8(step)])
              ))
          default:
            changes.append(.commit(try record(output, step)))
            intended.remove(output)
          }
        }
        for store in stores { try store.apply(changes) }
        let snapshots = try stores.map { try $0.load(only: nil) }
        func pending(_ snapshot: StateSnapshot) -> [TargetRecord] {
          snapshot.pending.sorted { $0.output.text < $1.output.text }
        }
        #expect(snapshots[0].records == snapshots[1].records, "seed \(seed), step \(step)")
        #expect(pending(snapshots[0]) == pending(snapshots[1]), "seed \(seed), step \(step)")
        #expect(snapshots[0].sidecars == snapshots[1].sidecars, "seed \(seed), step \(step)")
      }
    }
  }
}
