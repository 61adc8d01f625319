import SyncModel

/// The results of a run's targets, and their reports.
struct RunResults {
  private var results: [TargetResult?]
  /// The targets of new outputs that are withheld, in the order in which they ended.
  private var untold: [TargetID] = []
  /// Those of ``untold`` that are not told in the meantime.
  private var isUntold: Set<TargetID> = []
  /// The outputs that an earlier run was about to publish, and this one has published: nobody has told of them.
  private let completed: Set<RelativePath>
  private let updated: [TargetName: TargetResult]
  /// What targets have cost before: ``EarlierPart/costs``.
  private let costs: [TargetName: ExchangeTotals]
  private let report: (RunEvent) -> Void

  init(
    of manifest: Manifest, since snapshot: StateSnapshot, _ earlier: EarlierPart = EarlierPart(),
    report: @escaping (RunEvent) -> Void
  ) {
    updated = earlier.updated
    costs = earlier.costs
    completed = snapshot.completed ?? []
    results = Array(repeating: nil, count: manifest.targets.count)
    self.report = report
  }

  /// What became of `selection`, in its order; a target that has not ended is left out.
  func of(_ selection: [TargetID]) -> [TargetResult] { selection.compactMap { results[$0.index] } }

  /// The outputs of the targets that are as their sources have them.
  var succeeded: Set<RelativePath> {
    Set(results.compactMap { $0.flatMap { [.updated, .fresh].contains($0.outcome) ? $0.output.path : nil } })
  }

  /// Takes a target's result, and tells of it unless its output is withheld, or is removed at the end.
  mutating func add(_ result: TargetResult, isWithheld: Bool, isLeaving: Bool = false) {
    var result = updated.isEmpty ? result : result.since(updated[result.name])
    if let cost = costs[result.name] { result.totals += cost }
    if !completed.isEmpty { result.completesEarlier = completed.contains(result.output.path) }
    results[result.id.index] = result
    guard isWithheld || isLeaving else { return report(.finished(result)) }
    isUntold.insert(result.id)
    guard isWithheld else { return }
    untold.append(result.id)
    report(.withheld(result.id))
  }

  /// Tells of the withheld outputs, which an update has published or not; `fault` is why not.
  mutating func tellWithheld(isPublished: Bool, _ fault: WithheldPublication.Fault?) {
    tell(untold) { result in
      guard !isPublished else { return }
      if let fault, fault.output == result.output.path {
        result.fail(fault.cause, keptOutput: !fault.isOpen)
      } else {
        result.skip(.withheld)
      }
    }
  }

  /// Tells of `leaving`, whose removal waits until all of `selection` has succeeded.
  mutating func tellWaiting(_ leaving: [TargetID], _ selection: [TargetID]) {
    let failed = of(selection).first { $0.outcome == .failed }?.name
    tell(leaving) { result in
      if case .fresh(.listGoneWaits)? = result.reason { result.reason = .fresh(.listGoneWaits(for: failed)) }
    }
  }

  /// Tells of those among `ids` whose outputs are withheld and will not be so any more, as `change` leaves their results.
  mutating func tell(_ ids: [TargetID], _ change: (inout TargetResult) -> Void = { _ in }) {
    for id in ids {
      guard isUntold.remove(id) != nil, var result = results[id.index] else { continue }
      change(&result)
      results[id.index] = result
      report(.finished(result))
    }
  }
}

extension TargetResult {
  /// `earlier`, if the target has only been found since as that result of the same command has left it; else itself.
  func since(_ earlier: TargetResult?) -> TargetResult {
    guard var earlier, earlier.outcome == .updated, self.outcome == .fresh,
      self.reason != .fresh(.assumedFresh), earlier.output == self.output, earlier.content == self.content
    else { return self }
    (earlier.id, earlier.pin, earlier.isOptional) = (self.id, self.pin, self.isOptional)
    return earlier
  }

  /// Its new output could not be put in place.
  mutating func fail(_ cause: FailureCause, keptOutput: Bool) {
    self.reason = nil
    self.outcome = .failed
    self.failure = TargetFailure(cause, keptOutput: keptOutput)
    self.pin = nil
    (self.content, self.tree) = (nil, nil)
  }

  /// Adds what was done for its list, before it was known.
  mutating func add(_ work: ListWork) {
    self.totals += work.totals
    self.duration += work.duration
    (self.httpStatus, self.url) = (work.httpStatus, work.url)
    self.failure?.tries = work.tries
  }

  /// Its new output is not put in place.
  mutating func skip(_ why: SkipReason) {
    self.reason = nil
    self.outcome = .skipped
    self.skipped = why
    (self.content, self.tree) = (nil, nil)
    self.pin = nil
  }
}
