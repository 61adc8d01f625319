import SyncModel

/// A wrong command line, in this program's own words, with a suggestion.
struct CommandLineProblem: Equatable {
  var message: String
  var hint: String

  /// `parserMessage` is ArgumentParser's one line; `arguments` are those of the command line.
  init(_ parserMessage: String, _ arguments: [String], program: CommandDefinition?) {
    // The parser's own suggestion confuses short names.
    let end = parserMessage.firstPlace(of: ". Did you mean ")?.lowerBound ?? parserMessage.endIndex
    var text = String(parserMessage[..<end])
    let command = arguments.first.flatMap { program?.subcommand($0) } ?? program?.subcommand("run")
    // The parser takes the value of an unknown option for the argument.
    if text.holds("' is invalid for '<"), let command,
      let name = Self.unknownOption(among: arguments, command)
    {
      text = "Unknown option '\(name)'"
    }
    message = Self.ownForm(text)
    let name = Self.unknownOption(in: text)
    hint =
      name.flatMap { Self.hint($0, command, program) } ?? Self.hintOfMissingValue(
        in: text, arguments, command)
      ?? "`syncmake help \(command?.name ?? "run")` lists the options"
  }

  /// `nil` unless an option lacks its value because what follows begins with a dash.
  private static func hintOfMissingValue(
    in text: String, _ arguments: [String], _ command: CommandDefinition?
  ) -> String? {
    guard text.hasPrefix("Missing value for '") else { return nil }
    let name = String(text.dropFirst("Missing value for '".count).prefix { $0 != " " && $0 != "'" })
    // The option may be there once more, with its value.
    let pair = zip(arguments, arguments.dropFirst()).first { $0 == name && $1.hasPrefix("-") }
    guard let next = pair?.1, let long = command?.parameter(name)?.names.last else { return nil }
    return "`\(next)` looks like an option; to pass it as a value, write `\(long)=\(next)`"
  }

  /// Without a capital at its beginning, unless a name is there, and without a full stop, in one line that is not too long.
  private static func ownForm(_ text: String) -> String {
    var form = text.split(separator: "\n").joined(separator: " ")
    if form.hasSuffix(".") { form.removeLast() }
    // The parser repeats all of thousands of unexpected arguments.
    if form.count > 1000 { form = "\(form.prefix(200)) ... \(form.suffix(200))" }
    let isName = form.dropFirst().prefix { $0 != " " }.contains { $0.isUppercase || $0 == "_" }
    return isName ? form : form.prefix(1).lowercased() + form.dropFirst()
  }

  private static func unknownOption(in text: String) -> String? {
    guard text.hasPrefix("Unknown option '") else { return nil }
    return text.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first.map(String.init)
  }

  private static func unknownOption(among arguments: [String], _ command: CommandDefinition) -> String? {
    arguments.prefix { $0 != "--" }.lazy.filter { $0.hasPrefix("-") && $0 != "-" }
      .compactMap { firstUnknown(in: String($0.prefix { $0 != "=" }), command) }.first
  }

  /// `nil` if no command has a similar option.
  private static func hint(
    _ name: String, _ command: CommandDefinition?, _ program: CommandDefinition?
  ) -> String? {
    guard let command, let program else { return nil }
    let name = Self.firstUnknown(in: name, command) ?? name
    if case .words(let words)? = command.parameter("--format")?.values,
      let word = words.first(where: { "--" + $0 == name })
    {
      return "write `--format \(word)`"
    }
    let owners = program.subcommands.filter { $0.parameter(name) != nil }.map { "`\($0.name)`" }
    if !owners.isEmpty { return "\(name) is an option of \(list(owners)), not of `\(command.name)`" }
    guard name.hasPrefix("--") else { return nil }
    let known = command.switches.flatMap(\.names).filter { $0.hasPrefix("--") }
    // A common beginning is better than similarity: `--keep` does not mean `--help`.
    let nearest =
      known.filter { $0.hasPrefix(name) }.min { $0.count < $1.count } ?? NearestName.find(name, among: known)
    return nearest.map { "did you mean `\($0)`?" }
  }

  /// `name`, or of short options in one word, such as `-kj4`, the first one that `command` does not have; `nil` if it
  /// has all.
  private static func firstUnknown(in name: String, _ command: CommandDefinition) -> String? {
    let isGroup = name.hasPrefix("-") && !name.hasPrefix("--") && name.count > 2
    let names = isGroup ? name.dropFirst().map { "-\($0)" } : [name]
    return names.first { command.parameter($0) == nil }
  }

  private static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and \(last)"
  }
}
