import Execution
import Planning
import Reporting
import SyncModel

extension TargetResult {
  /// - Parameters:
  ///   - name: another one than the target's.
  ///   - warnings: those of the target.
  ///   - isCancelled: whether the run was stopped by its caller.
  init(
    _ result: SyncModel.TargetResult, of manifest: SyncModel.Manifest, name: String? = nil,
    warnings: [Problem] = [], isCancelled: Bool = false
  ) {
    let secrets = manifest.secrets
    self.init(
      name: name ?? secrets.mask(result.name.text),
      outcome: Outcome(rawValue: result.outcome.rawValue) ?? .failed,
      isChanged: result.hasNewContent, reason: ResultWording.code(result),
      detail: ResultWording.detail(result, secrets: secrets).map(CleanText.clean),
      output: secrets.mask(result.output.text), size: result.content?.size,
      digest: result.content?.sha256?.text, bytesReceived: result.totals.bytes,
      bytesFromCache: result.bytesFromCache,
      bytesResumed: result.bytesResumed, requests: result.totals.requests, httpStatus: result.httpStatus,
      duration: result.duration, warnings: warnings,
      error: isCancelled && result.skipped == .runStopped
        ? .cancelled : result.failure.map { SyncError($0, of: manifest[result.id], secrets) })
  }

  /// A file whose run did not begin.
  init(skipped name: String, warnings: [Problem], _ error: SyncError) {
    self.init(
      name: name, outcome: .skipped, isChanged: false, reason: nil, detail: nil, output: name, size: nil,
      digest: nil, bytesReceived: 0, bytesFromCache: 0, bytesResumed: 0, requests: 0, httpStatus: nil,
      duration: .zero,
      warnings: warnings, error: error)
  }

  /// The same with other warnings.
  func with(warnings: [Problem]) -> TargetResult {
    TargetResult(
      name: name, outcome: outcome, isChanged: isChanged, reason: reason, detail: detail,
      output: output, size: size, digest: digest, bytesReceived: bytesReceived,
      bytesFromCache: bytesFromCache, bytesResumed: bytesResumed,
      requests: requests, httpStatus: httpStatus, duration: duration, warnings: warnings, error: error)
  }
}

extension RunResult {
  /// `warnings` are all of the run; those of a target are not in its result yet.
  init(_ outcome: RunOutcome, of manifest: SyncModel.Manifest, _ warnings: [Problem]) {
    let status: Status =
      switch outcome.status {
      case .ok: .ok
      case .failed: .failed
      case .interrupted: .cancelled
      }
    self.init(
      status: status,
      targets: outcome.results.map { TargetResult($0, of: manifest, isCancelled: status == .cancelled) },
      removed: outcome.removed.map { manifest.secrets.mask($0.text) }, warnings: warnings,
      duration: outcome.duration,
      error: status == .cancelled
        ? .cancelled : outcome.failure.map { SyncError($0, manifest.secrets) })
  }

  /// The run could not begin; `targets` ended before.
  init(_ error: SyncError, _ targets: [TargetResult] = [], _ warnings: [Problem] = []) {
    self.init(
      status: error.code == .cancelled ? .cancelled : .failed, targets: targets, removed: [],
      warnings: warnings, duration: .zero, error: error)
  }

  /// The same with the warnings of each target.
  func withTargets(_ change: (TargetResult) -> TargetResult) -> RunResult {
    RunResult(
      status: status, targets: targets.map(change), removed: removed, warnings: warnings, duration: duration,
      error: error)
  }
}

extension PlannedTarget {
  init(_ planned: Planning.PlannedTarget, of manifest: SyncModel.Manifest) {
    let secrets = manifest.secrets
    self.init(
      name: secrets.mask(planned.name.text), action: Action(rawValue: planned.action.rawValue) ?? .error,
      reason: PlanWording.code(planned) ?? ReasonCode.dependencyChanged.rawValue,
      detail: CleanText.clean(PlanWording.detail(planned, secrets: secrets)),
      output: secrets.mask(planned.output.text), needs: planned.needs.map { secrets.mask($0.text) },
      bytes: planned.bytes,
      error: planned.failure.map {
        SyncError(TargetFailure($0), of: manifest[planned.id], secrets)
      })
  }

  /// The same under another name.
  func named(_ name: String) -> PlannedTarget {
    PlannedTarget(
      name: name, action: action, reason: reason, detail: detail, output: output, needs: needs, bytes: bytes,
      error: error)
  }
}

extension Event {
  /// `nil` for what the library does not tell.
  init?(_ event: RunEvent, of manifest: SyncModel.Manifest) {
    let secrets = manifest.secrets
    func name(_ id: TargetID) -> String { secrets.mask(manifest[id].name.text) }
    switch event {
    case .waitingForLock(let holder): self = .waiting(holder: holder)
    case .started(let count): self = .started(targets: count)
    case .received(let id, let progress):
      self = .progress(target: name(id), received: progress.here, total: progress.total)
    case .retrying(let id, let attempt, let time, let cause):
      self = .retrying(target: name(id), attempt: attempt, after: time, error: SyncError(cause, secrets))
    case .nextMirror(let id, let url, let cause):
      self = .nextMirror(target: name(id), url: secrets.mask(url), error: SyncError(cause, secrets))
    case .warning(let warning): self = .warning(Problem(warning, manifest))
    case .finished(let result): self = .finished(TargetResult(result, of: manifest))
    case .note, .decided, .tick, .began, .requested, .stepped, .publishing, .published, .withheld:
      return nil
    }
  }
}
