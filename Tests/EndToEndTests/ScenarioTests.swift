import Foundation
import SyncTestSupport
import Testing

/// Every file in `Scenarios/`, run with the built program.
@Suite(.waits) struct ScenarioTests {
  @Test(arguments: ScenarioLibrary.names)
  func `the program does as the scenario says`(_ name: String) throws {
    let program = try #require(SyncmakeProgram.path, "build the program, or name it in SYNCMAKE_BINARY")
    let report = try ScenarioLibrary.play(name, program: program)
    for problem in report.problems {
      Issue.record(
        "\(problem.message)\n\n\(report.transcript)",
        sourceLocation: SourceLocation(
          fileID: "EndToEndTests/\(name)", filePath: ScenarioLibrary.path(name), line: problem.line, column: 1
        ))
    }
  }

  @Test func `at least one scenario is found`() {
    #expect(!ScenarioLibrary.names.isEmpty)
  }
}

/// The scenario files beside this one.
enum ScenarioLibrary {
  struct Report: Sendable {
    var problems: [ScenarioProblem]
    var transcript: String
  }

  /// Their names, sorted; only those that contain SYNCMAKE_SCENARIO if that is set.
  static var names: [String] {
    let wanted = ProcessInfo.processInfo.environment["SYNCMAKE_SCENARIO"] ?? ""
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".scenario") && (wanted.isEmpty || $0.contains(wanted)) }.sorted()
  }

  static func path(_ name: String) -> String { "\(folder)/\(name)" }

  static func play(_ name: String, program: String) throws -> Report {
    let text = try String(contentsOfFile: path(name), encoding: .utf8)
    do {
      let runner = try ScenarioRunner(ScenarioFile(text), program: program)
      return Report(problems: runner.run(), transcript: runner.transcript)
    } catch let problem as ScenarioProblem {
      return Report(problems: [problem], transcript: "")
    }
  }

  private static var folder: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Scenarios").path
  }
}
