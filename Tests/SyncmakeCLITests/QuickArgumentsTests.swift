import ArgumentParser
import SyncTestSupport
import Testing

@testable import SyncmakeCLI

/// The quick reader and the argument parser must always agree about a command line.
@Suite struct QuickArgumentsTests {
  private static let words = [
    "run", "-C", "a", "--directory", "-f", "x.yaml", "--file", "--state-dir", "-q", "--question", "-s",
    "--silent", "-k", "--keep-going", "--no-wait", "--offline", "--overwrite", "-j", "4", "-j12", "--jobs",
    "--exit-temporary", "--json", "--shard", "3/16", "--cache", "--remote-cache", "off",
    "plan", "-n", "-B", "auto",
    "-v", "", "--", "-", "-qs", "-fx", "-Ca", "-j0", "--tag", "genes", "-t", "status", "--version", "-h",
  ]

  @Test func `command lines that it reads are read alike by the parser`() throws {
    var read = 0
    // The parser is slow, so only a few lines are tested.
    var number = 0
    while read < 30 {
      number += 1
      var random = SeededGenerator(seed: 3, case: number)
      // Mostly known words, so that not every line has an unknown one.
      let arguments = (0..<random.below(6)).map { _ in
        random.oneIn(8) ? random.pick(Self.words) : random.pick(Array(Self.words.prefix(28)))
      }
      guard let quick = QuickArguments(arguments) else { continue }
      read += 1
      guard !quick.isPlan else {
        try expectPlan(quick, arguments)
        continue
      }
      let ordinary = ArgumentOrder.commandFirst(ArgumentOrder.separated(arguments))
      let command = try #require(try SyncmakeCommand.parseAsRoot(ordinary) as? RunCommand, "\(arguments)")
      expect(quick, command, arguments)
      // Every field, also those that this test does not name, is as the parser sets it.
      #expect(String(describing: RunCommand(quick)) == String(describing: command), "\(arguments)")
      // It accepts only the command lines that it knows.
      #expect(command.selection.targets.isEmpty && command.selection.tag.isEmpty)
      #expect(!command.dryRun && !command.touch && !command.project.verbose)
      #expect(command.json == quick.printsJSON && command.shards.shard == quick.shard)
      #expect(!command.decisions.alwaysMake && command.decisions.assumeOld.isEmpty)
      #expect(command.decisions.assumeNew.isEmpty)
    }
  }

  private func expect(_ quick: QuickArguments, _ command: RunCommand, _ arguments: [String]) {
    #expect(quick.directories == command.project.place.folder.directory, "\(arguments)")
    #expect(quick.file == command.project.place.file, "\(arguments)")
    #expect(quick.stateDir == command.project.stateDir, "\(arguments)")
    #expect(quick.isQuestion == command.question, "\(arguments)")
    #expect(quick.isSilent == command.project.silent, "\(arguments)")
    #expect(quick.isOffline == command.decisions.offline, "\(arguments)")
    #expect(quick.jobs == command.decisions.jobs, "\(arguments)")
  }

  @Test(arguments: [
    ["plan"], ["plan", "-f", "y", "-s"], ["plan", "--state-dir", "x", "--offline", "--silent"],
    ["plan", "-C", "x", "--directory", "y"], ["-C", "plan", "plan"], ["-s", "-f", "y", "plan", "--offline"],
  ])
  func `a plan that it reads is read alike by the parser`(_ arguments: [String]) throws {
    let quick = try #require(QuickArguments(arguments))
    #expect(quick.isPlan)
    try expectPlan(quick, arguments)
  }

  private func expectPlan(_ quick: QuickArguments, _ arguments: [String]) throws {
    let ordinary = ArgumentOrder.commandFirst(ArgumentOrder.separated(arguments))
    let command = try #require(try SyncmakeCommand.parseAsRoot(ordinary) as? PlanCommand, "\(arguments)")
    #expect(quick.file == command.project.place.file)
    #expect(quick.directories == command.project.place.folder.directory)
    #expect(quick.stateDir == command.project.stateDir && quick.isSilent == command.project.silent)
    #expect(quick.isOffline == command.decisions.offline && !command.json && !command.exitCode)
    #expect(command.selection.targets.isEmpty && command.selection.tag.isEmpty && !command.project.verbose)
    #expect(!command.decisions.alwaysMake && command.decisions.assumeOld.isEmpty)
  }

  @Test func `a command made without the parser has every field`() throws {
    let quick = try #require(QuickArguments([]))
    #expect(!String(describing: RunCommand(quick)).contains("definition"))
  }

  @Test(arguments: [
    [], ["run"], ["-q"], ["-C", "x"], ["-C", "x", "-C", "y", "-q"], ["run", "-f", "x", "-s"],
    ["--no-wait", "--offline", "-k"], ["--exit-temporary"], ["-j", "4"], ["-j8"], ["--jobs", "1"],
    ["plan"], ["plan", "-f", "y", "-s"], ["plan", "--state-dir", "x", "--offline"],
    ["plan", "-C", "x"], ["-C", "x", "plan"], ["-q", "run"], ["-C", "run", "-s", "run", "-k"],
    ["run", "--shard", "3/16", "-k", "--json"], ["--shard", "seed/2"], ["--json"],
  ])
  func `it reads common command lines`(_ arguments: [String]) { #expect(QuickArguments(arguments) != nil) }

  @Test(arguments: [
    ["genes"], ["plan", "genes"], ["plan", "-C", ""], ["plan", "-q"], ["plan", "-k"],
    ["plan", "--exit-code"],
    ["plan", "--json"],
    ["plan", "-j4"], ["-n"], ["-q", "--json"], ["plan", "--shard", "3/16"], ["--shard", "17/16"], ["--shard"],
    ["-q", "--shard", "3/16"], ["--shard", "1/2", "--shard", "1/2"], ["--shard", "1/2", "--with-shared"],
    ["-v"], ["-B"], ["-t"], ["-o", "a"], ["-W", "a"],
    ["--tag", "a"],
    ["--"], ["-C"], ["-f", "-"], ["-f", ""], ["-j"], ["-j", "04"], ["-j0"], ["-j", "4", "-j4"], ["-j", "x"],
    ["--version"], ["run", "run"], ["plan", "run"], ["-C", "x", "plan", "-j4"], ["-C", "x", "genes"], ["-qs"],
    ["-f", "a", "-f", "b"], ["status"], ["--locked"],
    ["--events", "x"], ["--junit", "x"], ["--trace", "x"], ["--ci", "none"],
  ])
  func `all other command lines are left to the parser`(_ arguments: [String]) {
    #expect(QuickArguments(arguments) == nil)
  }
}
