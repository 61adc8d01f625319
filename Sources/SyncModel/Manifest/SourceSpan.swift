/// A place in the manifest or an included one: line and column from 1, columns counted in Unicode scalars.
package struct SourceSpan: Sendable, Equatable {
  // A manifest is small enough for half of an `Int`, and each of a million targets has a place.
  private let numbers: (line: Int32, column: Int32, endColumn: Int32, file: Int32)

  /// From 1.
  package var line: Int { Int(numbers.line) }
  /// The first that the caret line marks, from 1.
  package var column: Int { Int(numbers.column) }
  /// One past the last column that the caret line marks; at least ``column`` + 1.
  package var endColumn: Int { Int(numbers.endColumn) }
  /// 0 for the manifest itself, else the number of the included one (see ``Manifest/fileName(at:)``).
  package var file: Int { Int(numbers.file) }

  /// Line and columns count from 1; an `endColumn` that is not after `column` becomes `column` + 1.
  package init(line: Int, column: Int, endColumn: Int, file: Int = 0) {
    numbers = (
      Int32(clamping: line), Int32(clamping: column), Int32(clamping: max(endColumn, column + 1)),
      Int32(clamping: file)
    )
  }

  /// Whether both mark the same characters.
  package static func == (a: SourceSpan, b: SourceSpan) -> Bool { a.numbers == b.numbers }

  /// For values that no file wrote.
  package static let unknown = SourceSpan(line: 1, column: 1, endColumn: 2)
}

/// A problem in a file that a person wrote, with its place.
package struct Diagnostic: Sendable, Equatable, Error {
  /// Whether the command stops at the problem or continues.
  package enum Severity: String, Sendable { case error, warning }

  /// Whether the command stops.
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

  /// `message` and `hint` must be masked already; `sourceLine` is the line of `span`, without its end.
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
