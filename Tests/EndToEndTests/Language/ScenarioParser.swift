import SyncTestSupport

/// Turns sections into steps; `expander` must know the servers' addresses, and learns the data.
struct ScenarioParser {
  private(set) var expander: Expander

  init(variables: [String: String]) { expander = Expander(variables: variables, data: [:]) }

  /// The servers that a scenario names, `BASE` first.
  static func servers(of file: ScenarioFile) -> [String] {
    let named = file.sections.filter { $0.kind == "serve" }.compactMap { $0.arguments.first?.text }
    let fronted = file.sections.filter { $0.kind == "front" }
      .flatMap { $0.arguments.filter { $0.key == "to" }.map(\.text) }
    return (named + fronted).reduce(into: ["BASE"]) {
      if !$0.contains($1.uppercased()) { $0.append($1.uppercased()) }
    }
  }

  mutating func steps(of file: ScenarioFile) throws(ScenarioProblem) -> [ScenarioStep] {
    var steps: [ScenarioStep] = []
    for section in file.sections {
      steps.append(ScenarioStep(line: section.line, action: try action(section)))
    }
    return steps
  }

  private mutating func action(_ section: ScenarioFile.Section) throws(ScenarioProblem) -> ScenarioStep.Action
  {
    var header = WordList(section.arguments, line: section.line)
    let action = try action(section, &header)
    try header.end()
    return action
  }

  private mutating func action(
    _ section: ScenarioFile.Section, _ header: inout WordList
  ) throws(ScenarioProblem) -> ScenarioStep.Action {
    switch section.kind {
    case "data":
      try DataSection.read(section, into: &expander)
      return .data
    case "file": return .edits(try fileSection(section, &header))
    case "serve":
      let server = header.isEmpty ? "BASE" : try header.take("a server").uppercased()
      return .script(server: server, try ServerScript(section, expander))
    case "front":
      // Started before anything else: see ``FrontSection``.
      while !header.isEmpty { _ = try header.take("a word") }
      return .data
    case "requires": return .requirements(try each(section, Self.requirement))
    case "env":
      return .environment(
        try each(section) { line, _ throws(ScenarioProblem) in
          var words = try WordList(line)
          return try Self.environment(&words)
        })
    case "do": return .edits(try each(section, FileEdit.read))
    case "run": return .run(try command(section))
    case "start": return .start(name: try header.take("a name"), try command(section))
    case "await": return .await(try each(section, Self.condition))
    case "end": return .end(name: try header.take("a name"), try command(section, hasProgram: false).checks)
    case "stdout", "stderr":
      let stream = RunCheck.Stream(rawValue: section.kind) ?? .stdout
      return .check([
        RunCheck(line: section.line, expectation: .text(stream, TextPattern(text: try text(section))))
      ])
    case "json": return .json(try jsonSection(section, &header))
    case "requests":
      let isOrdered = !header.flag("unordered")
      let server = header.isEmpty ? "BASE" : try header.take("a server").uppercased()
      return .requests(server: server, isOrdered: isOrdered, try requests(section))
    case "traffic":
      let server = header.isEmpty ? "BASE" : try header.take("a server").uppercased()
      return .traffic(server: server, try each(section, Self.traffic))
    case "expect":
      let path = try header.take("a path")
      return .files([
        FileCheck(
          line: section.line, expectation: .looksLike(path: path, TextPattern(text: try text(section))))
      ])
    case "files": return .files(try each(section, FileCheck.read))
    default: throw section.problem("unknown section \(section.kind)")
    }
  }

  // MARK: Lines

  private func each<Item>(
    _ section: ScenarioFile.Section,
    _ read: (SourceLine, Expander) throws(ScenarioProblem) -> Item
  ) throws(ScenarioProblem) -> [Item] {
    var items: [Item] = []
    for statement in section.statements { items.append(try read(try expander.expand(statement), expander)) }
    return items
  }

  private func text(_ section: ScenarioFile.Section) throws(ScenarioProblem) -> String {
    var text = ""
    for line in section.lines { text += try expander.expand(line).text + "\n" }
    return text
  }

  private static func requirement(
    _ line: SourceLine, _: Expander
  ) throws(ScenarioProblem) -> Requirement {
    switch line.text {
    case "user": return .user
    case "linux": return .linux
    case "tls": return .tls
    case "debug": return .debug
    default: throw line.problem("unknown requirement")
    }
  }

  /// `NAME=value`, or `unset NAME`.
  private static func environment(_ words: inout WordList) throws(ScenarioProblem) -> EnvironmentChange {
    if words.takeIf("unset") { return EnvironmentChange(name: try words.take("a name"), value: nil) }
    let rest = words.rest()
    guard rest.count == 1, let name = rest[0].key else { throw words.problem("write NAME=value") }
    return EnvironmentChange(name: name, value: rest[0].text)
  }

  private static func condition(_ line: SourceLine, _: Expander) throws(ScenarioProblem) -> Condition {
    var words = try WordList(line)
    let condition = try condition(&words)
    try words.end()
    return condition
  }

