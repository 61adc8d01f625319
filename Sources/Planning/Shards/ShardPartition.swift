package import SyncModel

/// Which shard owns each selected target: a function of the expanded manifest, the selection, the lock, the total and
/// the division (contract, section 13).
///
/// Targets that no other selected target needs are dealt out, and each takes along what only it needs. Those with the
/// same first URL go together, and so do targets that are published together. What the targets of two shards need is
/// shared: ``Shard/Part/seed`` makes it before them, and so are the targets of values. Why it is done so: docs/decisions/0040.
package struct ShardPartition: Sendable {
  /// Whose a target is.
  package enum Owner: Sendable, Equatable {
    /// Nobody's: the target is not selected.
    case nobody
    /// Of the shard with this number, from 1.
    case shard(Int)
    /// Of several, so that seed makes it.
    case shared
  }

  /// Why the targets cannot be divided.
  package enum Fault: Error, Sendable, Equatable {
    /// ``Shard/Division/size`` needs the sizes in a lock, and there is none.
    case noLock
  }

  /// The number of shards.
  package let total: Int
  /// How the targets are divided.
  package let division: Shard.Division
  /// A digest of the targets, their definitions, rules, locked versions and owners: 32 hexadecimal digits. Two runs that have
  /// the same one have divided the same.
  package let digest: String
  /// The selected targets, in the graph's order.
  package let selection: [TargetID]
  /// By target index: 0 for none, -1 for shared, else the shard's number.
  private let owners: [Int32]

  /// - selection: what ``Selection/resolve(names:tags:manifest:graph:)`` has given.
  /// - lock: needed for the sizes, and part of the digest; `nil` if there is none.
  package init(
    _ selection: [TargetID], _ manifest: Manifest, _ graph: TargetGraph, lock: LockFile?, total: Int,
    by division: Shard.Division
  ) throws(Fault) {
    if division == .size, lock == nil { throw .noLock }
    self.total = total
    self.division = division
    self.selection = selection
    let dealer = ShardDealer(selection, manifest, graph, lock, division)
    owners = graph.owners(of: selection, shared: dealer.shared, top: dealer.dealt(to: total))
    digest = Self.digest(selection, manifest, lock, owners, total, division)
  }

  /// Whose the target is.
  package func owner(of id: TargetID) -> Owner {
    switch owners[id.index] {
    case 0: .nobody
    case ShardOwners.several: .shared
    case let number: .shard(Int(number))
    }
  }

  /// What a shard runs: the targets that it owns and, for another one than seed, the shared ones that these need; in
  /// the graph's order.
  ///
  /// Seed runs the shared ones. What these need is shared, too.
  package func targets(of part: Shard.Part, in graph: TargetGraph) -> [TargetID] {
    switch part {
    case .seed: selection.filter { owners[$0.index] == ShardOwners.several }
    case .number(let number):
      graph.isUnconnected
        ? selection.filter { owners[$0.index] == number }
        : Selection.closure(of: selection.filter { owners[$0.index] == number }, in: graph)
    }
  }

  /// The shared targets that no other selected one needs: those of values that are locked.
  package func neededByNone(in graph: TargetGraph) -> [TargetID] {
    let owned = selection.filter { owners[$0.index] > 0 }
    let needed = Set(Selection.closure(of: owned, in: graph))
    return selection.filter { owners[$0.index] == ShardOwners.several && !needed.contains($0) }
  }

  /// The number of targets that each shard owns, the first being that of seed.
  package var counts: [Int] {
    var counts = [Int](repeating: 0, count: total + 1)
    for id in selection { counts[max(0, Int(owners[id.index]))] += 1 }
    return counts
  }

  /// A short digest of what the command line selects, in any order: 8 hexadecimal digits; `nil` if that is everything.
  package static func mark(names: [String], tags: [String]) -> String? {
    guard !names.isEmpty || !tags.isEmpty else { return nil }
    var sum = PartitionSum()
    for name in Set(names.map { ByteString($0) }).map(\.text).sorted() { sum.add(name) }
    sum.add(Int64(0))
    for tag in Set(tags.map { ByteString($0) }).map(\.text).sorted() { sum.add(tag) }
    return String(sum.text.prefix(8))
  }

  private static func digest(
    _ selection: [TargetID], _ manifest: Manifest, _ lock: LockFile?, _ owners: [Int32], _ total: Int,
    _ division: Shard.Division
  ) -> String {
    var sum = PartitionSum()
    sum.add("syncmake.partition/2")
    sum.add(division.rawValue)
    sum.add(Int64(total))
    for id in selection where !manifest[id].isOfState {
      let target = manifest[id]
      sum.add(target.name.text)
      for field in Definition.fields(of: target, in: manifest) where field.isDefining {
        sum.add(field.name)
        sum.add(field.value)
      }
      sum.add(target, in: manifest)
      if let pin = lock?.pins[target.name] { sum.add(pin.output.sha256.text) }
      sum.add(Int64(owners[id.index]))
    }
    return sum.text
  }
}

extension PartitionSum {
  /// What decides about the target beside its definition: of two manifests that differ in it, each may be right about the
  /// files, and they are not one.
  fileprivate mutating func add(_ target: Target, in manifest: Manifest) {
    add(target.freshness, in: manifest)
    // In one number, since a million rows have it.
    add(
      (target.mode.map { Int64($0) + 1 } ?? 0) | (target.isOptional ? 1 << 16 : 0)
        | (target.localChanges == .keep ? 1 << 17 : target.localChanges == .overwrite ? 1 << 18 : 0))
    for need in target.needs {
      add(Int64(1))
      add(manifest[need].name.text)
    }
    for earlier in target.after {
      add(Int64(2))
      add(manifest[earlier].name.text)
    }
    // Their values may be another in each task of a scheduler.
    for header in target.headers { add(header.name) }
  }

  private mutating func add(_ rule: FreshnessRule?, in manifest: Manifest) {
    switch rule {
    case nil: add(Int64(0))
    case .etag: add(Int64(1))
    case .mtime: add(Int64(2))
    case .once: add(Int64(3))
    case .always: add(Int64(4))
    case .interval(let period, let then):
      add(Int64(5))
      add(period.components.seconds)
      add(period.components.attoseconds)
      add(then, in: manifest)
    case .digest(let digest):
      add(Int64(6))
      add(digest.algorithm.rawValue)
      add(Definition.spelling(of: digest.expected, in: manifest))
      add(digest.of.rawValue)
    }
  }
}
