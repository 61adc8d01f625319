/// The commands that GitHub's runner reads in a log, and how text gets into them.
///
/// Whatever is foreign is made harmless first, then escaped: `%`, CR and LF everywhere, `:` and `,` in properties, too
/// (what `@actions/core` does).
package enum GitHubCommand {
  /// An `::error` or `::warning` at a line of a file.
  struct Annotation: Equatable {
    enum Level: String { case error, warning }

    var level: Level
    /// Relative to the workspace; `nil` if the annotation is about no file.
    var file: String?
    var line: Int?
    var column: Int?
    var title: String
    /// Whole text; line ends are kept, and all else is cleaned by ``text``.
    var message: String

    /// One line with its end.
    var text: String {
      var properties: [String] = []
      if let file { properties.append("file=\(property(file))") }
      if let line { properties.append("line=\(line)") }
      if let column { properties.append("col=\(column)") }
      properties.append("title=\(property(title))")
      return "::\(level.rawValue) \(properties.joined(separator: ","))::\(data(message))\n"
    }
  }

  /// Begins a part of the log that is shown folded.
  package static func group(_ title: String) -> String { "::group::\(data(title))\n" }

  /// Ends the part that ``group(_:)`` began.
  package static let endGroup = "::endgroup::\n"

  private static func data(_ text: String) -> String {
    text.split(separator: "\n").map { escaped(CleanText.clean(String($0)), [:]) }.joined(separator: "%0A")
  }

  private static func property(_ text: String) -> String {
    escaped(CleanText.clean(text), [":": "%3A", ",": "%2C"])
  }

  private static func escaped(_ text: String, _ more: [Unicode.Scalar: String]) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      if scalar == "%" {
        out += "%25"
      } else if let escape = more[scalar] {
        out += escape
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
