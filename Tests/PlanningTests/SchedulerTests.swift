import SyncModel
import Testing

@testable import Planning

@Suite struct SchedulerTests {
  /// Uses names to talk to a scheduler.
  private struct Run {
    let manifest: Manifest
    var scheduler: Scheduler

    init(
      _ manifest: Manifest, jobs: Int = 16, keepsGoing: Bool = false, optional: [String] = [],
      independent: [String] = [], only selection: [String]? = nil, mostClosing: Int = 0, lanes: Bool = false
    ) {
      func ids(_ names: [String]) -> [TargetID] {
        manifest.targets.filter { names.contains($0.name.text) }.map(\.id)
      }
      self.manifest = manifest
      scheduler = Scheduler(
        graph: TargetGraph(manifest), selection: selection.map(ids) ?? manifest.targets.map(\.id), jobs: jobs,
        mostClosing: mostClosing, keepsGoing: keepsGoing, optional: ids(optional),
        independent: Set(ids(independent)), lanes: lanes ? HostLanes(manifest) : nil)
    }

    mutating func widen(_ host: String, to requests: Int) -> [String] {
      told(scheduler.handle(.hostTakes(host, requests: requests)))
    }

    mutating func start() -> [String] { told(scheduler.start()) }
    mutating func succeed(_ name: String) -> [String] { finish(name, .succeeded) }
    mutating func fail(_ name: String) -> [String] { finish(name, .failed) }
    mutating func close(_ name: String) -> [String] {
      guard let target = manifest.targets.first(where: { $0.name.text == name }) else {
        return ["no \(name)"]
      }
      return told(scheduler.handle(.closing(target.id)))
    }
    mutating func interrupt() -> [String] { told(scheduler.handle(.interrupted)) }

    private mutating func finish(_ name: String, _ completion: Scheduler.Completion) -> [String] {
      guard let target = manifest.targets.first(where: { $0.name.text == name }) else {
        return ["no \(name)"]
      }
      return told(scheduler.handle(.finished(target.id, completion)))
    }

    private var units: PublishedTogether {
      PublishedTogether(manifest.groups, targets: manifest.targets.count)
    }

    /// A unit is in place, or `failed` is to blame that it is not.
    mutating func publish(_ unit: Int = 0, failed: String? = nil) -> [String] {
      let target = manifest.targets.first { $0.name.text == failed }
      return told(scheduler.handle(.published(unit: unit, failed: target?.id)))
    }

    private func told(_ actions: [Scheduler.Action]) -> [String] {
      actions.map {
        switch $0 {
        case .begin(let id): manifest[id].name.text
        case .skip(let id, .dependency(let name)): "-\(manifest[id].name) for \(name)"
        case .skip(let id, .together(let name)): "-\(manifest[id].name) with \(name)"
        case .skip(let id, .runStopped): "-\(manifest[id].name)"
        case .skip(let id, let other): "-\(manifest[id].name): \(other)"
        case .publish(let unit): "publish \(units.name(of: unit))"
        case .drop(let unit, .together(let name)): "drop \(units.name(of: unit)) with \(name)"
        case .drop(let unit, _): "drop \(units.name(of: unit))"
        }
      }
    }
  }

  /// `a0`, `a1`, … of host a, and so on, in this order, each host with one connection and so two targets at once.
  private func hosts(_ counts: [(host: String, count: Int)], limits: [String: Int] = [:]) -> Manifest {
    var targets: [Target] = []
    for (host, count) in counts {
      for number in 0..<count {
        targets.append(
          Target(
            id: TargetID(targets.count), name: TargetName("\(host)\(number)"),
            source: .urls([.web("https://\(host).org:44\(number)/x?\(number)")]),
            output: path("\(host)\(number)")))
      }
    }
    return Manifest(fileName: "m", targets: targets, hosts: HostLimits(connections: limits, otherwise: 1))
  }

  @Test func `a host gets only as many jobs as it can use, and the others continue`() {
    var run = Run(hosts([("a", 5), ("b", 3), ("c", 1)]), jobs: 4, lanes: true)
    // One target of each host, and a second one of the host with the most.
    #expect(run.start() == ["a0", "a1", "b0", "c0"])
    #expect(run.succeed("c0") == ["b1"])
    #expect(run.succeed("b1") == ["b2"])
    #expect(run.succeed("b0") == [])
    #expect(run.succeed("a1") == ["a2"])
    #expect(run.close("a0") == ["a3"])
    #expect(run.succeed("a0") == [])
    #expect(run.fail("a2") == ["-a4"])
  }

