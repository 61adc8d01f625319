import Planning
import SyncModel
import Testing

@Suite struct ShardPartitionTests {
  // MARK: By hand

  @Test func `a target that no other needs takes along what only it needs, and seed makes what two need`()
    throws
  {
    // "b" and "c" need "common", and "a" alone needs "own".
    let manifest = PlanningTests.manifest([
      "a": ["own"], "b": ["common"], "c": ["common"], "common": ["deep"], "deep": [], "own": [],
    ])
    let partition = try Divided(manifest, total: 64)
    let owners = partition.owners
    #expect(owners["own"] == owners["a"])
    #expect(owners["b"] != owners["c"])
    #expect(owners["common"] == .shared)
    #expect(owners["deep"] == .shared)
    #expect(partition.names(.seed) == ["deep", "common"])
    guard case .shard(let number)? = owners["b"] else { return #expect(Bool(false)) }
    #expect(partition.names(.number(number)) == ["deep", "common", "b"])
  }

  @Test func `what only targets of one shard need is its own`() throws {
    let manifest = PlanningTests.manifest(["a": ["common"], "b": ["common"], "common": []])
    let partition = try Divided(manifest, total: 1)
    #expect(partition.owners.values.allSatisfy { $0 == .shard(1) })
    #expect(partition.names(.seed) == [])
  }

  @Test(arguments: [["early"], []]) func `the target of a value is seed's, with what it needs`(
    needs: [String]
  ) throws {
    // The second time no target needs another one.
    var manifest = PlanningTests.manifest(["a": [], "early": [], "latest": needs, "b": []])
    manifest.values = [
      ManifestValue(name: "stamp", span: .unknown, target: TargetName("latest"), pick: .line(1))
    ]
    for division in Shard.Division.allCases {
      let partition = try Divided(manifest, lock: LockFile(), total: 1, by: division)
      #expect(partition.names(.seed) == needs + ["latest"])
      #expect(partition.owners["a"] == .shard(1))
    }
  }

  @Test func `targets with the same first URL go together`() throws {
    let manifest = PlanningTests.manifest(["a": [], "b": [], "c": [], "d": []]) {
      $0.source = .urls([.web("https://data.example/same"), .web("https://mirror.example/\($0.name)")])
    }
    for division in Shard.Division.allCases {
      let partition = try Divided(manifest, lock: LockFile(), total: 64, by: division)
      #expect(Set(partition.owners.values.map { "\($0)" }).count == 1, "\(division)")
    }
  }

  @Test func `the signature of a URL is no part of it`() throws {
    let plain = PlanningTests.manifest(["a": []])
    let signed = PlanningTests.manifest(["a": []]) {
      $0.source = .urls([.web("https://data.example/a?X-Amz-Signature=1")])
    }
    #expect(try Divided(plain, total: 1000).owners == Divided(signed, total: 1000).owners)
  }

  @Test func `targets that are published together go together, also by way of another's URL`() throws {
    var manifest = PlanningTests.manifest(["a": [], "b": [], "c": [], "d": [], "e": ["a"], "f": ["b"]])
    manifest.groups = [
      TargetGroup(
        name: TargetName("u"), members: [TargetID(0), TargetID(1)], isTogether: true, span: .unknown),
      TargetGroup(
        name: TargetName("v"), members: [TargetID(2), TargetID(3)], isTogether: true, span: .unknown),
    ]
    let apart = try Divided(manifest, total: 64)
    #expect(apart.owners["c"] == apart.owners["d"])
    // "e" needs one of them, "f" the other.
    #expect(apart.owners["e"] != apart.owners["f"])
    #expect(apart.owners["a"] == .shared)
    #expect(apart.owners["b"] == .shared)

    manifest.targets[5].source = manifest.targets[3].source
    let joined = try Divided(manifest, total: 64)
    #expect(joined.owners["f"] == joined.owners["c"])
    #expect(joined.owners["f"] == joined.owners["d"])
  }

  @Test func `a selection is divided as if nothing else were there`() throws {
    let manifest = PlanningTests.manifest(["a": ["common"], "b": ["common"], "common": []])
    let partition = try Divided(manifest, selecting: ["a"], total: 64)
    #expect(partition.owners["common"] == partition.owners["a"])
    #expect(partition.owners["b"] == ShardPartition.Owner.nobody)
  }

  // MARK: Sizes

  private func lock(_ sizes: [String: Int64]) throws -> LockFile {
    let sha256 = try #require(HexDigest(String(repeating: "a", count: 64), .sha256))
    return LockFile(
      pins: Dictionary(
        uniqueKeysWithValues: sizes.map { name, size in
          let content = Pin.Content(size: size, sha256: sha256)
          return (TargetName(name), Pin(source: .urls([]), download: content, output: content))
        }))
  }

  @Test func `the largest goes first, onto the lightest shard`() throws {
    let manifest = PlanningTests.manifest(["a": [], "b": [], "c": [], "d": []])
    let partition = try Divided(
      manifest, lock: lock(["a": 100, "b": 60, "c": 50, "d": 40]), total: 2, by: .size)
    #expect(partition.owners["a"] == partition.owners["d"])
    #expect(partition.owners["b"] == partition.owners["c"])
  }

  @Test func `a target that is not locked counts as the median`() throws {
    let manifest = PlanningTests.manifest(["a": [], "b": [], "c": [], "d": [], "e": []])
    // The median is 50; with less, "e" would go to "d".
    let partition = try Divided(
      manifest, lock: lock(["a": 100, "b": 50, "c": 50, "d": 40]), total: 3, by: .size)
    let alone = partition.owners.filter { $0.value == partition.owners["a"] }
    #expect(alone.keys.sorted() == ["a"])
    #expect(partition.owners.values.count { $0 == partition.owners["d"] } == 2)
  }

  @Test func `without a lock there are no sizes`() {
    #expect(throws: ShardPartition.Fault.noLock) {
      try Divided(PlanningTests.manifest(["a": []]), total: 2, by: .size)
    }
  }

