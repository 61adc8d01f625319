import SyncModel

@testable import Reporting

/// Failures of the values of variables.
extension FailureCase {
  private static func value(_ fault: ValueFault, _ text: String, _ hint: String? = nil) -> FailureCase {
    FailureCase(
      .valueInvalid(ValueProblem(variable: "stamp", target: TargetName("latest"), fault)),
      "the variable stamp has no usable value: " + text, hint)
  }

  private static let look = "look at the output: is it what the variable expects?"

  static let values: [FailureCase] = [
    value(.noLine(3, lines: 1), "the output of latest has 1 line, and line 3 is wanted", look),
    value(.noMatch, "no line of the output of latest matches the expression", look),
    value(.notJSON(line: 2), "the output of latest is not JSON at line 2", look),
    value(.nothingThere, "the output of latest has nothing at the pointer", look),
    value(.ambiguous, "the output of latest has a key twice on the way to the pointer", look),
    value(
      .otherKind("an array"), "the output of latest has an array at the pointer, not a text or a number", look
    ),
    value(.outputTooLarge(limit: 1 << 20), "it is not in the first 1.0 MB of the output of latest", look),
    value(.empty, "it is empty", look),
    value(.tooLong(5000), "it has 5000 bytes, and 4096 are allowed", look),
    value(.notUTF8, "it is not UTF-8", look),
    value(.control(10), "it has more than one line", look),
    value(.control(0), "it has a control character", look),
    value(.unknown, "it is known once latest is up to date"),
    value(.noOutput, "the output of latest is missing", "a run without --offline and -o gets it"),
    value(.badPath(.slash, value: "a/b"), "\"a/b\" cannot be a part of an output: it has a slash", look),
    value(
      .badPath(.parent, value: ".."), "\"..\" cannot be a part of an output: \"..\" leads out of the folder",
      look),
    value(.notWeb("/etc/passwd"), "\"/etc/passwd\" is not a URL of http or https", look),
    value(
      .outputTaken("x", other: "a"), "it makes the output \"x\", which conflicts with that of a",
      "write another `output`"),
    value(.refused("\"mode\" is odd"), "\"mode\" is odd", look),
  ]
}
