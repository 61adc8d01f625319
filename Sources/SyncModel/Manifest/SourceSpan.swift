/// A place in the manifest: line and column from 1, columns counted in Unicode scalars.
package struct SourceSpan: Sendable, Equatable {
  /// From 1.
  package var line: Int
  /// The first that the caret line marks, from 1.
  package var column: Int
  /// One past the last column that the caret line marks; at least ``column`` + 1.
  package var endColumn: Int

  package init(line: Int, column: Int, endColumn: Int) {
    self.line = line
    self.column = column
    self.endColumn = max(endColumn, column + 1)
  }

  /// For values that no file wrote.
  package static let unknown = SourceSpan(line: 1, column: 1, endColumn: 2)
}

/// A problem in a file that a person wrote, with its place.
package struct Diagnostic: Sendable, Equatable, Error {
  /// Whether the command stops at the problem or continues.
  package enum Severity: String, Sendable { case error, warning }

  package var severity: Severity
  /// As people are shown it.
  package var file: String
  /// `nil` if the problem concerns the whole file, for example if it cannot be read.
  package var span: SourceSpan?
  /// Lower case, no full stop, secrets already masked; control characters are the reporter's to clean.
  package var message: String
  /// The next step, without the word "hint"; `nil` if the message is enough.
  package var hint: String?
  /// The line of ``span``, without its end; `nil` if there is none.
  package var sourceLine: String?

  package init(
    severity: Severity = .error, file: String, span: SourceSpan? = nil, message: String, hint: String? = nil,
    sourceLine: String? = nil
  ) {
    self.severity = severity
    self.file = file
    self.span = span
    self.message = message
    self.hint = hint
    self.sourceLine = sourceLine
  }
}