  @Test func `sizes with a long tail are balanced within five in a hundred`() throws {
    var random = SplitMix(seed: 7)
    let names = (0..<10_000).map { "t\($0)" }
    let manifest = Self.webManifest(names)
    let sizes = Dictionary(
      uniqueKeysWithValues: names.map { name in
        // A Pareto distribution, as files have: a few make up most of the bytes. None is as large as a shard's part.
        let share = Double(random.below(1 << 32) + 1) / Double(UInt64(1) << 32)
        return (name, Int64(min(1e6, 1000 / share)))
      })
    let lock = try lock(sizes)
    let partition = try Divided(manifest, lock: lock, total: 16, by: .size)
    var loads: [String: Int64] = [:]
    for (name, owner) in partition.owners { loads["\(owner)", default: 0] += sizes[name] ?? 0 }
    let mean = Double(sizes.values.reduce(0, +)) / 16
    #expect(Double(loads.values.max() ?? 0) <= 1.05 * mean)
    #expect(loads.count == 16)
  }

  @Test func `sizes that no number holds are the largest number`() throws {
    let manifest = PlanningTests.manifest(["a": [], "b": [], "c": [], "d": ["a"]])
    let lock = try lock(["a": .max, "b": .max, "c": .max, "d": .max])
    for total in 1...3 {
      let divided = try Divided(manifest, lock: lock, total: total, by: .size)
      #expect(divided.faults.isEmpty)
      let rows = divided.partition.rows(manifest, divided.graph, lock: lock)
      #expect(rows.contains { $0.bytes == .max })
    }
  }

  // MARK: Entries that have left their lists

