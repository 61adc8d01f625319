import ArgumentParser
import Testing

@testable import SyncmakeCLI

@Suite struct ArgumentOrderTests {
  @Test(arguments: [
    (["plan"], ["plan"]),
    (["-C", "dir", "plan", "-v"], ["plan", "-C", "dir", "-v"]),
    (["-j4", "status"], ["status", "-j4"]),
    (["--tag", "plan"], ["--tag", "plan"]),
    (["-o", "run", "graph", "--format", "dot"], ["graph", "-o", "run", "--format", "dot"]),
    (["genes", "plan"], ["genes", "plan"]),
    (["--", "plan"], ["--", "plan"]),
    (["--events", "run", "update"], ["update", "--events", "run"]),
    (
      ["--junit", "a", "--trace", "b", "--ci", "none", "run"],
      ["run", "--junit", "a", "--trace", "b", "--ci", "none"]
    ),
    (["-C", "dir", "init"], ["init", "-C", "dir"]),
    (["--name", "probe", "add", "u"], ["add", "--name", "probe", "u"]),
    (["--header", "add: x", "probe", "u"], ["probe", "--header", "add: x", "u"]),
    (["-n"], ["-n"]),
    ([], []),
  ])
  func `a command may follow options, but not a target`(_ given: [String], _ expected: [String]) {
    #expect(ArgumentOrder.commandFirst(given) == expected)
  }

  @Test(arguments: [
    "-q", "-k", "-B", "-t", "-n", "-s", "-v", "--no-wait", "--json", "--offline", "--overwrite",
  ])
  func `make's flags are run's flags`(_ flag: String) throws {
    _ = try #require(try SyncmakeCommand.parseAsRoot([flag, "a", "b"]) as? RunCommand)
  }

  @Test func `values may be attached to one-letter options`() throws {
    let command = try #require(
      try SyncmakeCommand.parseAsRoot(["-j4", "-oa", "-Wb", "-fx.yaml", "-o", "c"]) as? RunCommand)
    #expect(command.decisions.jobs == 4)
    #expect(command.decisions.assumeOld == ["a", "c"])
    #expect(command.decisions.assumeNew == ["b"])
    #expect(command.project.place.file == "x.yaml")
  }

  @Test func `a header is split at its first colon`() throws {
    let command = try #require(
      try SyncmakeCommand.parseAsRoot(["probe", "--header", "X-A:  b: c", "u", "v"]) as? ProbeCommand)
    #expect(command.asking.headers.map(\.name) == ["X-A"])
    #expect(command.asking.headers.map(\.value) == ["b: c"])
    #expect(command.urls == ["u", "v"])
  }

  @Test(arguments: [
    ["-j0"], ["-j", "x"], ["--nonsense"], ["plan", "--color", "pink"], ["graph", "--format", "png"],
    ["--ci", "jenkins"], ["--events", ""], ["--events", "x", "--trace", "x"], ["-n", "--events", "x"],
    ["-q", "--junit", "x"], ["--events", "-", "--junit", "/dev/stdout"],
    ["probe"], ["add"], ["add", "a", "b"], ["probe", "--header", "x", "u"],
    ["add", "--freshness", "a\nb", "u"],
  ])
  func `a wrong command line is status 64`(_ arguments: [String]) {
    let error = #expect(throws: (any Error).self) { _ = try SyncmakeCommand.parseAsRoot(arguments) }
    #expect(error.map { SyncmakeCommand.exitCode(for: $0).rawValue } == 64)
  }
}
