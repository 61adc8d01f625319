package import Planning
package import SyncModel

/// Problems of a lock that does not match its manifest.
package enum LockReviewText {
  /// The most names in one message.
  private static let mostNames = 5

  /// One problem for all targets that the lock lacks, and one for each that the manifest contradicts, with its place;
  /// of warnings, one counts the targets after the first few: a run tells them each time.
  ///
  /// `lines` gives lines of the lock file by their numbers, from 1, without their ends.
  package static func diagnostics(
    _ review: LockReview, manifest: Manifest, file: String, severity: Diagnostic.Severity,
    places: [TargetName: SourceSpan], lines: ([Int]) -> [String?]
  ) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    func command(_ command: String) -> String {
      manifest.secrets.mask(manifest.place.command(command))
    }
    let shown = review.contradictions.prefix(severity == .warning ? mostNames : .max)
    for (id, what) in shown {
      diagnostics.append(
        Diagnostic(
          severity: severity, file: file, span: places[manifest[id].name],
          message: manifest.secrets.mask("\(manifest[id].name): \(wording(what))"),
          hint: "\(command("update \(manifest[id].name)")) locks the manifest's present definition"))
    }
    for (index, line) in lines(diagnostics.map { $0.span?.line ?? 0 }).enumerated() {
      diagnostics[index].sourceLine = line.map(manifest.secrets.mask)
    }
    let more = review.contradictions.count - shown.count
    if more > 0 {
      diagnostics.append(
        Diagnostic(
          severity: severity, file: file,
          message: "the manifest contradicts the lock of \(Quantity.count(more, "more target"))",
          hint:
            "\(command("validate --locked")) names them; \(command("update")) locks all present definitions"
        ))
    }
    let leaving =
      review.leaving.isEmpty
      ? ""
      : "; it removes what this manifest does not have: "
        + manifest.secrets.mask(some(review.leaving.map(\.text)))
    let lacking = review.lacking.map { manifest[$0].name.text } + review.lackingLists
    if !lacking.isEmpty {
      diagnostics.append(
        Diagnostic(
          severity: severity, file: file,
          message: manifest.secrets.mask(Self.lacking(lacking)),
          hint: "\(command("lock")) adds what is missing"
            + (review.lacking.contains { manifest[$0].isOptional }
              ? ", and optional targets when they are available" : "") + leaving))
    }
    for value in review.lackingValues {
      diagnostics.append(
        Diagnostic(
          severity: severity, file: file,
          message: manifest.secrets.mask(
            "the value of the variable \(value.name), of \(value.target), is not locked"),
          hint: "\(command("lock")) adds what is missing" + leaving))
    }
    return diagnostics
  }

  static func lacking(_ names: [String]) -> String {
    let list = some(names)
    return names.count == 1 ? "\(list) is not locked" : "\(names.count) targets are not locked: \(list)"
  }

  /// The first names, and how many more there are.
  static func some(_ names: [String]) -> String { names.prefix(mostNames).row(of: names.count) }

  /// In what way the lock contradicts the manifest, without the target's name; secrets as they are. `byList`: the source is
  /// a list's.
  static func wording(_ contradiction: LockContradiction, byList: Bool = false) -> String {
    switch contradiction {
    case .source(let locked, let now):
      "locked from \(wording(locked)), the \(byList ? "list" : "manifest") has \(wording(now))"
    case .digest(let locked, let now): "locked with sha256 \(locked), the manifest has \(now)"
    case .size(let locked, let now):
      "locked with \(Quantity.count(Int(locked), "byte")), the manifest has \(now)"
    case .steps(let locked, let now):
      "locked with \(locked.joined(separator: ", ")), the manifest has "
        + (now.isEmpty ? "no step that transforms the download" : now.joined(separator: ", "))
    case .otherKind(let lockedFolder):
      lockedFolder
        ? "locked as a folder, the manifest makes a file" : "locked as a file, the manifest makes a folder"
    case .notTransformed:
      "the download and the output differ in the lock, but no step of the manifest transforms the download"
    case .transformed:
      "the download and the output are the same in the lock, but a step of the manifest transforms the download"
    }
  }

  private static func wording(_ source: Pin.Source) -> String {
    switch source {
    case .urls(let urls): urls.map(\.text).joined(separator: ", ")
    case .target(let name): "the target \(name)"
    }
  }
}
