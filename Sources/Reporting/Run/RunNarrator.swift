package import SyncModel

/// Reports a run to people as it happens: results to `out`, everything else to `err`.
///
/// Each text is one or more whole lines. A text depends on its event only; the caller sends events one after
/// another, so that lines keep their order.
package final class RunNarrator {
  private let manifest: Manifest
  private let style: TextStyle
  private let outStyle: TextStyle
  private let verbosity: Verbosity
  private let listsTargets: Bool
  private let out: (String) -> Void
  private let err: (String) -> Void
  /// Created for the first line: most runs print none.
  private lazy var columns = ResultColumns(manifest, selection, style: outStyle)
  private let selection: [TargetID]?
  private let shard: Shard?
  /// Kept edits, as long as nothing else is printed: if everything is fresh, one line is enough.
  private var heldBack: [TargetResult] = []
  private var hasTold = false

  /// `out` takes results (standard output), `err` progress, warnings and errors (standard error).
  ///
  /// - style: for `err`; `outStyle` is for `out`.
  /// - listsTargets: whether each target gets a line when it finishes; errors are always printed.
  /// - selection: the run's targets, which determine the widths of columns; `nil` for all of the manifest.
  /// - shard: the part of the targets that the run is about; `nil` for all that are selected.
  package init(
    manifest: Manifest, style: TextStyle, outStyle: TextStyle = TextStyle(), verbosity: Verbosity,
    listsTargets: Bool = true, selection: [TargetID]? = nil, shard: Shard? = nil,
    out: @escaping (String) -> Void, err: @escaping (String) -> Void
  ) {
    self.manifest = manifest
    self.style = style
    self.outStyle = outStyle
    self.verbosity = verbosity
    self.listsTargets = listsTargets
    self.selection = selection
    self.shard = shard
    self.out = out
    self.err = err
  }

  /// Tells of `event` what the verbosity lets through; fresh targets are left to the last line.
  package func handle(_ event: RunEvent) {
    switch event {
    case .waitingForLock(let holder): remark("waiting for another run: \(secrets.shown(holder))")
    case .started, .received, .tick, .began, .requested, .stepped, .publishing, .published, .withheld: break
    case .note(let id, let note):
      if verbosity == .verbose { err(ExchangeText.render(note, name(id), secrets)) }
    case .decided(let id, let reason): if verbosity == .verbose { decided(id, reason) }
    case .retrying(let id, let attempt, let wait, let cause): retrying(id, attempt, wait, cause)
    case .nextMirror(let id, let url, let cause):
      warn("\(name(id)): gave up \(secrets.shown(url)): \(message(cause))")
    case .warning(.lock(let diagnostic)):
      if verbosity != .silent { err(DiagnosticText.render([diagnostic], style: style)) }
    case .warning(let warning):
      warn(WarningText.message(warning, manifest: manifest), WarningText.hint(warning))
      if verbosity == .verbose { err("  " + ErrorPage.line(WarningText.code(warning), style)) }
    case .finished(let result): finished(result)
    }
  }

  /// Ends the run's tale with one line: that all is up to date, or how many targets came to what.
  ///
  /// - confirmed: how many targets more were found fresh before the run began.
  /// - keepsGoing: whether a failure ends nothing but what depends on it; if not, the line names the option.
  package func finish(
    status: RunStatus, results: [TargetResult], confirmed: Int = 0, keepsGoing: Bool = true,
    duration: Duration
  ) {
    guard verbosity != .silent else { return }
    guard status == .ok, results.allSatisfy({ $0.outcome == .fresh }) else {
      tellHeldBack()
      let start = status == .interrupted ? "interrupted: " : ""
      return out(
        "\(start)\(SummaryText.counts(results, confirmed: confirmed)) in \(Quantity.duration(duration))"
          + advice(status, results, keepsGoing) + "\n")
    }
    // The target's own line is more informative than "is up to date".
    if results.count + confirmed == 1, !heldBack.isEmpty { return tellHeldBack() }
    let kept = results.filter { ResultWord($0) == .kept }.map(\.name)
    out(
      SummaryText.allFresh(
        results.count + confirmed, first: results.first?.name, kept: kept, shard: shard, secrets: secrets)
        + "\n")
  }

  /// How to get what a run that stopped early did not begin; empty if it did not.
  private func advice(_ status: RunStatus, _ results: [TargetResult], _ keepsGoing: Bool) -> String {
    switch status {
    case .interrupted: return "; run again to continue"
    case .failed where !keepsGoing:
      let isWaiting = results.contains { $0.skipped == .runStopped && manifest[$0.id].gone == nil }
      return isWaiting ? "; -k continues after a failure" : ""
    case .failed, .ok: return ""
    }
  }

  private var secrets: SecretMask { manifest.secrets }

  private func name(_ id: TargetID) -> String { secrets.shown(manifest[id].name) }

  private func message(_ cause: FailureCause) -> String { FailureText.message(cause, secrets: secrets) }

  private func remark(_ text: String) {
    if verbosity != .silent { err("syncmake: \(text)\n") }
  }

  private func warn(_ text: String, _ hint: String? = nil) {
    if verbosity != .silent { err(MessageText.warning(text, hint: hint, style: style, secrets: secrets)) }
  }

  private func decided(_ id: TargetID, _ reason: Reason) {
    let verdict = if case .fresh = reason { "fresh" } else { "stale" }
    let detail = ReasonText.detail(reason, secrets: secrets)
    remark("\(name(id)) is \(verdict): \(reason.code.rawValue): \(detail)")
  }

  /// Short pauses are not reported; after a long one people wonder what happens.
  private func retrying(_ id: TargetID, _ attempt: Int, _ wait: Duration, _ cause: FailureCause) {
    guard verbosity == .verbose || wait > .seconds(5) else { return }
    remark("\(name(id)): try \(attempt) failed, the next in \(Quantity.duration(wait)): \(message(cause))")
  }

  private func finished(_ result: TargetResult) {
    if result.outcome == .failed { failed(result) }
    guard verbosity != .silent, listsTargets else { return }
    switch ResultWord(result) {
    case .kept where verbosity == .normal && !hasTold: heldBack.append(result)
    case .unchanged where result.outcome == .fresh && verbosity != .verbose: break
    case .skipped where result.skipped == .runStopped && verbosity != .verbose: break
    case .new, .updated, .unchanged, .kept, .removed, .failed, .skipped: line(result)
    }
  }

  private func failed(_ result: TargetResult) {
    guard let failure = result.failure, verbosity != .silent || !result.isOptional else { return }
    let report = FailureReport(
      name: result.name, failure: failure, target: manifest[result.id], isOptional: result.isOptional,
      namesSection: verbosity == .verbose)
    err(report.render(style, manifest))
  }

  private func line(_ result: TargetResult) {
    tellHeldBack()
    hasTold = true
    // A terminal shows the error just above.
    let isSaid = result.outcome == .failed && outStyle.width != nil
    out(
      columns.line(
        ResultWord(result), name: secrets.shown(result.name), output: secrets.shown(result.output),
        size: result.content.map { Quantity.size($0.size) } ?? "",
        detail: isSaid ? "" : LineDetail.text(result, showsCode: verbosity == .verbose, secrets: secrets),
        style: outStyle))
  }

  private func tellHeldBack() {
    let held = heldBack
    heldBack = []
    held.forEach(line)
  }
}
