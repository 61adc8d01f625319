import SyncModel

/// The results of a run's targets, and their reports.
struct RunResults {
  private var results: [TargetResult?]
  /// The targets of new outputs that an update withholds, in the order in which they ended.
  private var untold: [TargetID] = []
  private let report: (RunEvent) -> Void

  init(targets: Int, report: @escaping (RunEvent) -> Void) {
    results = Array(repeating: nil, count: targets)
    self.report = report
  }

  /// What became of `selection`, in its order; a target that has not ended is left out.
  func of(_ selection: [TargetID]) -> [TargetResult] { selection.compactMap { results[$0.index] } }

  /// Takes a target's result, and tells of it unless its output is withheld.
  mutating func add(_ result: TargetResult, isWithheld: Bool) {
    results[result.id.index] = result
    if isWithheld { untold.append(result.id) } else { report(.finished(result)) }
  }

  /// Tells of the withheld outputs, which an update has published or not; `fault` is why not.
  mutating func tellWithheld(isPublished: Bool, _ fault: UpdatePublication.Fault?) {
    for id in untold {
      guard var result = results[id.index] else { continue }
      if !isPublished {
        result.reason = nil
        if let fault, fault.output == result.output.path {
          result.outcome = .failed
          result.failure = TargetFailure(fault.cause, keptOutput: true)
        } else {
          result.outcome = .skipped
          result.skipped = .withheld
        }
        results[id.index] = result
      }
      report(.finished(result))
    }
    untold = []
  }
}
