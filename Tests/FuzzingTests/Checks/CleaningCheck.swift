import SyncModel

@testable import Reporting

/// Foreign text in any report: no control character, no CI command, and not wider than requested.
enum CleaningCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    let clean = CleanText.clean(text)
    try harmless("the text", clean)
    try demand(!clean.utf8.contains(0x0A), "two lines of \(text.debugDescription)")
    try demand(CleanText.clean(text) == clean, "two answers for \(text.debugDescription)")
    // Clean text may be cleaned again, and must then be unchanged.
    try demand(CleanText.clean(clean) == clean, "\(clean.debugDescription) is not clean")
    try cuts(clean)
    try messages(text, input)
    try files(text)
    try commands(text)
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

  /// A failed target with foreign text in every possible place, in the output for machines and pipelines.
  private static func files(_ text: String) throws(Violation) {
    guard let output = try? RelativePath("x") else { throw Violation("x is no path") }
    let target = Target(
      id: TargetID(0), name: TargetName(text), source: .urls([.web(text)]), output: output)
    let manifest = Manifest(fileName: "syncmake.yaml", targets: [target])
    var result = TargetResult(
      id: target.id, name: target.name, outcome: .failed, output: .file(output, mode: nil))
    result.failure = TargetFailure(.tls(url: text, text: text))
    result.url = text
    let header = RunHeader(
      manifest: manifest, manifestPath: text, version: "1", time: Timestamp(seconds: 0), began: .zero)
    let end = RunEnd(results: [result], status: .failed, duration: .zero)
    var events = EventLines(header)
    let line = events.handle(.finished(result), at: .zero)
    try harmless("an event", line)
    try demand(line.utf8.count { $0 == 0x0A } == 1, "lines in \(line.debugDescription)")
    var (junit, trace) = (JUnitXML(header), TraceFile(header))
    _ = trace.handle(.finished(result), at: .zero)
    let xml = junit.finish(end, at: .zero)
    try harmless("a JUnit file", xml)
    try demand(
      !xml.utf8.elementsEqual([]) && !xml.contains("]]>"), "the end of a section in \(xml.debugDescription)")
    try harmless("a trace", trace.finish(end, at: .zero))
    let summary = StepSummary(end, manifest: manifest).markdown()
    try harmless("a summary", summary)
    try demand(summary.utf8.count { $0 == 0x0A } == 6, "lines in \(summary.debugDescription)")
  }

  /// A GitHub command is one line, was made by us, and is harmless after its escapes are resolved.
  private static func commands(_ text: String) throws(Violation) {
    let problem = Diagnostic(file: text, message: text, hint: text)
    let command = GitHubAnnotations.lines([problem], path: { $0 })
    try demand(command.utf8.starts(with: "::error file=".utf8), "no error: \(command.debugDescription)")
    try demand(command.utf8.count { $0 == 0x0A } == 1, "lines in \(command.debugDescription)")
    let bytes = Array(command.utf8)
    guard let end = bytes.indices.dropFirst(3).first(where: { bytes[$0] == 0x3A && bytes[$0 - 1] == 0x3A })
    else {
      throw Violation("no message in \(command.debugDescription)")
    }
    try harmless("a command's properties", "x" + String(decoding: bytes[2..<(end - 1)], as: UTF8.self))
    let message = String(decoding: bytes[(end + 1)...], as: UTF8.self)
    for line in message.split(separator: "%0A").map(String.init) { try harmless("a command's text", line) }
  }
}