  @Test func `an entry that is gone belongs to whom it belonged to by hash, and moves nothing`() throws {
    let names = (0..<20).map { "t\($0)" }
    var present = Self.webManifest(names)
    let lock = try lock(Dictionary(uniqueKeysWithValues: names.map { ($0, Int64($0.utf8.count)) }))
    present.targets[3].source = .entry(
      Shared(
        ListedSource(
          urls: [.web("https://data.example/3")], template: "list", key: "3", revision: ListRevision(),
          origin: nil)))
    let before = try Divided(present, total: 7).owners["t3"]
    for division in Shard.Division.allCases {
      var gone = present
      gone.targets[3].source = .gone(
        GoneEntry(template: "list", key: "3", list: "https://data.example/list", fate: .removed))
      var without = present
      without.targets.remove(at: 3)
      for index in without.targets.indices { without.targets[index].id = TargetID(index) }
      let divided = try Divided(gone, lock: lock, total: 7, by: division)
      var owners = divided.owners
      #expect(owners.removeValue(forKey: "t3") == before, "\(division)")
      #expect(owners == (try Divided(without, lock: lock, total: 7, by: division).owners), "\(division)")
    }
  }

  @Test func `the digest is that of shards whose states do not make a list suspect`() throws {
    let names = (0..<20).map { "t\($0)" }
    let others = Self.webManifest(Array(names.dropLast()))
    for division in Shard.Division.allCases {
      var suspect = Self.webManifest(names)
      suspect.targets[19].source = .unlisted(
        .listInvalid(source: "https://data.example/list", .suspect(gone: 2, recorded: 9)))
      let digest = try Divided(suspect, lock: LockFile(), total: 7, by: division).partition.digest
      #expect(try Divided(others, lock: LockFile(), total: 7, by: division).partition.digest == digest)
    }
  }

  // MARK: Hosts

  @Test func `whole hosts stay together, also by way of another target, and are spread`() throws {
    let manifest = PlanningTests.manifest([
      "a1": [], "a2": [], "b1": [], "b2": [], "c1": [], "from": [], "local1": [], "local2": [],
    ]) {
      switch $0.name.text {
      case "from": $0.source = .target(TargetID(2))
      case "local1", "local2": $0.source = .urls([.file(path: $0.name.text, written: $0.name.text)])
      case let name:
        $0.source = .urls([.web("https://\(name.first == "a" ? "A" : name.prefix(1)).example:8443/\(name)")])
      }
    }
    let owners = try Divided(manifest, total: 3, by: .host).owners
    #expect(owners["a1"] == owners["a2"])
    #expect(owners["b1"] == owners["b2"])
    #expect(owners["from"] == owners["b2"])
    #expect(Set(["a1", "b1", "c1"].map { "\(owners[$0] ?? .nobody)" }).count == 3)
  }

  // MARK: At random

  @Test(arguments: 0..<8) func `each selected target has one owner, and needs none of another shard's`(
    batch: Int
  ) throws {
    for seed in 0..<100 {
      var random = SplitMix(seed: UInt64(batch * 100 + seed))
      let (manifest, lock) = Self.randomManifest(&random)
      let names = random.below(3) == 0 ? ["t0", "t3"] : []
      for division in Shard.Division.allCases {
        let divided = try Divided(
          manifest, selecting: names, lock: lock, total: 1 + random.below(9), by: division)
        let faults = divided.faults
        #expect(faults.isEmpty, "seed \(batch * 100 + seed), \(division): \(faults)")
      }
    }
  }