  @Test func `the host with the most targets is first, and none is left out`() {
    var run = Run(hosts([("a", 2), ("b", 9)], limits: ["b.org": 9]), jobs: 3, lanes: true)
    #expect(run.start() == ["a0", "b0", "b1"])
    #expect(run.succeed("b0") == ["b2"])
    #expect(run.succeed("a0") == ["a1"])
  }

  @Test func `a single job runs the targets in order, whatever their hosts are`() {
    var run = Run(hosts([("a", 3), ("b", 1)]), jobs: 1, lanes: true)
    #expect(run.start() == ["a0"])
    #expect(run.succeed("a0") == ["a1"])
    #expect(run.succeed("a1") == ["a2"])
  }

  @Test func `a host's limit is the manifest's plus an eighth`() {
    var run = Run(hosts([("a", 30)], limits: ["a.org": 16]), jobs: 25, lanes: true)
    #expect(run.start().count == 18)
  }

  @Test func `a host with HTTP/2 gets more jobs`() {
    let manifest = hosts([("a", 100), ("b", 5)])
    var run = Run(manifest, jobs: 90, lanes: true)
    #expect(run.start() == ["a0", "a1", "b0", "b1"])
    #expect(run.widen("a.org", to: 64).count == 70)
    // A host without any target in progress, and one without requests.
    var other = Run(manifest, jobs: 90, lanes: true)
    #expect(other.widen("b.org", to: 64) == [])
    #expect(other.widen("z.org", to: 64) == [])
    #expect(other.start().count == 7)
  }

  @Test func `files, copies and URLs of any form have their own lanes or none`() {
    func target(_ index: Int, _ source: BodySource) -> Target {
      Target(id: TargetID(index), name: TargetName("t\(index)"), source: source, output: path("t\(index)"))
    }
    let sources: [BodySource] = [
      .urls([.web("http://[::1]:81/a")]), .urls([.web("https://[::1]/b")]), .urls([.web("http://[::2]/c")]),
      .urls([.file(path: "/x", written: "/x")]), .urls([.web("http://h?q:1")]), .urls([.web("http://h/")]),
    ]
    let manifest = Manifest(
      fileName: "m", targets: sources.enumerated().map { target($0.offset, $0.element) },
      hosts: HostLimits(connections: ["::1": 4], otherwise: 1))
    var lanes = HostLanes(manifest)
    #expect(manifest.targets.map { lanes.lane(of: $0.id) } == [0, 0, 1, nil, 2, 2])
    #expect(lanes.limit(of: 0) == 5)
    #expect(lanes.limit(of: 1) == 2)
  }

  @Test func `a host's rate limits its lane to the requests of a second, also over HTTP/2`() {
    let targets = ["http://a/1", "http://b/1"].enumerated().map { index, url in
      Target(
        id: TargetID(index), name: TargetName("t\(index)"), source: .urls([.web(url)]),
        output: path("t\(index)"))
    }
    var hosts = HostLimits(otherwise: 8)
    hosts.connections["a"] = 8
    hosts.rates["a"] = RequestRate(count: 30, period: .seconds(60))
    var lanes = HostLanes(Manifest(fileName: "m", targets: targets, hosts: hosts))
    #expect(targets.map { lanes.lane(of: $0.id) } == [0, 1])
    #expect(lanes.limit(of: 0) == 2)
    #expect(lanes.limit(of: 1) == 9)
    #expect(lanes.widen("a", to: 64) == 0)
    #expect(lanes.limit(of: 0) == 2)
    #expect(lanes.widen("b", to: 64) == 1)
    #expect(lanes.limit(of: 1) == 72)
  }

  @Test func `a target that only waits for the disk frees its job, up to a limit`() {
    var run = Run(
      manifest(["a": [], "b": [], "c": [], "d": [], "e": [], "f": ["b"]]), jobs: 2, mostClosing: 2)
    #expect(run.start() == ["b", "a"])
    #expect(run.close("b") == ["c"])
    #expect(run.close("b") == [])
    #expect(run.close("c") == ["d"])
    #expect(run.close("d") == [])
    #expect(run.succeed("c") == ["e"])
    #expect(run.succeed("d") == [])
    #expect(run.succeed("e") == [])
    // Its dependent has waited for its end.
    #expect(run.succeed("b") == ["f"])
    #expect(run.succeed("f") == [])
    #expect(run.succeed("a") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `with one job the targets run one after another`() {
    var run = Run(manifest(["a": [], "b": []]), jobs: 1, mostClosing: 2)
    #expect(run.start() == ["a"])
    #expect(run.close("a") == [])
    #expect(run.succeed("a") == ["b"])
  }

