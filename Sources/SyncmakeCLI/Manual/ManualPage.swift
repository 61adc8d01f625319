/// The manual page syncmake(1), in mdoc, from the program's own definitions.
///
/// scripts/install gets it with a hidden command; people read it with man.
enum ManualPage {
  /// `syncmake __manual`
  static let word = "__manual"

  /// Whether `arguments` ask for the page; if so it was printed.
  static func answers(_ arguments: [String]) -> Bool {
    guard arguments == [word], let program = CommandDefinition.program else { return false }
    Console.out(text(program))
    return true
  }

  static func text(_ program: CommandDefinition) -> String {
    var page = ManualWriter()
    page.macro(".Dd \(Version.date)")
    page.macro(".Dt SYNCMAKE 1")
    page.macro(".Os")
    page.section("NAME")
    page.macro(".Nm syncmake")
    page.macro(".Nd bring local files up to date with remote ones")
    synopsis(program, &page)
    description(program, &page)
    page.section("COMMANDS")
    for command in program.subcommands { describe(command, &page) }
    options(program, &page)
    ManualSections.write(&page)
    examples(program, &page)
    page.section("SEE ALSO")
    page.macro(".Xr curl 1 ,")
    page.macro(".Xr make 1")
    return page.text
  }

  private static func synopsis(_ program: CommandDefinition, _ page: inout ManualWriter) {
    page.section("SYNOPSIS")
    for command in program.subcommands {
      page.macro(".Nm")
      page.macro(command.name == "run" ? ".Op Cm run" : ".Cm \(command.name)")
      if !command.switches.isEmpty { page.macro(".Op Ar option ...") }
      for argument in command.positionals { page.macro(Self.synopsis(argument)) }
    }
  }

  private static func synopsis(_ argument: ParameterDefinition) -> String {
    let words = "Ar \(argument.valueName)" + (argument.isRepeating ? " ..." : "")
    return argument.isOptional ? ".Op \(words)" : ".\(words)"
  }

  private static func description(_ program: CommandDefinition, _ page: inout ManualWriter) {
    page.section("DESCRIPTION")
    page.macro(".Nm")
    page.prose(ManualSections.description)
    page.paragraph()
    page.prose("The default command is `run`. Options may precede or follow the command.")
  }

  /// A command with its purpose and its options.
  private static func describe(_ command: CommandDefinition, _ page: inout ManualWriter) {
    page.macro(".Ss syncmake \(command.name)")
    page.prose(command.abstract)
    page.blocks(command.discussion)
    let names = command.switches.map { $0.names.map { "`\($0)`" }.joined(separator: " ") }
    guard !names.isEmpty else { return }
    page.paragraph()
    page.prose("Options: " + names.joined(separator: ", ") + ".")
  }

  /// Each option once, with the commands that take it.
  private static func options(_ program: CommandDefinition, _ page: inout ManualWriter) {
    var distinct: [(option: ParameterDefinition, commands: [String])] = []
    for command in program.subcommands {
      for option in command.switches {
        if let index = distinct.firstIndex(where: { $0.option.isSame(as: option) }) {
          distinct[index].commands.append(command.name)
        } else {
          distinct.append((option, [command.name]))
        }
      }
    }
    page.section("OPTIONS")
    page.macro(".Bl -tag -width Ds")
    for (option, commands) in distinct {
      page.macro(".It " + option.names.map { Self.flag($0, option) }.joined(separator: " , "))
      page.prose(option.abstract + Self.default(of: option))
      let isOfAll = commands.count == program.subcommands.count
      page.prose(
        isOfAll ? "For every command." : "For \(commands.map { "`\($0)`" }.joined(separator: ", ")).")
    }
    page.macro(".El")
  }

  private static func `default`(of option: ParameterDefinition) -> String {
    var words: [String] = []
    if case .words(let values) = option.values { words.append("One of \(values.joined(separator: ", ")).") }
    if let value = option.defaultValue { words.append("The default is \(value).") }
    return words.map { " \($0)" }.joined()
  }

  /// `Fl` writes the first dash itself.
  private static func flag(_ name: String, _ option: ParameterDefinition) -> String {
    "Fl \(ManualWriter.escaped(String(name.dropFirst())))"
      + (option.takesValue ? " Ar \(option.valueName)" : "")
  }

  /// The examples of the program's own help.
  private static func examples(_ program: CommandDefinition, _ page: inout ManualWriter) {
    page.section("EXAMPLES")
    page.blocks(program.discussion, onlyExamples: true)
  }
}

extension ParameterDefinition {
  /// Whether one entry covers both.
  fileprivate func isSame(as other: ParameterDefinition) -> Bool {
    names == other.names && abstract == other.abstract
  }
}