  private static func condition(_ words: inout WordList) throws(ScenarioProblem) -> Condition {
    let event: Condition.Event
    switch try words.take("an event") {
    case "asked":
      let (server, path) = try place(&words)
      event = .asked(server: server, path: path, count: words.isEmpty ? 1 : try words.takeNumber("a count"))
    case "sent":
      let (server, path) = try place(&words)
      event = .sent(server: server, path: path, bytes: try words.takeNumber("a number of bytes"))
    case "saved": event = .saved(bytes: try words.takeNumber("a number of bytes"))
    case "exists": event = .exists(path: try words.take("a path"))
    case "stderr":
      let program = words.takeIf("contains") ? nil : try words.take("a program")
      if program != nil, !words.takeIf("contains") { throw words.problem("stderr [PROGRAM] contains TEXT") }
      event = .stderr(program: program, text: try words.take("a text"))
    case let word: throw words.problem("unknown event \(word)")
    }
    return Condition(line: words.line.number, event: event)
  }

  /// `/path`, or `OTHER:/path` for another server than BASE.
  private static func place(_ words: inout WordList) throws(ScenarioProblem) -> (server: String, path: String)
  {
    let text = try words.take("a path")
    guard !text.hasPrefix("/"), let colon = text.firstIndex(of: ":") else { return ("BASE", text) }
    return (text[..<colon].uppercased(), String(text[text.index(after: colon)...]))
  }

  private static func traffic(_ line: SourceLine, _: Expander) throws(ScenarioProblem) -> TrafficCheck {
    var words = try WordList(line)
    let what = try words.take("a quantity")
    let quantity: TrafficCheck.Quantity
    switch what {
    case "requests":
      var path: String?
      if !words.takeIf("to") { path = nil } else { path = try words.take("a path") }
      quantity = .requests(path: path)
    case "connections": quantity = .connections
    case "peak-connections": quantity = .peakConnections
    case "peak-requests": quantity = .peakRequests
    default: throw words.problem("unknown quantity \(what)")
    }
    let comparison = try words.take("a comparison")
    guard isTrue(comparison, 0, 0) != nil else { throw words.problem("unknown comparison \(comparison)") }
    let number = try words.takeNumber("a number")
    try words.end()
    return TrafficCheck(line: line.number, quantity: quantity, comparison: comparison, number: number)
  }

  // MARK: Sections

  /// `-- file PATH [= DATA] [mode=0755] [mtime="…"] --`
  private func fileSection(
    _ section: ScenarioFile.Section, _ header: inout WordList
  ) throws(ScenarioProblem) -> [FileEdit] {
    let digits = try header.value("mode")
    let time = try header.value("mtime")
    let path = try header.take("a path")
    let isData = header.takeIf("=")
    let bytes =
      isData
      ? try expander.bytes(try header.take("data"), SourceLine(number: section.line, text: ""))
      : Array(try text(section).utf8)
    if isData && !section.statements.isEmpty { throw section.problem("either = DATA or lines of text") }
    let mode = digits.map { UInt16($0, radix: 8) ?? 0o644 } ?? 0o644
    let isProgram = mode & 0o111 != 0
    var edits = [
      FileEdit(
        line: section.line, change: isProgram ? .program(path: path, bytes, mode) : .write(path: path, bytes))
    ]
    if digits != nil && !isProgram {
      edits.append(FileEdit(line: section.line, change: .mode(path: path, mode)))
    }
    if let time {
      var words = WordList([Word(key: nil, text: time, isQuoted: true)], line: section.line)
      edits.append(FileEdit(line: section.line, change: .touch(path: path, try HTTPTime.read(&words))))
    }
    return edits
  }

  private func command(
    _ section: ScenarioFile.Section, hasProgram: Bool = true
  ) throws(ScenarioProblem) -> Command {
    var command = Command()
    for statement in section.statements { try read(try expander.expand(statement), into: &command) }
    guard command.arguments.isEmpty != hasProgram else {
      throw section.problem(hasProgram ? "no line says what to run" : "it already runs")
    }
    let saysStatus = command.checks.contains {
      switch $0.expectation {
      case .status, .signal: true
      default: false
      }
    }
    if !saysStatus { command.checks.append(RunCheck(line: section.line, expectation: .status(0))) }
    return command
  }

  private func read(_ line: SourceLine, into command: inout Command) throws(ScenarioProblem) {
    var words = try WordList(line)
    if words.takeIf("$") {
      guard command.arguments.isEmpty else { throw line.problem("one program at a time") }
      while !words.isEmpty { command.arguments.append(try words.take("a word")) }
      guard ["syncmake", "sh"].contains(command.arguments.first) else {
        throw line.problem("run syncmake or sh")
      }
    } else if words.takeIf("env") {
      command.environment.append(try Self.environment(&words))
    } else if words.takeIf("signal") {
      command.signal = try Self.signal(&words)
      guard words.takeIf("when") else { throw line.problem("signal NAME when EVENT") }
      command.signalCondition = try Self.condition(&words)
    } else {
      command.checks.append(RunCheck(line: line.number, expectation: try Self.expectation(&words)))
    }
    try words.end()
  }

