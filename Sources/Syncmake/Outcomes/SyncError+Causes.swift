import Execution
import Planning
import Reporting
import SyncModel

extension SyncError {
  /// A target's failure, or one that belongs to none; `target` makes the hint specific.
  init(_ failure: TargetFailure, of target: SyncModel.Target? = nil, _ secrets: SecretMask) {
    let kept = FailureText.kept(failure).map { "; \($0)" } ?? ""
    self.init(
      Code(rawValue: failure.code.rawValue), FailureText.message(failure, secrets: secrets) + kept,
      hint: FailureText.hint(failure, target: target, secrets: secrets, .library),
      isTemporary: failure.cause.isOfRetriedKind)
  }

  init(_ cause: FailureCause, _ secrets: SecretMask) { self.init(TargetFailure(cause), secrets) }

  /// All errors of a manifest or a lock.
  init(_ code: Code, _ diagnostics: [Diagnostic]) {
    let errors = diagnostics.filter { $0.severity == .error }
    let count = errors.count == 1 ? "1 error" : "\(errors.count) errors"
    self.init(
      code, "\(errors.first?.file ?? "the manifest") has \(count)",
      problems: errors.map { Problem($0, code.rawValue) })
  }

  init(_ fault: OpenProject.Fault, _ secrets: SecretMask = SecretMask()) {
    switch fault {
    case .stateUnusable(let path, let why):
      self.init(
        .unusableState, CleanText.clean("\(path) cannot be the state folder: \(why)"),
        hint: "choose a new folder or an empty one")
    case .stateLater(let path, let why):
      self.init(
        .unusableState, CleanText.clean("\(path) cannot be used: \(why)"),
        hint: "use that version, or choose another folder")
    case .unreadable(let path, let why): self.init(.invalid, "cannot read \(CleanText.clean(path)): \(why)")
    case .manifest(let diagnostics): self.init(.invalid, diagnostics)
    case .lockUnreadable(let cause): self.init(cause, secrets)
    case .lock(let diagnostics): self.init(.invalidLock, diagnostics)
    case .lockMissing(let name):
      self.init(
        .invalidLock, CleanText.clean("a lock is required, but \(name) does not exist"),
        hint: "`syncmake lock` writes it")
    }
  }

  init(_ name: UnknownName) {
    let what = name.kind == .tag ? "no target has the tag" : "unknown target or group"
    self.init(
      .unknownTarget, CleanText.clean("\(what) \"\(name.name)\""),
      hint: name.nearest.map { "did you mean \"\($0)\"?" })
  }

  init(_ fault: RunFault, _ secrets: SecretMask) {
    switch fault {
    case .interrupted: self = .cancelled
    case .busy(let holder):
      self.init(.busy, "another run holds the state folder: \(holder)", isTemporary: true)
    case .stateChanged:
      self.init(.busy, "the state keeps changing", hint: "wait for what writes it", isTemporary: true)
    case .lockFileChanged:
      self.init(
        .busy, "\(LockFile.fileName) keeps changing", hint: "wait for the program that writes it",
        isTemporary: true)
    case .unusable(let cause): self.init(cause, secrets)
    }
  }

  /// Whatever an operation on a manifest has thrown.
  init(any error: any Error, _ secrets: SecretMask) {
    switch error {
    case let error as SyncError: self = error
    case let fault as RunFault: self.init(fault, secrets)
    case let cause as FailureCause: self.init(cause, secrets)
    case let name as UnknownName: self.init(name)
    case let fault as OpenProject.Fault: self.init(fault, secrets)
    default: self.init(FailureCause.internalError("\(error)"), secrets)
    }
  }

  static let cancelled = SyncError(.cancelled, "the task was cancelled")
}

extension Problem {
  /// The code of a warning about a manifest's text.
  static let ofManifest = "manifest-warning"

  /// A place in a manifest, a policy or a lock.
  init(_ diagnostic: Diagnostic, _ code: String) {
    self.init(
      code: code, isError: diagnostic.severity == .error, file: CleanText.clean(diagnostic.file),
      line: diagnostic.span?.line, column: diagnostic.span?.column, target: nil,
      message: CleanText.clean(diagnostic.message), hint: diagnostic.hint.map(CleanText.clean))
  }

  init(_ warning: RunWarning, _ manifest: SyncModel.Manifest) {
    guard case .lock(let diagnostic) = warning else {
      self.init(
        code: WarningText.code(warning), isError: false, file: "", line: nil, column: nil,
        target: warning.target.map { manifest.secrets.mask(manifest[$0].name.text) },
        message: WarningText.message(warning, manifest: manifest), hint: WarningText.hint(warning, .library))
      return
    }
    self.init(diagnostic, WarningText.code(warning))
  }

  /// The same about a target of another name.
  func about(_ name: String) -> Problem {
    Problem(
      code: code, isError: isError, file: file, line: line, column: column, target: name, message: message,
      hint: hint)
  }
}
