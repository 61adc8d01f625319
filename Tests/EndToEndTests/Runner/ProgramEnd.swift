import SyncTestSupport

/// A program's end, compared with the expected one.
struct ProgramEnd {
  var result: ProcessResult
  var duration: Duration

  /// The result as text for a transcript.
  var text: String {
    let end = result.status.map { "exit \($0)" } ?? "signal \(result.signal ?? 0)"
    return "\(end)\(result.timedOut ? ", killed because its time was up" : "") after \(duration)\n"
      + result.stdout.prefixed("stdout| ") + result.stderr.prefixed("stderr| ")
  }

  func problems(_ check: RunCheck) -> [ScenarioProblem] {
    problem(check.expectation).map { [ScenarioProblem(line: check.line, message: $0)] } ?? []
  }

  private func problem(_ expectation: RunCheck.Expectation) -> String? {
    switch expectation {
    case .status(let wanted) where result.status == wanted && !result.timedOut: return nil
    case .status(let wanted): return "wanted exit \(wanted), not \(end)"
    case .signal(let wanted):
      return result.signal == wanted ? nil : "wanted the end by signal \(wanted), not \(end)"
    case .empty(let stream): return self[stream].isEmpty ? nil : "\(stream) is not empty"
    case .contains(let stream, let text):
      return self[stream].contains(text) ? nil : "\(stream) lacks \"\(text)\""
    case .lacks(let stream, let text): return self[stream].contains(text) ? "\(stream) has \"\(text)\"" : nil
    case .matches(let stream, let expression):
      return matchesWhole("(?s).*(?:\(expression)).*", self[stream]) ? nil : "\(stream) does not match"
    case .text(let stream, let pattern):
      if pattern.matches(self[stream]) { return nil }
      return "\(stream) is not as wanted:\n" + pattern.difference(from: self[stream])
    case .within(let seconds):
      return duration <= .seconds(seconds * TestTools.slowness)
        ? nil : "wanted it within \(seconds) s; it took \(duration)"
    case .takes(let seconds):
      return duration >= .seconds(seconds) ? nil : "wanted it to take \(seconds) s; it took \(duration)"
    }
  }

  private var end: String {
    if result.timedOut { return "killed because its time was up" }
    return result.status.map { "\($0)" } ?? "signal \(result.signal ?? 0)"
  }

  private subscript(stream: RunCheck.Stream) -> String {
    switch stream {
    case .stdout: result.stdout
    case .stderr: result.stderr
    }
  }

  func problems(_ checks: [JSONCheck]) -> [ScenarioProblem] {
    guard let document = JSONValue(result.stdout) else {
      return [ScenarioProblem(line: checks.first?.line ?? 1, message: "stdout is not one JSON document")]
    }
    return checks.compactMap { check in
      let found = check.path == "." ? document : document[check.path]
      return check.expectation.isMet(by: found)
        ? nil
        : ScenarioProblem(
          line: check.line,
          message: "\(check.path) is not as wanted:\n"
            + (check.expectation.difference(from: found) ?? "    \(found?.text ?? "nothing")"))
    }
  }
}

extension JSONCheck.Expectation {
  fileprivate func isMet(by found: JSONValue?) -> Bool {
    switch (self, found) {
    case (.equal(let wanted), let found?): found.looksLike(wanted)
    case (.differs(let wanted), let found?): !found.looksLike(wanted)
    case (.present, let found): found != nil
    case (.absent, let found): found == nil
    case (.matches(let expression), .string(let text)?): matchesWhole("(?s).*(?:\(expression)).*", text)
    case (.contains(let part), .string(let text)?): text.contains(part)
    case (.contains(let part), .array(let elements)?): elements.contains(.string(part))
    case (.lacks(let part), .string(let text)?): !text.contains(part)
    case (.lacks(let part), .array(let elements)?): !elements.contains(.string(part))
    case (.count(let wanted), .array(let elements)?): elements.count == wanted
    case (.count(let wanted), .object(let members)?): members.count == wanted
    case (.compare(let comparison, let wanted), .number(let number)?):
      isTrue(comparison, number, wanted) ?? false
    default: false
    }
  }

  fileprivate func difference(from found: JSONValue?) -> String? {
    guard case .equal(let wanted) = self, let found else { return nil }
    return TextPattern(text: wanted.text).difference(from: found.text)
  }
}

extension String {
  /// Each line with this prefix.
  fileprivate func prefixed(_ prefix: String) -> String {
    split(separator: "\n").prefix(200).map { "\(prefix)\($0)\n" }.joined()
  }
}
