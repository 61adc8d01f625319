import Planning
import SyncModel
import Testing

@Suite struct SelectionTests {
  private let manifest: Manifest = {
    var manifest = PlanningTests.manifest(["a": ["b"], "b": [], "c": ["d"], "d": [], "e": []]) {
      if $0.name.text == "c" || $0.name.text == "e" { $0.tags = ["big", "nightly"] }
      if $0.name.text == "b" { $0.tags = ["small"] }
    }
    manifest.groups = [
      TargetGroup(name: TargetName("letters"), members: [TargetID(4), TargetID(0)], span: .unknown)
    ]
    return manifest
  }()

  private func names(_ asked: [String], tags: [String] = [], in other: Manifest? = nil) throws -> [String] {
    let manifest = other ?? manifest
    return try Selection.resolve(names: asked, tags: tags, manifest: manifest, graph: TargetGraph(manifest))
      .map { manifest[$0].name.text }
  }

  @Test func `without names all targets are selected, dependencies first, else in manifest order`() throws {
    #expect(try names([]) == ["b", "a", "d", "c", "e"])
  }

  @Test func `a target brings its dependencies, each once, whatever the order of names`() throws {
    #expect(try names(["a"]) == ["b", "a"])
    #expect(try names(["c", "a", "c", "b"]) == ["b", "a", "d", "c"])
  }

  @Test func `a group selects its members`() throws {
    #expect(try names(["letters"]) == ["b", "a", "e"])
    #expect(try names(["letters", "d"]) == ["b", "a", "d", "e"])
  }

  @Test func `a member of a unit selects all members, and whatever needs one of them does so too`() throws {
    var manifest = manifest
    manifest.groups = [
      TargetGroup(
        name: TargetName("u"), members: [TargetID(1), TargetID(2)], isTogether: true, span: .unknown)
    ]
    #expect(try names(["b"], in: manifest) == ["b", "d", "c"])
    #expect(try names(["a"], in: manifest) == ["b", "d", "c", "a"])
    #expect(try names(["d"], in: manifest) == ["d"])
    #expect(try Selection.named(["b"], in: manifest) == [TargetID(1)])
  }

  @Test func `a tag selects the named targets that have it, and their dependencies`() throws {
    #expect(try names([], tags: ["big"]) == ["d", "c", "e"])
    #expect(try names(["letters"], tags: ["big"]) == ["e"])
    #expect(try names(["a"], tags: ["big"]) == [])
  }

  @Test func `one of several tags is enough, and two select a target once`() throws {
    #expect(try names([], tags: ["small", "nightly"]) == ["b", "d", "c", "e"])
    #expect(try names([], tags: ["big", "nightly"]) == ["d", "c", "e"])
  }

  @Test func `dependencies by needs, after, from and verify are all selected`() throws {
    var manifest = PlanningTests.manifest(["n": [], "f": [], "s": [], "r": [], "v": [], "x": ["n"]])
    manifest.targets[5].after = [TargetID(1)]
    manifest.targets[5].source = .target(TargetID(2))
    manifest.targets[5].steps = [
      .verifyDigest(.md5, .entry(TargetID(3), name: "x")),
      .verifyDigest(.md5, .entry(TargetID(4), name: "x")),
    ]
    #expect(try names(["x"], in: manifest) == ["n", "f", "s", "r", "v", "x"])
  }

