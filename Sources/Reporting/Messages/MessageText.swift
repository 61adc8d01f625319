package import SyncModel

/// Errors and warnings of the program as a whole, each on one line with a hint below.
package enum MessageText {
  /// `syncmake: error: …`, then `syncmake: hint: …` if there is one; secrets masked, ends in a line end.
  package static func error(
    _ message: String, hint: String? = nil, style: TextStyle, secrets: SecretMask = SecretMask()
  ) -> String {
    line("error", .boldRed, message, style, secrets)
      + (hint.map { line("hint", .cyan, $0, style, secrets) } ?? "")
  }

  /// `syncmake: warning: …`, then `syncmake: hint: …` if there is one; secrets masked, ends in a line end.
  package static func warning(
    _ message: String, hint: String? = nil, style: TextStyle, secrets: SecretMask = SecretMask()
  ) -> String {
    line("warning", .boldYellow, message, style, secrets)
      + (hint.map { line("hint", .cyan, $0, style, secrets) } ?? "")
  }

  private static func line(
    _ word: String, _ paint: Paint, _ message: String, _ style: TextStyle, _ secrets: SecretMask
  ) -> String {
    "syncmake: \(style.paint(word + ":", paint)) \(secrets.shown(message))\n"
  }
}