  private static func expectation(_ words: inout WordList) throws(ScenarioProblem) -> RunCheck.Expectation {
    switch try words.take("a directive") {
    case "exit":
      if words.takeIf("signal") { return .signal(try signal(&words)) }
      return .status(Int32(clamping: try words.takeNumber("a status")))
    case "within": return .within(seconds: Double(try words.takeNumber("milliseconds")) / 1000)
    case "takes": return .takes(atLeast: Double(try words.takeNumber("milliseconds")) / 1000)
    case "stdout": return try expectation(of: .stdout, &words)
    case "stderr": return try expectation(of: .stderr, &words)
    case let word: throw words.problem("unknown directive \(word)")
    }
  }

  private static func expectation(
    of stream: RunCheck.Stream, _ words: inout WordList
  ) throws(ScenarioProblem) -> RunCheck.Expectation {
    switch try words.take("a check") {
    case "empty": return .empty(stream)
    case "contains": return .contains(stream, try words.take("a text"))
    case "lacks": return .lacks(stream, try words.take("a text"))
    case "matches": return .matches(stream, try words.take("an expression"))
    case let word: throw words.problem("unknown check \(word)")
    }
  }

  private static func signal(_ words: inout WordList) throws(ScenarioProblem) -> Int32 {
    switch try words.take("a signal") {
    case "INT": return 2
    case "KILL": return 9
    case "PIPE": return 13
    case "TERM": return 15
    case let word: throw words.problem("unknown signal \(word)")
    }
  }

  private func requests(_ section: ScenarioFile.Section) throws(ScenarioProblem) -> [RequestPattern] {
    var patterns: [RequestPattern] = []
    for statement in section.statements {
      let line = try expander.expand(statement)
      let text = String(line.text.drop { $0 == " " })
      if !line.text.hasPrefix(" ") {
        patterns.append(RequestPattern(line: line.number, request: text))
      } else if patterns.isEmpty {
        throw line.problem("a header without a request")
      } else {
        patterns[patterns.count - 1].headers.append(try Self.header(text, line))
      }
    }
    return patterns
  }

  /// `Name: value`, or `! Name` if it must be absent.
  private static func header(_ text: String, _ line: SourceLine) throws(ScenarioProblem)
    -> RequestPattern.Header
  {
    if text.hasPrefix("! ") {
      return RequestPattern.Header(line: line.number, name: String(text.dropFirst(2)), value: nil)
    }
    guard let colon = text.firstIndex(of: ":") else { throw line.problem("write Name: value, or ! Name") }
    let value = String(text[text.index(after: colon)...].drop { $0 == " " })
    return RequestPattern.Header(
      line: line.number, name: String(text[..<colon]), value: TextPattern(text: value))
  }

  private func jsonSection(
    _ section: ScenarioFile.Section, _ header: inout WordList
  ) throws(ScenarioProblem) -> [JSONCheck] {
    if header.flag("exact") {
      guard let value = JSONValue(try text(section)) else { throw section.problem("this is not JSON") }
      return [JSONCheck(line: section.line, path: ".", expectation: .equal(value))]
    }
    return try each(section) { line, _ throws(ScenarioProblem) in try Self.json(line) }
  }

  private static func json(_ line: SourceLine) throws(ScenarioProblem) -> JSONCheck {
    let text = String(line.text.drop { $0 == " " })
    guard let space = text.firstIndex(of: " "), text.hasPrefix(".") else {
      throw line.problem("write .path = value")
    }
    let rest = text[space...].drop { $0 == " " }
    let word = String(rest.prefix { $0 != " " })
    let operand = String(rest.dropFirst(word.count).drop { $0 == " " })
    return JSONCheck(
      line: line.number, path: String(text[..<space]),
      expectation: try expectation(word, operand, line))
  }

  private static func expectation(
    _ word: String, _ operand: String, _ line: SourceLine
  ) throws(ScenarioProblem) -> JSONCheck.Expectation {
    if operand.isEmpty && word == "present" { return .present }
    if operand.isEmpty && word == "absent" { return .absent }
    guard let value = JSONValue(operand) else { throw line.problem("\(operand) is not JSON") }
    switch (word, value) {
    case ("=", _): return .equal(value)
    case ("!=", _): return .differs(value)
    case ("matches", .string(let text)): return .matches(text)
    case ("contains", .string(let text)): return .contains(text)
    case ("lacks", .string(let text)): return .lacks(text)
    case ("count", .number(let number)): return .count(Int(number))
    case (_, .number(let number)) where isTrue(word, 0, 0) != nil: return .compare(word, number)
    default: throw line.problem("unknown check \(word)")
    }
  }
}

/// `nil` if the comparison is unknown.
func isTrue(_ comparison: String, _ a: Double, _ b: Double) -> Bool? {
  switch comparison {
  case "=": a == b
  case "<": a < b
  case "<=": a <= b
  case ">": a > b
  case ">=": a >= b
  default: nil
  }
}