  @Test func `an unknown name is an error with the nearest target or group`() {
    #expect(throws: UnknownName(kind: .target, name: "leters", nearest: "letters")) {
      try names(["a", "leters"])
    }
    #expect(throws: UnknownName(kind: .target, name: "genomes", nearest: nil)) { try names(["genomes"]) }
    #expect(throws: UnknownName(kind: .target, name: "", nearest: nil)) { try names([""]) }
    let included = PlanningTests.manifest(["genes2": [], "sub/genes": []])
    #expect(throws: UnknownName(kind: .target, name: "genes", nearest: "sub/genes")) {
      try names(["genes"], in: included)
    }
  }

  @Test func `an unknown tag is an error with the nearest tag`() {
    #expect(throws: UnknownName(kind: .tag, name: "nightley", nearest: "nightly")) {
      try names([], tags: ["nightley"])
    }
  }

  @Test func `a tag that no target has may be that of an entry of a list that cannot be used`() throws {
    var manifest = PlanningTests.manifest(["a": [], "l/${entry.key}": [], "m/${entry.key}": []]) {
      if $0.name.text == "a" { $0.tags = ["v1", "w${entry.key}"] }
      if $0.name.text == "l/${entry.key}" { $0.tags = ["v${entry.version}", "all"] }
    }
    for id in [1, 2] { manifest.targets[id].source = .unlisted(.offline) }
    #expect(try names([], tags: ["v2"], in: manifest) == ["l/${entry.key}"])
    #expect(try names(["l/x"], tags: ["v2"], in: manifest) == ["l/${entry.key}"])
    #expect(try names(["a"], tags: ["v2"], in: manifest) == [])
    #expect(try names([], tags: ["all"], in: manifest) == ["l/${entry.key}"])
    #expect(try names([], tags: ["v1"], in: manifest) == ["a"])
    for tag in ["x", "w1", "m/x"] {
      #expect(throws: UnknownName.self, "\(tag)") { try names([], tags: [tag], in: manifest) }
    }
  }

  @Test func `a chain of a hundred thousand is followed to its end`() {
    let targets = (0..<100_000).map { index in
      Target(
        id: TargetID(index), name: TargetName("t\(index)"), source: .urls([.web("https://x/\(index)")]),
        output: path("t\(index)"), needs: index == 99_999 ? [] : [TargetID(index + 1)])
    }
    let manifest = Manifest(fileName: "m", targets: targets)
    let graph = TargetGraph(manifest)
    #expect((try? Selection.resolve(names: ["t1"], manifest: manifest, graph: graph))?.count == 99_999)
    #expect(graph.order.first == TargetID(99_999))
  }
}

@Suite struct TargetGraphTests {
  @Test func `edges keep the manifest's order and kinds, and a target needed twice has one dependent`() {
    var manifest = manifest(["a": [], "b": ["a"]])
    manifest.targets[1].after = [TargetID(0)]
    manifest.targets[1].freshness = .interval(
      period: .seconds(1),
      then: .digest(DigestRule(algorithm: .md5, expected: .entry(TargetID(0), name: "b"))))
    manifest.targets[1].steps = [
      .verifyDigest(.md5, .entry(TargetID(0), name: "b")),
      .verifyDigest(.sha1, .entry(TargetID(0), name: "b")),
    ]
    let graph = TargetGraph(manifest)
    #expect(graph.dependencies(of: TargetID(1)).map(\.kind) == [.needs, .after, .verify, .verify])
    #expect(graph.dependencies(of: TargetID(1)).map(\.algorithm) == [nil, nil, .md5, .sha1])
    #expect(graph.dependents(of: TargetID(0)) == [TargetID(1)])
    #expect(graph.dependents(of: TargetID(1)).isEmpty)
    #expect(graph.name(of: TargetID(1)) == TargetName("b"))
  }

  @Test func `the order has dependencies first and else is the manifest's`() {
    let manifest = manifest(["z": ["m"], "y": [], "m": ["k"], "k": [], "a": ["z", "y"]])
    #expect(TargetGraph(manifest).order.map { manifest[$0].name.text } == ["k", "m", "z", "y", "a"])
  }

  @Test func `in the order all members of a unit come before what needs one of them`() {
    var manifest = manifest(["z": ["m"], "y": [], "m": ["k"], "k": [], "a": ["z", "y"]])
    manifest.groups = [
      TargetGroup(
        name: TargetName("u"), members: [TargetID(2), TargetID(1)], isTogether: true, span: .unknown)
    ]
    #expect(TargetGraph(manifest).order.map { manifest[$0].name.text } == ["k", "m", "y", "z", "a"])
  }

  @Test func `a group with one target is no unit, and a target counts for its first unit`() {
    func group(_ name: String, _ members: [Int]) -> TargetGroup {
      TargetGroup(
        name: TargetName(name), members: members.map { TargetID($0) }, isTogether: true, span: .unknown)
    }
    #expect(PublishedTogether([group("one", [0])], targets: 3).isEmpty)
    let both = PublishedTogether([group("u", [0, 1]), group("one", [1]), group("other", [2])], targets: 3)
    #expect(both.overlaps.map(\.second.name.text) == ["one"])
    #expect(both.count == 1)
    let units = PublishedTogether([group("u", [0, 1]), group("v", [2, 1])], targets: 3)
    #expect(units.overlaps.map(\.target) == [TargetID(1)])
    #expect(units.overlaps.map(\.first.text) == ["u"])
    #expect(units.unit(of: TargetID(1)) == 0)
    #expect(units.unit(of: TargetID(0), neededBy: TargetID(1)) == nil)
    #expect(units.unit(of: TargetID(0), neededBy: TargetID(2)) == 0)
    #expect(units.withFellows([TargetID(0)]) == [TargetID(0), TargetID(1)])
  }
}
