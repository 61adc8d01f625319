import ArgumentParser

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program from its arguments to its exit status.
package enum CommandLineProgram {
  package static func main() {
    // A reader that goes away is a failed write, not a reason to die in the middle of a run.
    signal(SIGPIPE, SIG_IGN)
    SyncmakeCommand.main(ArgumentOrder.commandFirst(Array(CommandLine.arguments.dropFirst())))
  }
}

struct SyncmakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syncmake",
    abstract: "Bring local files up to date with remote ones, the way make does with sources.",
    discussion: """
      Without a command, `run` is meant: `syncmake`, `syncmake genes` and `syncmake -n` work.

      Examples:
        syncmake                     bring everything up to date
        syncmake -n                  say what that would do; write nothing
        syncmake genes index         only these targets, and what they need
        syncmake plan --exit-code    for pipelines: exit 1 when something is stale
        syncmake explain genes       why it is fresh or stale
      """,
    version: "syncmake \(Version.number)",
    subcommands: [
      RunCommand.self, PlanCommand.self, StatusCommand.self, ValidateCommand.self, ExplainCommand.self,
      GraphCommand.self, CleanCommand.self, SchemaCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}
