import SyncModel

/// Collects the problems of one manifest and of those that it includes, each once, whatever number of aliases lead to it.
struct DiagnosticLog {
  /// A line of a file that is no manifest.
  struct Row: Hashable {
    var file: String
    /// From 1.
    var line: Int
    /// `nil` if it is not to be shown.
    var text: String?
  }

  private struct Entry: Hashable {
    /// See ``SourceSpan/file``.
    var file: Int
    var line: Int
    var column: Int
    var endColumn: Int
    var hasPlace: Bool
    var message: String
    var hint: String?
    var row: Row?
  }

  private struct Place: Hashable {
    var file: Int
    var line: Int
    var column: Int
  }

  private var entries: [Entry] = []
  private var seen: Set<Entry> = []
  private var places: Set<Place> = []

  /// While set, a place that has a problem gets no other: a matrix's second target repeats its first's.
  var reportsPlacesOnce = false

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  /// Of those that were reported; secrets are not masked.
  var firstMessage: String? { entries.first?.message }

  /// `span` is `nil` when the problem is the file as a whole.
  mutating func error(_ message: String, at span: SourceSpan?, hint: String? = nil) {
    let entry = Entry(
      file: span?.file ?? 0, line: span?.line ?? 0, column: span?.column ?? 0,
      endColumn: span?.endColumn ?? 0, hasPlace: span != nil, message: message, hint: hint)
    let place = Place(file: entry.file, line: entry.line, column: entry.column)
    let isNewPlace = places.insert(place).inserted
    guard isNewPlace || !reportsPlacesOnce, seen.insert(entry).inserted else { return }
    entries.append(entry)
  }

  /// Reports a problem of a file that is no manifest; those come after the others, by their files and lines.
  mutating func error(_ message: String, in row: Row, hint: String? = nil) {
    let entry = Entry(
      file: .max, line: .max, column: 0, endColumn: 0, hasPlace: false, message: message, hint: hint,
      row: row)
    if seen.insert(entry).inserted { entries.append(entry) }
  }

  /// Adds the problems of a text that was read alone, and is the included manifest of that number.
  mutating func add(_ other: DiagnosticLog, ofFile file: Int) {
    for var entry in other.entries {
      entry.file = file
      if seen.insert(entry).inserted { entries.append(entry) }
    }
  }

  /// The first problem that was reported after `earlier`, a copy of it, with its place.
  func first(after earlier: DiagnosticLog) -> (message: String, hint: String?, span: SourceSpan)? {
    guard entries.count > earlier.count else { return nil }
    let entry = entries[earlier.count]
    return (
      entry.message, entry.hint,
      SourceSpan(line: entry.line, column: entry.column, endColumn: entry.endColumn, file: entry.file)
    )
  }

  /// Every problem in source order, with its line, and with no secret and no signature in it.
  func diagnostics(file: String, source: inout SourceText, secrets: SecretMask) -> [Diagnostic] {
    diagnostics(secrets: secrets) { _, line in (file, line.flatMap { source.line($0) }) }
  }

  /// The same of several files. `shown` gives a file's name and one of its lines.
  func diagnostics(
    secrets: SecretMask, _ shown: (_ file: Int, _ line: Int?) -> (name: String, line: String?)
  ) -> [Diagnostic] {
    func place(_ entry: Entry, _ offset: Int) -> (Int, Int, Int, String, Int, Int) {
      (entry.file, entry.line, entry.column, entry.row?.file ?? "", entry.row?.line ?? 0, offset)
    }
    let ordered = entries.enumerated().sorted { place($0.element, $0.offset) < place($1.element, $1.offset) }
    func mask(_ text: String) -> String { SignatureMask.mask(secrets.mask(text)) }
    func words(_ text: String) -> String { Quoting.withShortWords(mask(text)) }
    // A long line may have thousands of problems.
    var last: (file: Int, line: Int?, name: String, text: String?)?
    return ordered.map { _, entry in
      if let row = entry.row {
        return Diagnostic(
          file: row.file,
          span: SourceSpan(line: row.line, column: 1, endColumn: (row.text?.unicodeScalars.count ?? 1) + 1),
          message: words(entry.message), hint: entry.hint.map(words), sourceLine: row.text.map(mask))
      }
      let span = SourceSpan(
        line: entry.line, column: entry.column, endColumn: entry.endColumn, file: entry.file)
      let number = entry.hasPlace ? entry.line : nil
      if last.map({ $0.file == entry.file && $0.line == number }) != true {
        let (name, line) = shown(entry.file, number)
        last = (entry.file, number, name, line.map(mask))
      }
      return Diagnostic(
        file: last?.name ?? "", span: entry.hasPlace ? span : nil, message: words(entry.message),
        hint: entry.hint.map(words), sourceLine: last?.text)
    }
  }
}
