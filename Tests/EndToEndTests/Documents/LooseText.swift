import Foundation

/// What a document shows of a command's output, without what differs from run to run.
enum LooseText {
  /// The lines, in which times, dates, sizes and digests match any other, and spaces match any space.
  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { line in
      line.replacing(
        /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT/, with: "DATE"
      )
      .replacing(/[0-9a-f]{12,}/, with: "DIGEST")
      .replacing(/[0-9][0-9.:]*/, with: "#")
      .replacing(/# (ms|s)\b/, with: "# s")
      .replacing(/#[smh] ago/, with: "# ago")
      .replacing(/[ \t]+/, with: " ")
      .trimmingCharacters(in: .whitespaces)
    }
  }
}
