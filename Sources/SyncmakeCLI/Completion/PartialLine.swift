/// The words of a command line before the one that is being completed, understood as the program would.
struct PartialLine {
  /// The command in the line, or the default command.
  private(set) var command: CommandDefinition
  /// Whether the line names the command itself.
  private(set) var namesCommand = false
  /// An option whose value is the next word.
  private(set) var pending: ParameterDefinition?
  private(set) var positionals: [String] = []
  /// The names of the options that are there already, each by its first name.
  private(set) var given: Set<String> = []
  /// `-C`, in their order.
  private(set) var directories: [String] = []
  /// `-f`
  private(set) var file: String?
  /// Whether a `--` was there: no option follows.
  private(set) var isAfterTerminator = false

  /// Without `run` there is no default command, and no answer.
  init?(_ words: [String], in program: CommandDefinition) {
    guard let run = program.subcommand("run") else { return nil }
    var words = words
    // Options may precede the command, so the command determines their meaning.
    if let index = Self.commandIndex(words, program), let command = program.subcommand(words[index]) {
      self.command = command
      namesCommand = true
      words.remove(at: index)
    } else {
      command = run
    }
    for word in words { take(word) }
  }

  private static func commandIndex(_ words: [String], _ program: CommandDefinition) -> Int? {
    let first = ArgumentOrder.firstWord(words)
    return first.flatMap { program.subcommand(words[$0]) == nil ? nil : $0 }
  }

  private mutating func take(_ word: String) {
    if let option = pending {
      pending = nil
      note(option, value: word)
    } else if isAfterTerminator || !word.hasPrefix("-") || word == "-" {
      positionals.append(word)
    } else if word == "--" {
      isAfterTerminator = true
    } else if word.hasPrefix("--") {
      takeLong(word)
    } else {
      takeLetters(word)
    }
  }

  private mutating func takeLong(_ word: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let option = command.parameter(String(parts[0])) else { return }
    take(option, attached: parts.count > 1 ? String(parts[1]) : nil)
  }

  /// `-kj4`: flags, and at the end perhaps an option with its value.
  private mutating func takeLetters(_ word: String) {
    var rest = word.dropFirst()
    while let letter = rest.popFirst(), let option = command.parameter("-\(letter)") {
      if option.takesValue { return take(option, attached: rest.isEmpty ? nil : String(rest)) }
      take(option, attached: nil)
    }
  }

  private mutating func take(_ option: ParameterDefinition, attached: String?) {
    given.insert(option.names[0])
    guard option.takesValue else { return }
    if let attached { note(option, value: attached) } else { pending = option }
  }

  private mutating func note(_ option: ParameterDefinition, value: String) {
    if option.names.contains("--directory") { directories.append(value) }
    if option.names.contains("--file") { file = value }
  }
}
