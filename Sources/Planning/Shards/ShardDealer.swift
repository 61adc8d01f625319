import SyncModel

/// Deals the targets that no other needs out to the shards.
struct ShardDealer {
  private let selection: [TargetID]
  private let manifest: Manifest
  private let graph: TargetGraph
  private let lock: LockFile?
  private let division: Shard.Division
  /// The targets of values: which shard another target is in may depend on them, so that they come before all shards.
  let shared: [TargetID]
  /// The keys of units, by number.
  private var unitKeys: [UInt64] = []
  /// The keys of URLs of units that are not the unit's own key.
  private var aliases: [UInt64: UInt64] = [:]

  init(
    _ selection: [TargetID], _ manifest: Manifest, _ graph: TargetGraph, _ lock: LockFile?,
    _ division: Shard.Division
  ) {
    self.selection = selection
    self.manifest = manifest
    self.graph = graph
    self.lock = lock
    self.division = division
    let values = Set(manifest.values.map(\.target))
    shared = values.isEmpty ? [] : selection.filter { values.contains(manifest[$0].name) }
    joinUnits()
  }

  /// The shard, from 1, of each target that no other needs.
  func dealt(to total: Int) -> (TargetID) -> Int32 {
    if total == 1 { return { _ in 1 } }
    // From 16 shards to 32, each is cut in two.
    func byHash(_ id: TargetID) -> Int32 {
      Int32(key(of: id).multipliedFullWidth(by: UInt64(total)).high) + 1
    }
    if division == .hash { return byHash }
    // What depends on the state must not move what all shards have.
    let present = selection.filter { !manifest[$0].isOfState }
    let groups = ShardGroups(present, graph, shared: shared, key: key(of:), weight: weights(of: present))
    let shards = groups.shards(total)
    return { manifest[$0].isOfState ? byHash($0) : shards[groups.index(of: key(of: $0))] }
  }

  /// Equal for targets that go together.
  private func key(of id: TargetID) -> UInt64 {
    if let unit = graph.units.unit(of: id) { return unitKeys[unit] }
    let own = ownKey(of: id)
    return aliases.isEmpty ? own : aliases[own] ?? own
  }

  private func ownKey(of id: TargetID) -> UInt64 {
    let target = manifest[id]
    // As it had before it left its list, so that the shard that has its record removes it.
    if let gone = target.gone { return PartitionSum.key("\(gone.template)\n\(gone.key)") }
    if division == .host, let host = host(of: target) { return PartitionSum.key(host) }
    // An entry is itself also in a new version, whose URL is another one.
    if case .entry(let entry) = target.source { return PartitionSum.key("\(entry.template)\n\(entry.key)") }
    // A signature or a secret may be another one on each machine.
    let text = target.source.mirrors?.first.map(\.shown) ?? target.name.text
    return PartitionSum.key(manifest.secrets.isEmpty ? text : manifest.secrets.mask(text))
  }

  /// That of the first URL, also of one that it comes from by way of others; `nil` for local files.
  private func host(of target: Target) -> String? {
    var source = target.source
    // The parser has refused circles.
    while case .target(let id) = source { source = manifest[id].source }
    guard case .web(let url)? = source.mirrors?.first else { return nil }
    return WebURL.host(of: url).lowercased()
  }

  /// A unit has the least of its targets' keys, and all of them lead to it: also those of other units then.
  private mutating func joinUnits() {
    guard !graph.units.isEmpty else { return }
    func root(_ key: UInt64) -> UInt64 {
      var key = key
      while let next = aliases[key], next != key { key = next }
      return key
    }
    for unit in 0..<graph.units.count {
      let roots = graph.units.members(of: unit).map { root(ownKey(of: $0)) }
      guard let least = roots.min() else { continue }
      for other in roots { aliases[other] = least }
      unitKeys.append(least)
    }
    // What was joined later has another root.
    for key in aliases.keys.sorted() { aliases[key] = root(key) }
    unitKeys = unitKeys.map { aliases[$0] ?? $0 }
  }

  /// What each target counts: one, and its bytes if sizes decide.
  private func weights(of present: [TargetID]) -> (TargetID) -> Int64 {
    guard division == .size, let lock else { return { _ in 1 } }
    func size(_ id: TargetID) -> Int64? {
      lock.pins[manifest[id].name].map { $0.download?.size ?? 0 }
    }
    let known = present.compactMap(size).sorted()
    let median = known.isEmpty ? 0 : known[known.count / 2]
    // So that empty files are spread, too.
    return { (size($0) ?? median).addingUpToMost(1) }
  }
}

/// Targets that go together, and what they weigh.
private struct ShardGroups {
  /// From 1, by key.
  private var numbers: [UInt64: Int32] = [:]
  private var keys: [UInt64] = []
  private var weights: [Int64] = []

  init(
    _ selection: [TargetID], _ graph: TargetGraph, shared: [TargetID], key: (TargetID) -> UInt64,
    weight: (TargetID) -> Int64
  ) {
    var numbers: [UInt64: Int32] = [:]
    var keys: [UInt64] = []
    numbers.reserveCapacity(selection.count)
    let owners = graph.owners(of: selection, shared: shared) { id in
      let key = key(id)
      if let number = numbers[key] { return number }
      keys.append(key)
      numbers[key] = Int32(keys.count)
      return Int32(keys.count)
    }
    var weights = [Int64](repeating: 0, count: keys.count)
    // What several need does not count: whether it is shared depends on how these are dealt.
    for id in selection where owners[id.index] > 0 {
      let group = Int(owners[id.index]) - 1
      weights[group] = weights[group].addingUpToMost(weight(id))
    }
    (self.numbers, self.keys, self.weights) = (numbers, keys, weights)
  }

  /// The group with this key, from 0.
  func index(of key: UInt64) -> Int { Int(numbers[key] ?? 1) - 1 }

  /// The shard of each group: the heaviest first, onto the lightest shard.
  func shards(_ total: Int) -> [Int32] {
    var shards = [Int32](repeating: 0, count: keys.count)
    var loads = ShardLoads(total)
    let order = keys.indices.sorted { a, b in
      weights[a] == weights[b] ? keys[a] < keys[b] : weights[a] > weights[b]
    }
    for group in order { shards[group] = loads.add(weights[group]) }
    return shards
  }
}

/// How much each shard has been dealt: a heap with the lightest first, of equal ones that with the lowest number.
private struct ShardLoads {
  private var heap: [(load: Int64, shard: Int32)]

  init(_ total: Int) { heap = (1...total).map { (0, Int32($0)) } }

  /// Deals `weight` to the lightest shard, whose number it returns.
  mutating func add(_ weight: Int64) -> Int32 {
    var moving = heap[0]
    let shard = moving.shard
    moving.load = moving.load.addingUpToMost(weight)
    var place = 0
    while 2 * place + 1 < heap.count {
      let (left, right) = (2 * place + 1, 2 * place + 2)
      let least = right < heap.count && heap[right] < heap[left] ? right : left
      guard heap[least] < moving else { break }
      heap[place] = heap[least]
      place = least
    }
    heap[place] = moving
    return shard
  }
}

extension Int64 {
  /// The sum, or the largest number: sizes in a lock are what somebody wrote there.
  func addingUpToMost(_ other: Int64) -> Int64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }
}