  private let diamond = manifest([
    "top": ["left", "right"], "left": ["base"], "right": ["base"], "base": [], "lone": [],
  ])

  @Test func `targets begin when their dependencies are done, in graph order`() {
    var run = Run(diamond)
    #expect(run.start() == ["base", "lone"])
    #expect(run.succeed("base") == ["left", "right"])
    #expect(run.succeed("right") == [])
    #expect(run.succeed("left") == ["top"])
    #expect(run.succeed("lone") == [])
    #expect(!run.scheduler.isDone)
    #expect(run.succeed("top") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `at most the given number of jobs is in progress, and graph order decides before age`() {
    var run = Run(diamond, jobs: 1)
    #expect(run.start() == ["base"])
    #expect(run.succeed("base") == ["left"])
    #expect(run.succeed("left") == ["right"])
    #expect(run.succeed("right") == ["top"])
    #expect(run.succeed("top") == ["lone"])
  }

  @Test
  func `targets with the longest chains of dependents begin first, and graph order decides among equals`() {
    // d waits for c, which waits for b; f waits for e.
    let manifest = manifest(["a": [], "b": [], "c": ["b"], "d": ["c"], "e": [], "f": ["e"], "g": []])
    var run = Run(manifest, jobs: 2)
    #expect(run.start() == ["b", "e"])
    #expect(run.succeed("e") == ["a"])
    #expect(run.succeed("b") == ["c"])
    #expect(run.succeed("a") == ["f"])
    #expect(run.succeed("f") == ["g"])
    #expect(run.succeed("c") == ["d"])
    // Unselected targets do not count in a chain.
    var part = Run(manifest, jobs: 2, only: ["a", "b", "e", "f"])
    #expect(part.start() == ["e", "a"])
    // Even if more begin at once than their host allows: the last of them waits for a connection.
    var hosts = hosts([("a", 4)], limits: ["a.org": 1])
    hosts.targets[3].needs = [hosts.targets[2].id]
    var lane = Run(hosts, jobs: 4, lanes: true)
    #expect(lane.start() == ["a2", "a0"])
  }

  @Test(arguments: [0, -5]) func `fewer than one job counts as one`(jobs: Int) {
    var run = Run(diamond, jobs: jobs)
    #expect(run.start() == ["base"])
  }

  @Test func `a failure stops the run: nothing begins, everything that waits is skipped`() {
    var run = Run(diamond, jobs: 2)
    #expect(run.start() == ["base", "lone"])
    #expect(run.fail("base") == ["-left for base", "-right for base", "-top for left"])
    #expect(!run.scheduler.isDone)
    #expect(run.succeed("lone") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `a target that does not depend on the failure is skipped because the run stopped`() {
    var run = Run(diamond, jobs: 1, only: ["base", "left", "right", "lone"])
    #expect(run.start() == ["base"])
    #expect(run.succeed("base") == ["left"])
    #expect(run.fail("left") == ["-right", "-lone"])
    #expect(run.scheduler.isDone)
  }

  @Test func `dependents of a target that the stop skipped name no failure`() {
    var run = Run(manifest(["bad": [], "a": [], "b": ["a"]]), jobs: 1)
    #expect(run.start() == ["bad"])
    #expect(run.fail("bad") == ["-a", "-b"])
  }

  @Test func `-k skips only targets that depend on the failure in any way`() {
    var run = Run(diamond, jobs: 1, keepsGoing: true)
    #expect(run.start() == ["base"])
    #expect(run.succeed("base") == ["left"])
    #expect(run.fail("left") == ["-top for left", "right"])
    #expect(run.succeed("right") == ["lone"])
    #expect(run.succeed("lone") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `a target that is known to be fresh does not wait and is not skipped`() {
    var run = Run(manifest(["a": [], "b": ["a"], "c": ["b"]]), keepsGoing: true, independent: ["b"])
    #expect(run.start() == ["a", "b"])
    #expect(run.fail("a") == [])
    #expect(run.succeed("b") == ["c"])
    #expect(run.succeed("c") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `the named dependency is the first in the manifest's order`() {
    var run = Run(manifest(["a": [], "b": [], "c": ["b", "a"]]), keepsGoing: true)
    #expect(run.start() == ["a", "b"])
    #expect(run.fail("a") == ["-c for a"])
    #expect(run.fail("b") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `a failure under after also skips the target`() {
    var both = manifest(["a": [], "b": []])
    both.targets[1].after = [TargetID(0)]
    var run = Run(both, keepsGoing: true)
    #expect(run.start() == ["a"])
    #expect(run.fail("a") == ["-b for a"])
  }

