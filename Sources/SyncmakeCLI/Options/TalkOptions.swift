import ArgumentParser
import Reporting

/// How to talk, for commands without a manifest of their own.
struct TalkOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print errors only.")
  var silent = false

  @Option(help: ArgumentHelp("Colours: auto, always or never.", valueName: "when"))
  var color: ColorChoice = .auto

  var style: TextStyle { TextStyle(colour: Surroundings.wantsColour(color), width: Console.columns) }
}
