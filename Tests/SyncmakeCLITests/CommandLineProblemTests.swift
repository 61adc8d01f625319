import Testing

@testable import SyncmakeCLI

/// The message for a wrong command line.
@Suite struct CommandLineProblemTests {
  private func problem(_ arguments: String...) throws -> CommandLineProblem { try problem(arguments) }

  private func problem(_ arguments: [String]) throws -> CommandLineProblem {
    let error = #expect(throws: (any Error).self) {
      var command = try SyncmakeCommand.parseAsRoot(arguments)
      try command.run()
    }
    return CommandLineProblem(
      SyncmakeCommand.message(for: try #require(error)), arguments, program: CommandDefinition.program)
  }

  @Test func `the nearest option is named`() throws {
    let problem = try problem("run", "--kep-going")
    #expect(problem.message == "unknown option '--kep-going'")
    #expect(problem.hint == "did you mean `--keep-going`?")
    #expect(try self.problem("plan", "--lokced").hint == "did you mean `--locked`?")
  }

  @Test func `the beginning of an option gets the option as a hint`() throws {
    // By its letters alone, `--help` would be nearer.
    #expect(try problem("run", "--keep").hint == "did you mean `--keep-going`?")
    #expect(try problem("run", "--dry").hint == "did you mean `--dry-run`?")
    #expect(try problem("run", "--assume").hint == "did you mean `--assume-old`?")
  }

  @Test func `a value that looks like an option is distinguished from a missing one`() throws {
    #expect(try problem("run", "-j", "-1").message == "the value of -j must be 1 or more, not -1")
    #expect(try problem("lock", "-j", "-1").message == "the value of -j must be 1 or more, not -1")
    let problem = try problem("run", "-C", "-x")
    #expect(problem.message == "missing value for '-C'")
    #expect(problem.hint == "`-x` looks like an option; to pass it as a value, write `--directory=-x`")
    #expect(try self.problem("run", "-C").hint == "`syncmake help run` lists the options")
    #expect(try self.problem("run", "-C", "a", "-C").hint == "`syncmake help run` lists the options")
    #expect(try self.problem("run", "-C", "a", "-C", "-x").hint == problem.hint)
  }

  @Test func `a value is named as it was written`() throws {
    for text in ["3/16", "seed/2", "size:1/2"] {
      #expect(
        try problem("plan", "--shards", text).message
          == "--shards takes the number of shards, such as 16 or size:16, not '\(text)'")
    }
    #expect(
      try problem("cache", "path", "--json").message
        == "cache path prints one line; --json is for the other actions")
  }

  @Test func `an option of another command is recognised`() throws {
    #expect(
      try problem("plan", "--keep-going").hint
        == "--keep-going is an option of `run`, `lock` and `update`, not of `plan`")
    #expect(try problem("graph", "--json").hint == "write `--format json`")
    #expect(try problem("validate", "-B").hint.hasPrefix("-B is an option of `run`, "))
    #expect(try problem("status", "-j4").hint.hasPrefix("-j is an option of `run`, "))
    #expect(try problem("lock", "-kB").hint.hasPrefix("-B is an option of `run`, "))
  }

  @Test func `the value of an unknown option is not taken for the argument`() throws {
    let problem = try problem("cache", "-C", ".", "info")
    #expect(problem.message == "unknown option '-C'")
    #expect(problem.hint.hasPrefix("-C is an option of `run`, "))
    #expect(problem.hint.hasSuffix(", not of `cache`"))
    #expect(try self.problem("cache", "--jobs", "4").message == "unknown option '--jobs'")
    #expect(try self.problem("completions", "-f", "x", "bash").message == "unknown option '-f'")
    for arguments in [["-s", "--json", "--color=never", "x"], ["-ss", "x"], ["--", "-x"]] {
      let problem = try self.problem(["cache"] + arguments)
      #expect(problem.message.hasPrefix("the value '\(arguments.last ?? "")' is invalid for '<action>'"))
    }
  }

  @Test func `without a similar option the hint names the list`() throws {
    let problem = try problem("explain", "--zzzzzzzzzzzzzz")
    #expect(problem.hint == "`syncmake help explain` lists the options")
    #expect(try self.problem("-Z").hint == "`syncmake help run` lists the options")
  }

  @Test func `of thousands of arguments the first and the last are shown`() throws {
    let arguments = ["list"] + (1...5000).map { "t\($0)" }
    let error = #expect(throws: (any Error).self) { try SyncmakeCommand.parseAsRoot(arguments) }
    let problem = CommandLineProblem(
      SyncmakeCommand.message(for: try #require(error)), arguments, program: CommandDefinition.program)
    #expect(problem.message.hasPrefix("5000 unexpected arguments: 't1', 't2', "))
    #expect(problem.message.hasSuffix(", 't4999', 't5000'"))
    #expect(problem.message.count < 500)
    #expect(try self.problem("list", "a", "b").message == "2 unexpected arguments: 'a', 'b'")
  }

  @Test func `other errors keep their message`() throws {
    #expect(try problem("-j0").message == "the value of -j must be 1 or more, not 0")
    #expect(try problem("validate", "-f", "").message == "-f needs a file's name")
    #expect(try problem("merge", "-C", "", "a").message == "-C needs a folder's name")
    #expect(try problem("run", "-C", "a", "-C", "").message == "-C needs a folder's name")
    #expect(try problem("explain").message == "missing expected argument '<target>'")
    #expect(
      try problem("graph", "--format", "png").message
        == "the value 'png' is invalid for '--format <format>'. Please provide one of 'dot', 'mermaid' or 'json'"
    )
  }
}