  @Test func `by hash, other targets that come or go move none`() throws {
    for seed in 0..<200 {
      var random = SplitMix(seed: UInt64(seed))
      let count = 5 + random.below(40)
      let names = (0..<count).map { "t\($0)" }
      let kept = names.filter { _ in random.below(4) > 0 }
      let more = (0..<random.below(20)).map { "new\($0)" }
      let before = try Divided(Self.webManifest(names), total: 7).owners
      let after = try Divided(Self.webManifest(more + kept), total: 7).owners
      for name in kept { #expect(before[name] == after[name], "seed \(seed), \(name)") }
    }
  }

  @Test func `by hash, ten thousand targets are spread evenly`() throws {
    let counts = try Divided(Self.webManifest((0..<10_000).map { "t\($0)" }), total: 16).partition.counts
    #expect(counts[0] == 0)
    // The mean is 625, and its deviation 24.
    #expect(counts.dropFirst().allSatisfy { (500...750).contains($0) })
  }

  @Test func `twice as many shards cut each in two`() throws {
    let manifest = Self.webManifest((0..<1000).map { "t\($0)" })
    let (few, many) = (try Divided(manifest, total: 8).owners, try Divided(manifest, total: 16).owners)
    for (name, owner) in many {
      guard case .shard(let number) = owner else { return #expect(Bool(false)) }
      #expect(few[name] == .shard((number + 1) / 2))
    }
  }

  // MARK: The digest

  @Test func `the same question has the same digest, and any other a different one`() throws {
    let manifest = PlanningTests.manifest(["a": ["b"], "b": [], "c": []])
    let whole = try Divided(manifest, total: 4)
    #expect(whole.partition.digest.utf8.count == 32)
    #expect(try Divided(manifest, total: 4).partition.digest == whole.partition.digest)

    var others: [Divided] = [
      try Divided(manifest, total: 5), try Divided(manifest, lock: LockFile(), total: 4, by: .size),
      try Divided(manifest, total: 4, by: .host), try Divided(manifest, selecting: ["a"], total: 4),
      try Divided(manifest, lock: lock(["a": 1]), total: 4),
    ]
    var changed = manifest
    changed.targets[0].steps = [.gunzip]
    others.append(try Divided(changed, total: 4))
    changed = manifest
    changed.targets[2].path = path("elsewhere")
    others.append(try Divided(changed, total: 4))
    let changes: [(inout Target) -> Void] = [
      { $0.freshness = .once }, { $0.freshness = .interval(period: .seconds(60), then: .etag) },
      { $0.freshness = .interval(period: .seconds(61), then: .etag) },
      { $0.freshness = .digest(DigestRule(algorithm: .md5, expected: .literal(HexDigest(bytes: [1])))) },
      { $0.freshness = .digest(DigestRule(algorithm: .md5, expected: .literal(HexDigest(bytes: [2])))) },
      { $0.mode = 0o644 }, { $0.mode = 0 }, { $0.isOptional = true }, { $0.localChanges = .keep },
      { $0.localChanges = .overwrite }, { $0.needs = [] },
      { ($0.needs, $0.after) = ([], [TargetID(1)]) },
      { $0.headers = [RequestHeader(name: "Accept", value: "text/csv")] },
    ]
    for change in changes {
      var other = manifest
      change(&other.targets[0])
      others.append(try Divided(other, total: 4))
    }
    let digests = Set(others.map(\.partition.digest) + [whole.partition.digest])
    #expect(digests.count == others.count + 1)
  }

  @Test func `it is the same on every machine`() throws {
    // What another version writes for this, merge would take for another partition.
    let partition = try Divided(PlanningTests.manifest(["a": ["b"], "b": [], "c": []]), total: 4).partition
    #expect(partition.digest == "7ae7c8eb382d4024178fea9fffa5b88c")
  }

  // MARK: Making manifests

  private static func webManifest(_ names: [String]) -> Manifest {
    Manifest(
      fileName: "syncmake.yaml",
      targets: names.enumerated().map { index, name in
        Target(
          id: TargetID(index), name: TargetName(name),
          source: .urls([.web("https://data.example/files/\(name).gz")]), output: path(name))
      })
  }

  /// With needs on earlier targets, equal URLs, targets without a URL, and units without cycles.
  private static func randomManifest(_ random: inout SplitMix) -> (Manifest, LockFile) {
    let count = 4 + random.below(30)
    var manifest = webManifest((0..<count).map { "t\($0)" })
    let density = random.below(3)
    for index in 1..<count {
      for _ in 0..<random.below(1 + density) {
        let need = TargetID(random.below(index))
        if !manifest.targets[index].needs.contains(need) { manifest.targets[index].needs.append(need) }
      }
      switch random.below(6) {
      case 0: manifest.targets[index].source = manifest.targets[index - 1].source
      case 1: manifest.targets[index].source = .target(TargetID(random.below(index)))
      case 2: manifest.targets[index].source = .urls([.web("https://host\(index % 3).example/\(index)")])
      default: break
      }
    }
    // Neighbours that nothing between can make a cycle of.
    let first = random.below(count - 1)
    if random.below(2) == 0 {
      manifest.groups = [
        TargetGroup(
          name: TargetName("u"), members: [TargetID(first), TargetID(first + 1)], isTogether: true,
          span: .unknown)
      ]
    }
    var lock = LockFile()
    for target in manifest.targets where random.below(3) > 0 {
      guard let sha256 = HexDigest(String(repeating: "b", count: 64), .sha256) else { break }
      let content = Pin.Content(size: Int64(random.below(1000)), sha256: sha256)
      lock.pins[target.name] = Pin(source: .urls([]), download: content, output: content)
    }
    return (manifest, lock)
  }
}

extension SplitMix {
  /// From 0.
  fileprivate mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &self) }
}

