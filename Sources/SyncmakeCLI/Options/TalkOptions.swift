import ArgumentParser
import Reporting

/// How to talk, for commands without a manifest of their own.
struct TalkOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print only errors, and what --json asks for.")
  var silent = false

  @Option(help: ArgumentHelp("Colours: auto, always or never.", valueName: "when"))
  var color: ColorChoice = .auto

  /// For what goes to standard error.
  var style: TextStyle { Console.errStyle(color) }
  /// For results, which go to standard output.
  var outStyle: TextStyle { Console.outStyle(color) }
}