  @Test(arguments: [true, false]) func `an optional failure stops nothing but its dependents`(
    keepsGoing: Bool
  ) {
    var run = Run(diamond, jobs: 1, keepsGoing: keepsGoing, optional: ["left"])
    #expect(run.start() == ["base"])
    #expect(run.succeed("base") == ["left"])
    #expect(run.fail("left") == ["-top for left", "right"])
    #expect(run.succeed("right") == ["lone"])
  }

  @Test func `a signal skips targets that have not begun and waits for the others`() {
    var run = Run(diamond, jobs: 1)
    #expect(run.start() == ["base"])
    #expect(run.interrupt() == ["-left", "-right", "-top", "-lone"])
    #expect(!run.scheduler.isDone)
    #expect(run.interrupt() == [])
    #expect(run.fail("base") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `after a signal before the start there is nothing to do`() {
    var run = Run(diamond)
    #expect(run.interrupt().count == 5)
    #expect(run.start() == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `unexpected reports are ignored`() {
    var run = Run(diamond, jobs: 1)
    #expect(run.succeed("base") == [])
    #expect(run.start() == ["base"])
    #expect(run.start() == [])
    #expect(run.succeed("top") == [])
    #expect(run.succeed("base") == ["left"])
    #expect(run.fail("base") == [])
    #expect(run.scheduler.handle(.finished(TargetID(99), .failed)) == [])
  }

  // MARK: Units

  /// `a`, `b` and `c`, which needs `a`, are published together; `x` needs `a`, and `y` needs `x`.
  private var together: Manifest {
    var made = manifest(["x": ["a"], "a": [], "b": [], "c": ["a"], "y": ["x"], "z": []])
    let members = [TargetID(1), TargetID(2), TargetID(3)]
    made.groups = [TargetGroup(name: TargetName("u"), members: members, isTogether: true, span: .unknown)]
    return made
  }

  @Test func `members wait for each other alone, and others for the whole unit`() {
    var run = Run(together, keepsGoing: true)
    #expect(run.start() == ["a", "b", "z"])
    #expect(run.succeed("a") == ["c"])
    #expect(run.succeed("b") == [])
    #expect(run.succeed("z") == [])
    #expect(run.succeed("c") == ["publish u"])
    #expect(!run.scheduler.isDone)
    #expect(run.publish() == ["x"])
    #expect(run.publish() == [])
    #expect(run.succeed("x") == ["y"])
    #expect(run.succeed("y") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `one job begins every member before what needs one`() {
    var run = Run(together, jobs: 1)
    #expect(run.start() == ["a"])
    #expect(run.succeed("a") == ["b"])
    #expect(run.succeed("b") == ["c"])
    #expect(run.succeed("c") == ["publish u", "z"])
    #expect(run.publish() == [])
    #expect(run.succeed("z") == ["x"])
  }

  @Test(arguments: [false, true]) func `a failed member skips the others and what needs them`(
    isOptional: Bool
  ) {
    var run = Run(together, keepsGoing: !isOptional, optional: isOptional ? ["b"] : [])
    #expect(run.start() == ["a", "b", "z"])
    #expect(run.fail("b") == ["-c with b", "-x for b", "-y for x"])
    #expect(!run.scheduler.isDone)
    #expect(run.succeed("a") == ["drop u with b"])
    #expect(run.succeed("z") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `a member that is ready when its unit breaks does not begin`() {
    var run = Run(together, jobs: 1, keepsGoing: true)
    #expect(run.start() == ["a"])
    #expect(run.fail("a") == ["-b with a", "-c for a", "-x for a", "-y for x", "drop u with a", "z"])
  }

  @Test func `a member below a failure breaks its unit`() {
    var manifest = together
    manifest.targets[2].needs = [TargetID(1), TargetID(5)]
    var run = Run(manifest, keepsGoing: true)
    #expect(run.start() == ["a", "z"])
    #expect(run.succeed("a") == ["c"])
    #expect(run.fail("z") == ["-b for z", "-x for b", "-y for x"])
    #expect(run.succeed("c") == ["drop u with b"])
    #expect(run.scheduler.isDone)
  }

