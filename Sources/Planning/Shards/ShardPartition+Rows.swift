package import SyncModel

extension ShardPartition {
  /// One shard of the partition.
  package struct Row: Sendable, Equatable {
    /// Which one.
    package var shard: Shard
    /// The number of targets that it owns.
    package var targets: Int
    /// The number of shared targets that these need.
    package var needs: Int
    /// What the lock says that it downloads; `nil` without a lock.
    package var bytes: Int64?
  }

  /// Seed, and then each shard.
  package func rows(_ manifest: Manifest, _ graph: TargetGraph, lock: LockFile?) -> [Row] {
    let counts = counts
    var bytes = [Int64](repeating: 0, count: total + 1)
    if let lock {
      for id in selection {
        let (number, size) = (number(of: id), lock.pins[manifest[id].name]?.download?.size ?? 0)
        bytes[number] = bytes[number].addingUpToMost(size)
      }
    }
    let hasShared = counts[0] > 0
    return (0...total).map { number in
      let part: Shard.Part = number == 0 ? .seed : .number(number)
      return Row(
        shard: Shard(part, of: total, by: division), targets: counts[number],
        needs: hasShared && number > 0 ? targets(of: part, in: graph).count - counts[number] : 0,
        bytes: lock == nil ? nil : bytes[number])
    }
  }

  /// The shard's number, and 0 for seed.
  private func number(of id: TargetID) -> Int {
    if case .shard(let number) = owner(of: id) { number } else { 0 }
  }
}
