import SyncModel

@testable import Reporting

/// Foreign text in any report: no control character, no CI command, and no wider than was asked for.
enum CleaningCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    let clean = CleanText.clean(text)
    try harmless("the text", clean)
    try demand(!clean.utf8.contains(0x0A), "two lines of \(text.debugDescription)")
    try demand(CleanText.clean(text) == clean, "two answers for \(text.debugDescription)")
    // What is clean may be cleaned again on its way, and must then say the same.
    try demand(CleanText.clean(clean) == clean, "\(clean.debugDescription) is not clean")
    try cuts(clean)
    try messages(text, input)
  }

  private static func harmless(_ what: String, _ shown: String) throws(Violation) {
    if let harm = Harm.found(in: shown) { throw Violation("\(what): \(harm)") }
  }

  private static func cuts(_ clean: String) throws(Violation) {
    for width in [0, 1, 3, 5, 8, 20, 40] {
      for cut in [TextWidth.cutEnd(clean, to: width), TextWidth.cutMiddle(clean, to: width)] {
        try demand(
          TextWidth.of(cut) <= width, "\(cut.debugDescription) is wider than \(width) columns")
        try harmless("cut to \(width)", cut)
      }
    }
  }

  private static func messages(_ text: String, _ input: [UInt8]) throws(Violation) {
    let message = MessageText.error(text, hint: text, style: TextStyle())
    try harmless("a message", message)
    try demand(message.utf8.count { $0 == 0x0A } == 2, "lines in \(message.debugDescription)")
    let column = Int(input.first ?? 0) + 1
    let problem = Diagnostic(
      file: "syncmake.yaml", span: SourceSpan(line: 3, column: column, endColumn: column + input.count % 9),
      message: text, hint: text, sourceLine: text)
    for columns in [nil, 40, 80] {
      let shown = DiagnosticText.render([problem], style: TextStyle(width: columns))
      try harmless("a diagnostic", shown)
      try demand(shown.utf8.count { $0 == 0x0A } == 4, "lines in \(shown.debugDescription)")
    }
  }
}
