package import Planning
package import SyncModel

/// The annotations that GitHub shows beside the files of a change: a run's failures and warnings, and a manifest's
/// problems.
///
/// GitHub shows ten errors and ten warnings per step; if there are more, the tenth says so.
package struct GitHubAnnotations {
  private typealias Annotation = GitHubCommand.Annotation

  static let most = 10
  /// The most names that the last annotation lists.
  private static let mostNames = 5

  private let manifest: Manifest
  private let path: (String) -> String
  private var warnings: [(annotation: Annotation, name: String)] = []
  private var errors: [(annotation: Annotation, name: String)] = []

  /// `path` gives a file's path in the workspace.
  package init(_ manifest: Manifest, path: @escaping (String) -> String) {
    self.manifest = manifest
    self.path = path
  }

  /// Takes in warnings and results of targets; no other event matters.
  package mutating func handle(_ event: RunEvent) {
    switch event {
    case .warning(let warning): add(warning)
    case .finished(let result): add(result)
    default: break
    }
  }

  /// All annotations, in whole lines; only errors if only errors are `wanted`.
  package func lines(errorsOnly: Bool) -> String {
    Self.lines(errors, "targets failed") + (errorsOnly ? "" : Self.lines(warnings, "warnings"))
  }

  /// The problems of a file that keep a run from beginning, in whole lines.
  package static func lines(_ diagnostics: [Diagnostic], path: (String) -> String) -> String {
    func lines(_ severity: Diagnostic.Severity, _ noun: String) -> String {
      Self.lines(
        diagnostics.filter { $0.severity == severity }.map { (annotation($0, path: path), "") }, noun)
    }
    return lines(.error, "errors") + lines(.warning, "warnings")
  }

  /// An error that is about no line.
  package static func line(_ message: String, hint: String?, secrets: SecretMask = SecretMask()) -> String {
    Annotation(
      level: .error, title: "syncmake", message: secrets.mask(body(message, hint))
    ).text
  }

  private static func lines(_ all: [(annotation: Annotation, name: String)], _ noun: String) -> String {
    guard all.count > most, let first = all.first else { return all.reduce("") { $0 + $1.annotation.text } }
    let rest = all[(most - 1)...]
    let names = rest.map(\.name).filter { !$0.isEmpty }
    let list = names.prefix(mostNames).row(of: names.count)
    let last = Annotation(
      level: first.annotation.level, file: first.annotation.file, title: "syncmake",
      message: "\(rest.count) more \(noun)\(names.isEmpty ? "" : ": \(list)"); see the log for all")
    return all[..<(most - 1)].reduce("") { $0 + $1.annotation.text } + last.text
  }

  /// The targets of a plan that could not be planned.
  package mutating func handle(_ plan: Plan) {
    for planned in plan.targets {
      if let cause = planned.failure { add(TargetFailure(cause), of: planned.id) }
    }
  }

  private mutating func add(_ result: TargetResult) {
    if let failure = result.failure { add(failure, of: result.id) }
  }

  private mutating func add(_ failure: TargetFailure, of id: TargetID) {
    let (secrets, target) = (manifest.secrets, manifest[id])
    let name = secrets.mask(target.name.text)
    let annotation = Annotation(
      level: target.isOptional ? .warning : .error,
      file: secrets.mask(path(manifest.fileName(at: target.span))),
      line: target.span.line, column: target.span.column,
      title: "\(name): \(failure.code.rawValue)\(target.isOptional ? " (optional)" : "")",
      message: Self.body(
        FailureText.message(failure, secrets: secrets),
        FailureText.hint(failure, target: target, of: manifest)))
    if target.isOptional { warnings.append((annotation, name)) } else { errors.append((annotation, name)) }
  }

  private mutating func add(_ warning: RunWarning) {
    if case .lock(let diagnostic) = warning {
      return warnings.append((Self.annotation(diagnostic, path: path), ""))
    }
    let target = warning.target.map { manifest[$0] }
    let name = target.map { manifest.secrets.mask($0.name.text) }
    let annotation = Annotation(
      level: .warning, file: target.map { manifest.secrets.mask(path(manifest.fileName(at: $0.span))) },
      line: target?.span.line, column: target?.span.column, title: name ?? "syncmake",
      message: Self.body(WarningText.message(warning, manifest: manifest), WarningText.hint(warning)))
    warnings.append((annotation, name ?? ""))
  }

  private static func annotation(_ diagnostic: Diagnostic, path: (String) -> String) -> Annotation {
    Annotation(
      level: diagnostic.severity == .error ? .error : .warning, file: path(diagnostic.file),
      line: diagnostic.span?.line, column: diagnostic.span?.column, title: "syncmake",
      message: body(diagnostic.message, diagnostic.hint))
  }

  private static func body(_ message: String, _ hint: String?) -> String {
    message + (hint.map { "\nhint: \($0)" } ?? "")
  }
}
