import SyncModel
import Testing

@testable import Planning

@Suite struct SchedulerTests {
  private typealias Run = SchedulerRun

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

  @Test(arguments: [1, 4]) func `what cannot succeed comes first, and then nothing begins without -k`(
    jobs: Int
  ) {
    let targets = hosts([("a", 2), ("x", 2)])
    var stopping = Run(targets, jobs: jobs, doomed: ["x0", "x1"])
    let first = jobs == 1 ? ["x0"] : ["x0", "x1"]
    #expect(stopping.start().sorted() == first)
    #expect(stopping.fail("x0") == (jobs == 1 ? ["-a0", "-a1", "-x1"] : ["-a0", "-a1"]))

    var going = Run(targets, jobs: jobs, keepsGoing: true, doomed: ["x0", "x1"])
    #expect(going.start().sorted() == first)
    #expect(going.fail("x0") == (jobs == 1 ? ["x1"] : []))
    #expect(going.fail("x1") == (jobs == 1 ? ["a0"] : ["a0", "a1"]))
  }

  @Test func `what cannot succeed and waits for another does not hold the rest back`() {
    var run = Run(Manifest(fileName: "m", targets: Self.pair), doomed: ["b"])
    #expect(run.start() == ["a"])
    #expect(run.succeed("a") == ["b"])
    #expect(run.fail("b") == [])
  }

  private static let pair = [
    Target(
      id: TargetID(0), name: TargetName("a"), source: .urls([.web("https://a.org/a")]), output: path("a")),
    Target(
      id: TargetID(1), name: TargetName("b"), source: .urls([.web("https://a.org/b")]), output: path("b"),
      needs: [TargetID(0)]),
  ]

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
      .urls([.web("http://H/")]),
    ]
    let manifest = Manifest(
      fileName: "m", targets: sources.enumerated().map { target($0.offset, $0.element) },
      hosts: HostLimits(connections: ["::1": 4], otherwise: 1))
    var lanes = HostLanes(manifest)
    #expect(manifest.targets.map { lanes.lane(of: $0.id) } == [0, 0, 1, nil, 2, 2, 2])
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
