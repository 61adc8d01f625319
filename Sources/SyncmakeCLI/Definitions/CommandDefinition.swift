/// The definition of one command; completions, the man page and hints use it.
struct CommandDefinition {
  var name: String
  var abstract: String
  /// Paragraphs; indented lines are examples.
  var discussion: String
  /// In the order of the help, hidden ones left out.
  var parameters: [ParameterDefinition]
  var subcommands: [CommandDefinition] = []

  /// syncmake itself.
  static let program = DumpedJSON(SyncmakeCommand._dumpHelp())
    .flatMap { $0["command"] }.flatMap { CommandDefinition($0) }

  init?(_ dumped: DumpedJSON) {
    guard let name = dumped["commandName"]?.text else { return nil }
    self.name = name
    abstract = dumped["abstract"]?.text ?? ""
    discussion = dumped["discussion"]?.text ?? ""
    parameters = (dumped["arguments"]?.items ?? []).compactMap(ParameterDefinition.init)
    for inner in dumped["subcommands"]?.items ?? [] where inner["shouldDisplay"]?.isTrue == true {
      if let command = CommandDefinition(inner) { subcommands.append(command) }
    }
    // `help` takes a command's name, although its definition does not say so.
    if name == "help" { nameHelpTopics() }
  }

  func subcommand(_ name: String) -> CommandDefinition? { subcommands.first { $0.name == name } }

  /// The flag or option called `name`, dashes included.
  func parameter(_ name: String) -> ParameterDefinition? { parameters.first { $0.names.contains(name) } }

  var positionals: [ParameterDefinition] { parameters.filter { $0.kind == .positional } }
  var switches: [ParameterDefinition] { parameters.filter { $0.kind != .positional } }

  private mutating func nameHelpTopics() {
    for index in parameters.indices where parameters[index].kind == .positional {
      parameters[index].values = .commands
      parameters[index].valueName = "command"
      parameters[index].isRepeating = false
    }
  }
}

/// An option, a flag or a positional argument.
struct ParameterDefinition: Equatable {
  enum Kind: String {
    case flag, option, positional
  }

  /// The kind of the option's value.
  enum Values: Equatable {
    case any
    case words([String])
    case files, folders
    case names(ManifestNameKind)
    /// The program's commands.
    case commands
  }

  var kind: Kind
  /// With their dashes, one-letter names first; empty for a positional argument.
  var names: [String]
  var valueName: String
  var abstract: String
  /// `nil` if it is missing or empty.
  var defaultValue: String?
  var isRepeating: Bool
  var isOptional: Bool
  var values: Values

  /// `nil` for what help does not show.
  init?(_ dumped: DumpedJSON) {
    guard let kind = dumped["kind"]?.text.flatMap(Kind.init), dumped["shouldDisplay"]?.isTrue == true else {
      return nil
    }
    self.kind = kind
    names = Self.names(dumped["names"]?.items ?? [])
    valueName = dumped["valueName"]?.text ?? "value"
    abstract = dumped["abstract"]?.text ?? ""
    defaultValue = dumped["defaultValue"]?.text
    isRepeating = dumped["isRepeating"]?.isTrue == true
    isOptional = dumped["isOptional"]?.isTrue == true
    values = Self.values(dumped)
  }

  var takesValue: Bool { kind == .option }

  private static func names(_ dumped: [DumpedJSON]) -> [String] {
    var names: [String] = []
    for entry in dumped {
      guard let name = entry["name"]?.text else { continue }
      let dashed = (entry["kind"]?.text == "long" ? "--" : "-") + name
      // The dump of `help` has one of its names twice.
      if !names.contains(dashed) { names.append(dashed) }
    }
    return names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") }
  }

  private static func values(_ dumped: DumpedJSON) -> Values {
    guard let kind = dumped["completionKind"] else { return .any }
    if let words = kind["list"]?["values"]?.items.compactMap(\.text) { return .words(words) }
    if kind["directory"] != nil { return .folders }
    if kind["file"] != nil { return .files }
    let command = kind["shellCommand"]?["command"]?.text
    return ManifestNameKind.allCases.first { $0.command == command }.map(Values.names) ?? .any
  }
}
