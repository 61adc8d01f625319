/// An error in a scenario file, or a violation that it found.
struct ScenarioProblem: Error, Equatable {
  /// From 1, in the scenario file.
  var line: Int
  var message: String
}

/// A line of a section, with its place.
struct SourceLine: Equatable {
  var number: Int
  var text: String

  func problem(_ message: String) -> ScenarioProblem { ScenarioProblem(line: number, message: message) }
}
