import Planning
import SyncModel

/// Whether the program agrees with the model.
enum ModelComparison {
  /// The difference; `nil` if they agree.
  static func difference(_ expected: ModelResult, _ actual: TargetResult) -> String? {
    if expected.outcome != actual.outcome.rawValue {
      return "the model says \(expected), the program \(describe(actual))"
    }
    let code =
      actual.outcome == .failed
      ? actual.failure?.code.rawValue : actual.outcome == .skipped ? nil : actual.reason?.code.rawValue
    let isSame =
      expected.code == code && expected.isUnchanged == actual.isUnchanged
      && expected.requests.contains(actual.totals.requests)
    return isSame ? nil : "the model says \(expected), the program \(describe(actual))"
  }

  static func difference(_ expected: ModelPlanned, _ actual: PlannedTarget) -> String? {
    let code = actual.action == .error ? actual.failure?.code.rawValue : actual.reason?.code.rawValue
    // A dependent of a future change may become stale, or undecidable, for other reasons, too.
    if expected.action == "maybe", actual.action != .fresh || !expected.isCertain { return nil }
    if expected.action == actual.action.rawValue, expected.code == code { return nil }
    return "the model says \(expected), the program \(actual.action) \(code ?? "-")"
  }

  private static func describe(_ result: TargetResult) -> String {
    let failure = result.failure.map { " \($0.cause)" } ?? ""
    return "\(result.outcome) \(result.reason.map { "\($0.code.rawValue)" } ?? "-")\(failure), "
      + "\(result.isUnchanged ? "unchanged, " : "")\(result.totals.requests) requests"
  }
}
