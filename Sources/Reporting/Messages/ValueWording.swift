import SyncModel

/// What is wrong with a variable's value, and advice; foreign texts unchanged.
struct ValueWording {
  var mask: (String) -> String

  func text(_ problem: ValueProblem) -> String {
    "the variable \(problem.variable) has no usable value: \(text(problem.fault, problem.target.text))"
  }

  private func text(_ fault: ValueFault, _ target: String) -> String {
    let output = "the output of \(mask(target))"
    return switch fault {
    case .noLine(let number, let lines):
      "\(output) has \(Quantity.count(lines, "line")), and line \(number) is wanted"
    case .noMatch: "no line of \(output) matches the expression"
    case .notJSON(let line): "\(output) is not JSON at line \(line)"
    case .nothingThere: "\(output) has nothing at the pointer"
    case .ambiguous: "\(output) has a key twice on the way to the pointer"
    case .otherKind(let kind): "\(output) has \(kind) at the pointer, not a text or a number"
    case .outputTooLarge(let limit):
      "it is not in the first \(Quantity.size(Int64(limit))) of \(output)"
    case .empty: "it is empty"
    case .tooLong(let count): "it has \(count) bytes, and 4096 are allowed"
    case .notUTF8: "it is not UTF-8"
    case .control(0x0A), .control(0x0D), .control(0x2028), .control(0x2029): "it has more than one line"
    case .control: "it has a control character"
    case .unknown: "it is known once \(mask(target)) is up to date"
    case .noOutput: "\(output) is missing"
    case .badPath(let fault, let value):
      "\(quoted(value)) cannot be a part of an output: "
        + (fault == .slash ? "it has a slash" : ListWording.words(fault))
    case .notWeb(let url): "\(quoted(url)) is not a URL of http or https"
    case .outputTaken(let output, let other):
      "it makes the output \(quoted(output)), which conflicts with that of \(mask(other))"
    case .refused(let message): mask(message)
    }
  }

  private func quoted(_ text: String) -> String { "\"\(mask(text))\"" }

  /// The next step.
  static func hint(_ problem: ValueProblem) -> String? {
    switch problem.fault {
    case .noLine, .noMatch, .notJSON, .nothingThere, .ambiguous, .otherKind, .outputTooLarge, .empty,
      .tooLong,
      .notUTF8, .control, .badPath, .notWeb, .refused:
      "look at the output: is it what the variable expects?"
    case .noOutput: "a run without --offline and -o gets it"
    case .outputTaken: "write another `output`"
    case .unknown: nil
    }
  }
}
