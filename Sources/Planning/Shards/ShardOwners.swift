import SyncModel

/// Owners by target index.
enum ShardOwners {
  /// The owner of what several need.
  static let several: Int32 = -1
}

extension TargetGraph {
  /// Whose each target is, by index: `top` says it of those that no other of `selection` needs, all others belong to
  /// whoever alone needs them, else to ``ShardOwners/several``. The targets of a unit have one owner.
  ///
  /// - selection: in ``order``, with everything that its targets need and are published with.
  /// - shared: those that belong to several in any case.
  func owners(of selection: [TargetID], shared: [TargetID], top: (TargetID) -> Int32) -> [Int32] {
    var owners = [Int32](repeating: 0, count: order.count)
    for id in shared { owners[id.index] = ShardOwners.several }
    guard !isUnconnected else {
      for id in selection where owners[id.index] == 0 { owners[id.index] = top(id) }
      return owners
    }
    var unitOwners = [Int32](repeating: 0, count: units.count)
    for id in shared { if let unit = units.unit(of: id) { unitOwners[unit] = ShardOwners.several } }
    // Everybody who waits for a target, or for its unit, comes after all of the unit.
    for id in selection.reversed() {
      let unit = units.unit(of: id)
      var owner = unit.map { unitOwners[$0] } ?? owners[id.index]
      if owner == 0 { owner = top(id) }
      if let unit { unitOwners[unit] = owner }
      owners[id.index] = owner
      for edge in dependencies(of: id) {
        switch units.unit(of: edge.from) {
        case nil: Self.give(owner, to: &owners[edge.from.index])
        case unit: break
        case let other?: Self.give(owner, to: &unitOwners[other])
        }
      }
    }
    return owners
  }

  private static func give(_ owner: Int32, to present: inout Int32) {
    present = present == 0 || present == owner ? owner : ShardOwners.several
  }
}
