import SyncModel
import Testing

@testable import Planning

/// Targets that are published together.
@Suite struct SchedulerUnitTests {
  private typealias Run = SchedulerRun

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

  @Test(arguments: [1, 2]) func `members that cannot succeed hold nothing back once all have failed`(
    jobs: Int
  ) {
    var run = Run(together, jobs: jobs, keepsGoing: true, doomed: ["a", "b"])
    let first = run.start()
    #expect(first == (jobs == 1 ? ["a"] : ["a", "b"]))
    #expect(run.fail("a").filter { !$0.hasPrefix("-") } == (jobs == 1 ? ["b"] : []))
    #expect(run.fail("b") == ["drop u with a", "z"])
    _ = run.succeed("z")
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

  @Test(arguments: [false, true]) func `a failed member skips what needs one, and the others are decided`(
    isOptional: Bool
  ) {
    var run = Run(together, keepsGoing: !isOptional, optional: isOptional ? ["b"] : [])
    #expect(run.start() == ["a", "b", "z"])
    #expect(run.fail("b") == ["-x for a with b", "-y for x"])
    #expect(run.succeed("a") == ["c"])
    #expect(!run.scheduler.isDone)
    #expect(run.succeed("c") == ["drop u with b"])
    #expect(run.succeed("z") == [])
    #expect(run.scheduler.isDone)
  }

  @Test func `a member that is ready when its unit breaks begins all the same`() {
    var run = Run(together, jobs: 1, keepsGoing: true)
    #expect(run.start() == ["a"])
    #expect(run.fail("a") == ["-c for a", "-x for a", "-y for x", "b"])
    #expect(run.succeed("b") == ["drop u with a", "z"])
  }

  @Test func `a member below a failure breaks its unit`() {
    var manifest = together
    manifest.targets[2].needs = [TargetID(1), TargetID(5)]
    var run = Run(manifest, keepsGoing: true)
    #expect(run.start() == ["a", "z"])
    #expect(run.succeed("a") == ["c"])
    #expect(run.fail("z") == ["-b for z", "-x for a with b", "-y for x"])
    #expect(run.succeed("c") == ["drop u with b"])
    #expect(run.scheduler.isDone)
  }

  @Test func `what waits for a unit that cannot be published is skipped`() {
    var run = Run(together, keepsGoing: true)
    _ = (run.start(), run.succeed("a"), run.succeed("b"), run.succeed("z"))
    #expect(run.succeed("c") == ["publish u"])
    #expect(run.publish(failed: "b") == ["-x for a with b", "-y for x"])
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
      #expect(begun == (fails ? count : count + 1))
      #expect(scheduler.isDone)
    }
  }
}
