import Execution
import Planning
import Reporting
import SyncModel

extension SyncError {
  /// A target's failure, or one that belongs to none; `target` makes the hint specific.
  init(_ failure: TargetFailure, of target: SyncModel.Target? = nil, _ secrets: SecretMask) {
    let kept = FailureText.kept(failure, of: target).map { "; \($0)" } ?? ""
    self.init(
      Code(rawValue: failure.code.rawValue), FailureText.message(failure, secrets: secrets) + kept,
      hint: FailureText.hint(failure, target: target, secrets: secrets, .library),
      isTemporary: failure.cause.isOfRetriedKind)
  }

  init(_ cause: FailureCause, _ secrets: SecretMask) { self.init(TargetFailure(cause), secrets) }

  /// All errors of a manifest or a lock.
  init(_ code: Code, _ diagnostics: [Diagnostic]) {
    self.init(
      code, FaultWords(diagnostics).message,
      problems: diagnostics.filter { $0.severity == .error }.map { Problem($0, code.rawValue) })
  }

  private init(_ code: Code, _ words: FaultWords, isTemporary: Bool = false) {
    self.init(code, CleanText.clean(words.message), hint: words.hint, isTemporary: isTemporary)
  }

  init(_ fault: OpenProject.Fault, _ secrets: SecretMask = SecretMask()) {
    switch fault {
    case .manifest(let diagnostics): self.init(.invalid, diagnostics)
    case .lock(let diagnostics): self.init(.invalidLock, diagnostics)
    case .lockUnreadable(let cause): self.init(cause, secrets)
    case .stateUnusable, .stateLater: self.init(.unusableState, FaultWords(fault, secrets, .library))
    case .unreadable: self.init(.invalid, FaultWords(fault, secrets, .library))
    case .lockMissing: self.init(.invalidLock, FaultWords(fault, secrets, .library))
    }
  }

  init(_ name: UnknownName) { self.init(.unknownTarget, FaultWords(name, .library)) }

  init(_ fault: RunFault, _ secrets: SecretMask) {
    if case .unusable(let cause) = fault {
      self.init(cause, secrets)
    } else if let words = FaultWords(fault, secrets, .library) {
      // Whatever keeps it busy will end.
      self.init(.busy, words, isTemporary: true)
    } else {
      self = .cancelled
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
    let beginning = target.map { $0 + ": " } ?? ""
    let isNamed = !beginning.isEmpty && message.utf8.starts(with: beginning.utf8)
    let text =
      isNamed
      ? "\(name): " + String(decoding: message.utf8.dropFirst(beginning.utf8.count), as: UTF8.self) : message
    return Problem(
      code: code, isError: isError, file: file, line: line, column: column, target: name, message: text,
      hint: hint)
  }
}
