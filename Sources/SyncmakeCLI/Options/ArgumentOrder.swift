/// Allows options before the command, as make's and git's users write them: `syncmake -C dir plan`.
enum ArgumentOrder {
  static let commands: Set<String> = [
    "run", "plan", "status", "validate", "explain", "graph", "clean", "lock", "update", "schema",
    "completions", "init", "probe", "add", "help", "list", "outdated", "config", "merge", "cache",
  ]
  /// Options that take the next argument as their value; a one-letter one may also have it attached.
  static let takeValue: Set<String> = [
    "-C", "--directory", "-f", "--file", "--state-dir", "-j", "--jobs", "-o", "--assume-old", "-W",
    "--assume-new", "--tag", "--color", "--progress", "--format", "--events",
    "--junit", "--trace", "--report", "--depfile", "--ci", "--name", "--output", "--freshness", "--needs",
    "--header", "--changed", "--from", "--config", "--shard", "--shards", "--cache", "--max-size",
    "--max-age", "--policy", "--remote-cache", "--cache-wait",
  ]

  static let flags = Set("nqkBtsv")
  /// Those with a value, and the same in full.
  static let lettersWithValue: [Character: String] = [
    "C": "--directory", "f": "--file", "j": "--jobs", "o": "--assume-old", "W": "--assume-new",
  ]

  /// `-kj4` as `-k --jobs=4`, and `-j4` as `--jobs=4`; everything else as it is.
  ///
  /// The parser would look for flags among the letters of a value: `-h` in `-fother.yaml` is not a question for help.
  static func separated(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    var isValue = false
    return arguments[..<end].flatMap { argument in
      let words = isValue ? [argument] : separated(argument)
      isValue = !isValue && words.last.map(takeValue.contains) == true
      return words
    } + arguments[end...]
  }

  private static func separated(_ argument: String) -> [String] {
    guard argument.hasPrefix("-"), !argument.hasPrefix("--"), argument.count > 2 else { return [argument] }
    let letters = argument.dropFirst()
    let leading = letters.prefix { flags.contains($0) }
    let rest = letters.dropFirst(leading.count)
    guard let first = rest.first, let option = lettersWithValue[first] else { return [argument] }
    let value = rest.dropFirst()
    // An empty value stays where it is, and so does one after =.
    let isJoined = value.first != nil && value.first != "="
    return leading.map { "-\($0)" } + [isJoined ? "\(option)=\(value)" : "-\(rest)"]
  }

  /// `arguments` with the command moved to the front, if the first word that is not an option is a command.
  static func commandFirst(_ arguments: [String]) -> [String] {
    guard let index = firstWord(arguments), commands.contains(arguments[index]) else { return arguments }
    var moved = arguments
    moved.insert(moved.remove(at: index), at: 0)
    return moved
  }

  /// The position of the first word that is neither an option nor an option's value; `nil` if none precedes `--`.
  static func firstWord(_ arguments: [String]) -> Int? {
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      if argument == "--" { return nil }
      guard argument.hasPrefix("-"), argument != "-" else { return index }
      index += takeValue.contains(argument) ? 2 : 1
    }
    return nil
  }
}
