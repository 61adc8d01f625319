import ManifestParsing
package import SyncModel

/// Why a foreign file cannot be read, with its place.
struct ForeignFault: Error {
  /// As diagnostics have it.
  var message = ""
  var hint: String?
  /// `nil` if the problem is the file as a whole.
  var span: SourceSpan?
  /// What the reader of YAML reported instead; else empty.
  var diagnostics: [Diagnostic] = []

  init(_ message: String, at span: SourceSpan? = nil, hint: String? = nil) {
    self.message = message
    self.span = span
    self.hint = hint
  }

  init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}

/// Why no manifest is made of a foreign file, as people are shown it.
package struct ForeignRefusal: Error {
  /// Never empty; lines that may hold a secret are not in them.
  package var diagnostics: [Diagnostic]

  init(_ fault: ForeignFault, _ fileName: String, _ bytes: [UInt8]) {
    let own = Diagnostic(
      file: fileName, span: fault.span, message: fault.message, hint: fault.hint,
      sourceLine: fault.span.flatMap { LockFileParser.lines([$0.line], of: bytes)[0] })
    diagnostics = (fault.diagnostics.isEmpty ? [own] : fault.diagnostics).map { problem in
      var problem = problem
      let line = problem.sourceLine ?? ""
      if line.utf8.contains(UInt8(ascii: "@")) || SecretWords.mayHold(line) { problem.sourceLine = nil }
      return problem
    }
  }
}