/// A partition, with what it was made of.
private struct Divided {
  let manifest: Manifest
  let graph: TargetGraph
  let selection: [TargetID]
  let partition: ShardPartition

  init(
    _ manifest: Manifest, selecting names: [String] = [], lock: LockFile? = nil, total: Int,
    by division: Shard.Division = .hash
  ) throws {
    self.manifest = manifest
    graph = TargetGraph(manifest)
    selection = try Selection.resolve(names: names, manifest: manifest, graph: graph)
    partition = try ShardPartition(selection, manifest, graph, lock: lock, total: total, by: division)
  }

  var owners: [String: ShardPartition.Owner] {
    Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name.text, partition.owner(of: $0.id)) })
  }

  func names(_ part: Shard.Part) -> [String] {
    partition.targets(of: part, in: graph).map { manifest[$0].name.text }
  }

  /// What breaks the rules.
  var faults: [String] {
    var faults: [String] = []
    let selected = Set(selection)
    var timesOwned: [TargetID: Int] = [:]
    for part in [Shard.Part.seed] + (1...partition.total).map({ .number($0) }) {
      let run = partition.targets(of: part, in: graph)
      let runs = Set(run)
      if run != graph.order.filter(runs.contains) { faults.append("\(part) is out of order") }
      for id in run {
        let owner = partition.owner(of: id)
        let isOwn = part == .seed ? owner == .shared : .number(ownerNumber(owner)) == part
        if isOwn { timesOwned[id, default: 0] += 1 }
        if !isOwn, owner != .shared { faults.append("\(part) runs \(manifest[id].name) of \(owner)") }
        for edge in graph.dependencies(of: id) where !runs.contains(edge.from) {
          faults.append("\(part) lacks \(manifest[edge.from].name)")
        }
        for fellow in graph.units.unit(of: id).map(graph.units.members(of:)) ?? [] {
          if partition.owner(of: fellow) != owner {
            faults.append("\(manifest[fellow].name) is torn from its unit")
          }
        }
      }
    }
    for target in manifest.targets
    where timesOwned[target.id, default: 0] != (selected.contains(target.id) ? 1 : 0) {
      faults.append("\(target.name) is owned \(timesOwned[target.id, default: 0]) times")
    }
    // Shared is only what is really needed by two.
    for id in selection where partition.owner(of: id) == .shared {
      var needed: Set<Int> = []
      var seen: Set<TargetID> = []
      var waiting = [id]
      while let next = waiting.popLast() {
        guard seen.insert(next).inserted else { continue }
        needed.insert(ownerNumber(partition.owner(of: next)))
        for fellow in graph.units.unit(of: next).map(graph.units.members(of:)) ?? [next] {
          waiting += [fellow] + graph.dependents(of: fellow).filter(selected.contains)
        }
      }
      if needed.subtracting([0]).count < 2 { faults.append("\(manifest[id].name) is shared by \(needed)") }
    }
    return faults
  }

  private func ownerNumber(_ owner: ShardPartition.Owner) -> Int {
    if case .shard(let number) = owner { number } else { 0 }
  }
}