  @Test func `what waits for a unit that cannot be published is skipped`() {
    var run = Run(together, keepsGoing: true)
    _ = (run.start(), run.succeed("a"), run.succeed("b"), run.succeed("z"))
    #expect(run.succeed("c") == ["publish u"])
    #expect(run.publish(failed: "b") == ["-x for b", "-y for x"])
    #expect(run.scheduler.isDone)
  }

  @Test func `a stop drops a unit that is incomplete`() {
    var run = Run(together, jobs: 2)
    #expect(run.start() == ["a", "b"])
    #expect(run.succeed("a") == ["c"])
    #expect(run.interrupt() == ["-x", "-y", "-z"])
    #expect(run.fail("c") == [])
    #expect(run.succeed("b") == ["drop u"])
    #expect(run.scheduler.isDone)
    var other = Run(together, jobs: 4)
    #expect(other.start() == ["a", "b", "z"])
    #expect(other.fail("z") == ["-c", "-x", "-y"])
    #expect(other.succeed("a") == [])
    #expect(other.succeed("b") == ["drop u"])
    #expect(other.scheduler.isDone)
  }

  @Test func `a stop does not drop a unit whose members all run and succeed`() {
    var manifest = together
    manifest.targets[3].needs = []
    var run = Run(manifest)
    #expect(run.start() == ["a", "b", "c", "z"])
    #expect(run.fail("z") == ["-x", "-y"])
    #expect(run.succeed("a") == [])
    #expect(run.succeed("b") == [])
    #expect(run.succeed("c") == ["publish u"])
    #expect(run.publish() == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `a hundred thousand members of one unit are scheduled quickly`() {
    let count = 100_000
    let targets = (0...count).map { index in
      Target(
        id: TargetID(index), name: TargetName("t\(index)"), source: .urls([.web("https://x/")]),
        output: path("t\(index)"), needs: index == count ? (0..<count).map { TargetID($0) } : [])
    }
    let group = TargetGroup(
      name: TargetName("u"), members: (0..<count).map { TargetID($0) }, isTogether: true, span: .unknown)
    let graph = TargetGraph(Manifest(fileName: "m", targets: targets, groups: [group]))
    for fails in [false, true] {
      var scheduler = Scheduler(graph: graph, selection: graph.order, jobs: 16, keepsGoing: true)
      var actions = scheduler.start()[...]
      var begun = 0
      while let action = actions.popFirst() {
        switch action {
        case .begin(let id):
          begun += 1
          actions += scheduler.handle(.finished(id, fails ? .failed : .succeeded))
        case .publish(let unit): actions += scheduler.handle(.published(unit: unit, failed: nil))
        case .skip, .drop: break
        }
      }
      #expect(begun == (fails ? 16 : count + 1))
      #expect(scheduler.isDone)
    }
  }

  @Test func `an empty selection is done at once`() {
    var run = Run(diamond, only: [])
    #expect(run.scheduler.isDone)
    #expect(run.start() == [])
  }

  @Test func `a dependency outside the selection counts as fresh`() {
    var run = Run(diamond, only: ["left"])
    #expect(run.start() == ["left"])
  }

  @Test func `a hundred thousand targets, in a chain or side by side, are scheduled quickly`() {
    func target(_ index: Int, needs: [TargetID]) -> Target {
      Target(
        id: TargetID(index), name: TargetName("t\(index)"), source: .urls([.web("https://x/")]),
        output: path("t\(index)"), needs: needs)
    }
    let count = 100_000
    let chain = (0..<count).map { target($0, needs: $0 == 0 ? [] : [TargetID($0 - 1)]) }
    let comb = (0..<count).map { target($0, needs: $0 == 0 ? [] : [TargetID(0)]) }
    for targets in [chain, comb] {
      let graph = TargetGraph(Manifest(fileName: "m", targets: targets))
      var scheduler = Scheduler(graph: graph, selection: graph.order, jobs: 16, keepsGoing: true)
      var actions = scheduler.start()[...]
      var begun = 0
      while let action = actions.popFirst() {
        guard case .begin(let id) = action else { continue }
        begun += 1
        actions += scheduler.handle(.finished(id, .succeeded))
      }
      #expect(begun == count)
      #expect(scheduler.isDone)

      var failing = Scheduler(graph: graph, selection: graph.order, jobs: 1, keepsGoing: false)
      let first = failing.start()
      #expect(first == [.begin(TargetID(0))])
      #expect(failing.handle(.finished(TargetID(0), .failed)).count == count - 1)
    }
  }
}
