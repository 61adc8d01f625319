import SyncModel

/// A failed target for people: what happened, then what was kept and the next step.
struct FailureReport {
  var name: TargetName
  var failure: TargetFailure
  /// For specific advice; `nil` if it is unknown.
  var target: Target?
  /// A failure of an optional target is a warning.
  var isOptional = false
  /// Whether the section of the documentation that explains the code is named, too.
  var namesSection = false

  /// One to four lines, each with its line end.
  func render(_ style: TextStyle, _ manifest: Manifest) -> String {
    let secrets = manifest.secrets
    let word = isOptional ? style.paint("warning:", .boldYellow) : style.paint("error:", .boldRed)
    let subject = secrets.shown(name) + (isOptional ? " (optional)" : "")
    var text = "syncmake: \(word) \(subject): \(FailureText.message(failure, secrets: secrets))\n"
    if let kept = FailureText.kept(failure, of: target) { text += "  \(kept)\n" }
    if let hint = FailureText.hint(failure, target: target, of: manifest) {
      text += "  \(style.paint("hint:", .cyan)) \(hint)\n"
    }
    if namesSection { text += "  " + ErrorPage.line(failure.code.rawValue, style) }
    return text
  }
}
