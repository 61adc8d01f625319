/// The possible completions at a position of a command line.
struct Completion: Equatable {
  struct Candidate: Equatable {
    var text: String
    /// For the shells that show one.
    var summary: String?
  }

  enum Paths: Equatable {
    case files, folders
  }

  var candidates: [Candidate] = []
  /// The shell's own completion of files or folders, after `prefix`.
  var paths: Paths?
  /// The text before the value in the same word, such as `--file=` or `-j`.
  var prefix = ""
  /// Whether the candidates are beginnings of longer names, too many to show.
  var areBeginnings = false

  /// Words before the current one, the program's own name left out; `names` is asked at most once.
  static func of(
    _ current: String, after words: [String], in program: CommandDefinition,
    names: @escaping (ManifestNameKind, PartialLine) -> [Candidate]
  ) -> Completion {
    guard let line = PartialLine(words, in: program) else { return Completion() }
    return Completer(line: line, program: program, names: names).complete(current)
  }

  /// The same with at most `limit` candidates: if there are more, their beginnings, as long as the limit allows.
  ///
  /// A shell takes seconds for 100,000 words, and no person reads them.
  func limited(to limit: Int) -> Completion {
    guard limit > 0, candidates.count > limit else { return self }
    var limited = self
    let texts = candidates.map { Array($0.text.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    limited.areBeginnings = true
    limited.candidates = Self.beginnings(texts, limit).map { Candidate(text: $0) }
    return limited
  }

  /// The longest beginnings with one length of sorted texts, at most `limit` of them.
  private static func beginnings(_ texts: [[UInt8]], _ limit: Int) -> [String] {
    // By how many bytes each text begins as the one before it does: a cut at `length` parts those with less.
    let shared = zip(texts, texts.dropFirst()).map { first, second in
      zip(first, second).prefix { $0 == $1 }.count
    }
    var length = shared.min() ?? 0
    while 1 + shared.count(where: { $0 < length + 1 }) <= limit { length += 1 }
    var cut: [String] = []
    for (index, text) in texts.enumerated() where index == 0 || shared[index - 1] < length {
      cut.append(String(decoding: text.prefix(length), as: UTF8.self))
    }
    return cut
  }
}

/// One completion under way.
private struct Completer {
  let line: PartialLine
  let program: CommandDefinition
  let names: (ManifestNameKind, PartialLine) -> [Completion.Candidate]

  func complete(_ current: String) -> Completion {
    if let option = line.pending { return values(of: option, current) }
    guard !line.isAfterTerminator, current.hasPrefix("-") else { return words(current) }
    if let (option, prefix) = attachedOption(current) {
      return values(of: option, current, prefix: prefix)
    }
    return Completion(candidates: options(current))
  }

  /// The option whose value is also in `current`, and the part that is not the value.
  private func attachedOption(_ current: String) -> (ParameterDefinition, prefix: String)? {
    if current.hasPrefix("--") {
      guard let sign = current.firstIndex(of: "="),
        let option = line.command.parameter(String(current[..<sign])),
        option.takesValue
      else { return nil }
      return (option, String(current[...sign]))
    }
    var index = current.index(after: current.startIndex)
    while index < current.endIndex, let option = line.command.parameter("-\(current[index])") {
      index = current.index(after: index)
      if option.takesValue { return (option, String(current[..<index])) }
    }
    return nil
  }

  private func options(_ current: String) -> [Completion.Candidate] {
    line.command.switches
      .filter { $0.isRepeating || !line.given.contains($0.names[0]) }
      .flatMap { option in option.names.map { .init(text: $0, summary: option.abstract) } }
      .filter { $0.text.hasPrefix(current) }
  }

  private func words(_ current: String) -> Completion {
    var completion = Completion()
    if !line.namesCommand, line.positionals.isEmpty, !line.isAfterTerminator {
      completion.candidates = possibleCommands.filter { $0.text.hasPrefix(current) }
    }
    let positionals = line.command.positionals
    let index = line.positionals.count
    let repeating = positionals.last.flatMap { $0.isRepeating ? $0 : nil }
    guard let parameter = index < positionals.count ? positionals[index] : repeating else {
      return completion
    }
    let values = values(of: parameter, current)
    completion.candidates += values.candidates.filter { !line.positionals.contains($0.text) }
    completion.paths = values.paths
    return completion
  }

  private func values(
    of parameter: ParameterDefinition, _ current: String, prefix: String = ""
  ) -> Completion {
    var completion = Completion(prefix: prefix)
    switch parameter.values {
    case .any: break
    case .words(let words): completion.candidates = words.map { .init(text: $0) }
    case .files: completion.paths = isOfShell(current.dropFirst(prefix.count)) ? .files : nil
    case .folders: completion.paths = isOfShell(current.dropFirst(prefix.count)) ? .folders : nil
    case .names(let kind): completion.candidates = names(kind, line)
    case .commands: completion.candidates = commands
    }
    completion.candidates =
      completion.candidates
      .map { .init(text: prefix + $0.text, summary: $0.summary) }
      .filter { $0.text.hasPrefix(current) }
    return completion
  }

  /// Whether a path is one from the shell's folder: the shell does not look in the folder that -C names.
  private func isOfShell(_ path: Substring) -> Bool {
    line.directories.isEmpty || path.hasPrefix("/") || path.hasPrefix("~")
  }

  private var commands: [Completion.Candidate] { program.subcommands.map(candidate) }

  /// Those that have the options which precede them.
  private var possibleCommands: [Completion.Candidate] {
    program.subcommands.filter { command in line.given.allSatisfy { command.parameter($0) != nil } }
      .map(candidate)
  }

  private func candidate(_ command: CommandDefinition) -> Completion.Candidate {
    .init(text: command.name, summary: command.abstract)
  }
}
