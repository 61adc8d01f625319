import ArgumentParser
import Execution
import Platform
import Reporting
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program from its arguments to its exit status.
package enum CommandLineProgram {
  /// Runs with the process's own arguments; returns only if the exit status is 0.
  package static func main() {
    // A reader that goes away is a failed write, not a reason to die in the middle of a run.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is one that cannot be written.
    signal(SIGXFSZ, SIG_IGN)
    // A parent may have it ignored: then the end of a helper could not be waited for.
    signal(SIGCHLD, SIG_DFL)
    Console.holdStandardStreams()
    guard let all = ProcessArguments.all() else {
      refuse(
        "the arguments are not available", hint: "pass the program's name as the first argument, as shells do"
      )
    }
    let arguments = Array(all.dropFirst())
    var found = QuickCheck.Answer()
    if !VersionAnswer.answers(arguments), !CompletionAnswer.answers(arguments),
      !ManualPage.answers(arguments),
      !QuickRun.succeeds(arguments, &found)
    {
      perform(ArgumentOrder.commandFirst(ArgumentOrder.separated(arguments)), found)
    }
    endIfNotStored()
  }

  /// Ends a finished run.
  ///
  /// It exits from inside the run, with all data still allocated: freeing the memory of ten thousand targets just
  /// before the exit takes a fiftieth of the run's time.
  static func endInSuccess() -> Never {
    endIfNotStored()
    exit(0)
  }

  /// Results that could not be written are a failure.
  private static func endIfNotStored() {
    guard Console.failure != 0 else { return }
    Console.err(
      MessageText.error(
        unsafe "cannot write the results: \(String(cString: strerror(Console.failure)))", style: TextStyle()))
    exit(2)
  }
}

extension CommandLineProgram {
  /// Ends the program if the command does; a wrong command line exits with 64.
  private static func perform(_ arguments: [String], _ found: QuickCheck.Answer) {
    if arguments.first == "help", let topic = arguments.dropFirst().first, !topic.hasPrefix("-"),
      !ArgumentOrder.commands.contains(topic)
    {
      let near = NearestName.find(topic, among: ArgumentOrder.commands.sorted())
      refuse(
        "there is no command '\(topic)'",
        hint: near.map { "did you mean `syncmake help \($0)`?" } ?? "`syncmake help` lists the commands")
    }
    do {
      if let quick = QuickArguments(arguments), !quick.isPlan {
        return try RunCommand(quick).run(found)
      }
      var command = try SyncmakeCommand.parseAsRoot(arguments)
      switch command {
      case let run as RunCommand: try run.run(found)
      case let plan as PlanCommand: try plan.run(found.lists)
      default: try command.run()
      }
    } catch {
      // A bare exit status comes from a command that has printed its error.
      if let status = error as? ExitCode {
        if status.rawValue <= 2 { endIfNotStored() }
        SyncmakeCommand.exit(withError: error)
      }
      switch SyncmakeCommand.exitCode(for: error) {
      case .success: return Console.out(SyncmakeCommand.fullMessage(for: error) + "\n")
      case .validationFailure: break
      default: SyncmakeCommand.exit(withError: error)
      }
      let problem = CommandLineProblem(
        SyncmakeCommand.message(for: error), arguments, program: CommandDefinition.program)
      refuse(problem.message, hint: problem.hint)
    }
  }

  private static func refuse(_ message: String, hint: String?) -> Never {
    Console.err(MessageText.error(message, hint: hint, style: TextStyle()))
    exit(ExitCode.validationFailure.rawValue)
  }
}

struct SyncmakeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syncmake",
    abstract: "Bring local files up to date with remote ones, as make does with sources.",
    discussion: """
      The default command is `run`: `syncmake`, `syncmake genes` and `syncmake -n` work.

      Examples:
        syncmake init                write a first manifest
        syncmake add URL             write a target with a rule that works there
        syncmake                     bring everything up to date
        syncmake -n                  show what that would do; write nothing
        syncmake genes index         only these targets, and what they need
        syncmake list                show targets and groups
        syncmake plan --exit-code    for CI: exit 1 if something is stale
        syncmake explain genes       why it is fresh or stale
        syncmake lock                write exact versions, to commit
        syncmake update genes        accept the version that the source has now
        syncmake run --frozen        exactly the locked versions, without network

      The options of run that make has, too (for all options: syncmake help run):
        -n    dry run             -q    exit 0 or 1 only
        -j N  targets at once     -k    keep going after a failure
        -B    all are stale       -t    record, no download
        -o T  T is fresh          -W T  fetch T again
        -C DIR, -f FILE, -s, -v   as in make
      """,
    version: VersionAnswer.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Working",
        subcommands: [
          RunCommand.self, LockCommand.self, UpdateCommand.self, CleanCommand.self, MergeCommand.self,
          CacheCommand.self,
        ]),
      CommandGroup(
        name: "Looking",
        subcommands: [
          PlanCommand.self, OutdatedCommand.self, ExplainCommand.self, StatusCommand.self, ListCommand.self,
          GraphCommand.self,
        ]),
      CommandGroup(
        name: "Manifest",
        subcommands: [
          InitCommand.self, AddCommand.self, ProbeCommand.self, ValidateCommand.self, SchemaCommand.self,
        ]),
      CommandGroup(name: "Settings", subcommands: [ConfigCommand.self]),
      CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self]),
    ],
    defaultSubcommand: RunCommand.self)
}
