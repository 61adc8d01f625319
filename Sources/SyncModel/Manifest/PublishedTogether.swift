/// The units of a manifest: targets whose outputs change in one step, or not at all (contract, section 10).
///
/// Each group that is published together is a unit, unless it has only one target, which is published as any other.
package struct PublishedTogether: Sendable {
  private struct Unit: Sendable {
    var name: TargetName
    var members: [TargetID]
  }

  private var units: [Unit] = []
  /// By target index; empty without units, so that a manifest without them costs nothing.
  private var numbers: [Int32] = []

  /// A target that is in two groups that are published together.
  package struct Overlap: Sendable, Equatable {
    /// The first such target in ``second``.
    package var target: TargetID
    /// The earlier group.
    package var first: TargetName
    /// The later group.
    package var second: TargetGroup
  }

  /// Targets that are in two such groups, one for each group that has such; they count for the earlier unit.
  private(set) package var overlaps: [Overlap] = []

  /// The units of these groups of a manifest with so many targets.
  package init(_ groups: [TargetGroup], targets: Int) {
    // By target index, the first group; one with a single target counts here, too.
    var owners: [Int32] = []
    for (number, group) in groups.enumerated() where group.isTogether {
      if owners.isEmpty { owners = Array(repeating: -1, count: targets) }
      if let shared = group.members.first(where: { owners[$0.index] >= 0 }) {
        let first = groups[Int(owners[shared.index])].name
        overlaps.append(Overlap(target: shared, first: first, second: group))
      }
      for id in group.members where owners[id.index] < 0 { owners[id.index] = Int32(number) }
      guard group.members.count > 1 else { continue }
      if numbers.isEmpty { numbers = Array(repeating: -1, count: targets) }
      for id in group.members where numbers[id.index] < 0 { numbers[id.index] = Int32(units.count) }
      units.append(Unit(name: group.name, members: group.members))
    }
  }

  /// Whether every target is published alone.
  package var isEmpty: Bool { units.isEmpty }

  /// The number of units, which have the numbers from 0.
  package var count: Int { units.count }

  /// The unit of a target; `nil` if it is published alone.
  package func unit(of id: TargetID) -> Int? {
    guard !numbers.isEmpty, numbers[id.index] >= 0 else { return nil }
    return Int(numbers[id.index])
  }

  /// The unit that a target waits for because it needs `dependency`; `nil` if it waits for that target alone.
  ///
  /// A member sees the new content of another, which nobody else does before it is published.
  package func unit(of dependency: TargetID, neededBy id: TargetID) -> Int? {
    guard !numbers.isEmpty, numbers[dependency.index] != numbers[id.index] else { return nil }
    return unit(of: dependency)
  }

  /// The targets of a unit, in the order of its group.
  package func members(of unit: Int) -> [TargetID] { units[unit].members }

  /// These targets, and those that are published together with one of them.
  package func withFellows(_ targets: Set<TargetID>) -> Set<TargetID> {
    let found = Set(targets.compactMap { unit(of: $0) })
    return found.reduce(into: targets) { $0.formUnion(members(of: $1)) }
  }

  /// The name of a unit's group.
  package func name(of unit: Int) -> TargetName { units[unit].name }
}
