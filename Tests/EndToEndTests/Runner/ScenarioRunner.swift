import Foundation
import SyncTestSupport

/// Runs one scenario in its own folder and with its own servers.
final class ScenarioRunner {
  /// Seconds after which a program is killed.
  // A sanitizer makes each start of the program ten times slower.
  static let programLimit = 20 * TestTools.slowness
  /// The time scale of the program under test: ten seconds become half a second.
  static let timeScale = "0.05"

  private let steps: [ScenarioStep]
  private var program: String
  private let folder: TemporaryFolder
  private var servers: [String: LoopbackServer] = [:]
  private let fronts: Fronts
  private var environment: [String: String] = [:]
  private var running: [String: (process: RunningProcess, since: ContinuousClock.Instant)] = [:]
  private var last: ProgramEnd?
  private var needsOrdinaryUser = false
  private var before = FileTree(entries: [:])
  /// The commands and their output, for the reader of a failure.
  private(set) var transcript = ""

  /// Starts the servers and reads every section, so that errors are found before anything runs.
  init(_ file: ScenarioFile, program: String) throws {
    self.program = program
    folder = try TemporaryFolder()
    var variables = ["ROOT": folder.path("root"), "HOME": folder.path("home")]
    for name in ScenarioParser.servers(of: file) {
      let server = try LoopbackServer()
      servers[name] = server
      variables[name] = server.url()
      variables["\(name)_PORT"] = "\(server.port)"
    }
    let sections = try FrontSection.all(of: file)
    fronts = try Fronts(sections, before: servers)
    variables.merge(fronts.variables) { $1 }
    variables["DEAD"] = "http://127.0.0.1:\(try LoopbackServer.deadPort())"
    var parser = ScenarioParser(variables: variables)
    steps = try parser.steps(of: file)
    let exported = Set(["DEAD", "HOME"] + servers.keys + sections.map(\.name))
    environment = variables.filter { exported.contains($0.key) }
    environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
    environment["SYNCMAKE_TEST_TIME_SCALE"] = Self.timeScale
    for name in ["root", "home"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
  }

  /// The violations; nothing runs after the first section with a violation.
  func run() -> [ScenarioProblem] {
    defer { for (process, _) in running.values { process.send(SIGKILL) } }
    for step in steps {
      if case .requirements(let requirements) = step.action {
        guard requirements.allSatisfy({ $0.isMet(by: program) }) else {
          transcript += "skipped: this machine lacks what line \(step.line) requires\n"
          return []
        }
        needsOrdinaryUser = requirements.contains(.user)
        if requirements.contains(.debug) { program = SyncmakeProgram.built ?? program }
      }
      let problems = perform(step)
      if !problems.isEmpty { return problems }
    }
    return running.keys.sorted().map {
      ScenarioProblem(line: steps.last?.line ?? 1, message: "nobody ends \($0)")
    }
  }

  private func perform(_ step: ScenarioStep) -> [ScenarioProblem] {
    switch step.action {
    case .requirements, .data: return []
    case .script(let name, let script):
      servers[name]?.setScript(script.replies)
      servers[name]?.greet(with: script.greetings)
      return []
    case .environment(let changes):
      environment.apply(changes)
      return []
    case .edits(let edits): return edits.flatMap(perform)
    case .run(let command): return run(command)
    case .start(let name, let command): return start(name, command)
    case .await(let conditions): return conditions.flatMap { wait(for: $0, program: nil) }
    case .end(let name, let checks):
      guard let program = running.removeValue(forKey: name) else {
        return [ScenarioProblem(line: step.line, message: "nothing called \(name) runs")]
      }
      return finish(program.process, since: program.since, checks)
    case .check(let checks): return checks.flatMap { check in lastEnd(check.line) { $0.problems(check) } }
    case .json(let checks): return lastEnd(step.line) { $0.problems(checks) }
    case .requests(let name, let isOrdered, let patterns):
      return RequestComparison(
        found: servers[name]?.requests ?? [], wanted: patterns, isOrdered: isOrdered, line: step.line
      ).problems
    case .traffic(let name, let checks):
      return checks.compactMap { $0.problem(servers[name]?.log ?? ServerLog()) }
    case .files(let checks):
      let files = FileComparison(folder: folder, before: before)
      return checks.compactMap(files.problem)
    }
  }

  // MARK: Programs

  private func run(_ command: Command) -> [ScenarioProblem] {
    do {
      let (process, since) = try launch(command)
      var problems: [ScenarioProblem] = []
      if let signal = command.signal, let condition = command.signalCondition {
        problems = wait(for: condition, program: process)
        process.send(signal)
      }
      return problems + finish(process, since: since, command.checks)
    } catch {
      return [ScenarioProblem(line: 1, message: "cannot run the program: \(error)")]
    }
  }

  private func start(_ name: String, _ command: Command) -> [ScenarioProblem] {
    do {
      running[name] = try launch(command)
      return []
    } catch {
      return [ScenarioProblem(line: 1, message: "cannot start the program: \(error)")]
    }
  }

  private func launch(_ command: Command) throws -> (RunningProcess, ContinuousClock.Instant) {
    if running.isEmpty { servers.values.forEach(clearLog) }
    if needsOrdinaryUser { OrdinaryUser.own(folder) }
    before = FileTree(folder.path)
    var environment = environment
    environment.apply(command.environment)
    var executable = program
    var arguments = Array(command.arguments.dropFirst())
    if command.arguments.first == "sh" {
      executable = "/bin/sh"
      arguments.insert("-c", at: 0)
      environment["SYNCMAKE"] = program
    }
    transcript += "$ \(command.arguments.joined(separator: " "))\n"
    var whole = [executable] + arguments
    if needsOrdinaryUser { whole = OrdinaryUser.command(whole) }
    let process = try startProcess(
      whole[0], Array(whole.dropFirst()), environment: environment, currentDirectory: folder.path("root"))
    return (process, .now)
  }

  private func clearLog(of server: LoopbackServer) {
    // What the last program has closed would count among this one's connections. Some stay: they wait for a gate.
    server.wait(seconds: 0.3) { $0.openConnections == 0 }
    server.clearLog()
  }

  private func finish(
    _ process: RunningProcess, since: ContinuousClock.Instant, _ checks: [RunCheck]
  ) -> [ScenarioProblem] {
    let result = process.wait(seconds: Self.programLimit)
    let end = ProgramEnd(result: result, duration: ContinuousClock.now - since)
    last = end
    transcript += end.text
    for (name, server) in servers.sorted(by: { $0.key < $1.key }) {
      transcript += server.requests.map { "[\(name)] \($0.method) \($0.target) \($0.headers.brief)\n" }
        .joined()
    }
    return checks.flatMap(end.problems)
  }

  private func lastEnd(_ line: Int, _ body: (ProgramEnd) -> [ScenarioProblem]) -> [ScenarioProblem] {
    last.map(body) ?? [ScenarioProblem(line: line, message: "nothing has been run")]
  }

  // MARK: Waiting

  private func wait(for condition: Condition, program: RunningProcess?) -> [ScenarioProblem] {
    let isMet =
      switch condition.event {
      case .asked(let server, let path, let count):
        servers[server]?.wait { $0.requests(to: path).count >= count } ?? false
      case .sent(let server, let path, let bytes):
        servers[server]?.wait { $0.bytesSent(to: path) >= bytes } ?? false
      case .stderr(let name, let text):
        (name.map { running[$0]?.process } ?? program)?.waitForStandardError { $0.contains(text) } ?? false
      case .saved(let bytes):
        // A download's journal does not count: with it, the body could seem complete before its last bytes are there.
        poll { FileTree($0.path("root/.syncmake")).size(ofFiles: ".part") >= bytes }
      case .exists(let path): poll { $0.exists("root/\(path)") }
      }
    return isMet
      ? [] : [ScenarioProblem(line: condition.line, message: "this did not come within ten seconds")]
  }

  /// Checks the files every few milliseconds: there is no event for a change.
  private func poll(_ isTrue: (TemporaryFolder) -> Bool) -> Bool {
    for _ in 0..<2000 {
      if isTrue(folder) { return true }
      usleep(5000)
    }
    return false
  }

  // MARK: Files

  private func perform(_ edit: FileEdit) -> [ScenarioProblem] {
    switch edit.change {
    case .release(let gate): for server in servers.values { server.release(gate) }
    case .stop(let name): servers[name.uppercased()]?.stop()
    default:
      do { try FileEditor(folder: folder).perform(edit.change) } catch {
        return [ScenarioProblem(line: edit.line, message: "cannot do this: \(error)")]
      }
    }
    return []
  }
}

extension Requirement {
  fileprivate func isMet(by program: String) -> Bool {
    switch self {
    case .user: return OrdinaryUser.canRun(program)
    case .tls: return TLSFront.isHere
    case .debug: return SyncmakeProgram.built != nil
    case .linux:
      #if os(Linux)
        return true
      #else
        return false
      #endif
    }
  }
}

extension [String: String] {
  fileprivate mutating func apply(_ changes: [EnvironmentChange]) {
    for change in changes { self[change.name] = change.value }
  }
}

extension [HeaderField] {
  /// Non-empty outputs as text for a transcript.
  fileprivate var brief: String {
    filter { !["host", "accept", "user-agent", "accept-encoding"].contains($0.name.lowercased()) }
      .map { "\($0.name): \($0.value)" }.joined(separator: "; ")
  }
}
