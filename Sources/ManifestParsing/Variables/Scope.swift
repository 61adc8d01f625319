/// The values that a matrix, or a list's entry, gives one of its targets.
struct Scope {
  /// In the order of the matrix's keys.
  var names: [String] = []
  var values: [ExpandedText] = []

  /// Keys with unreadable values. These were reported, so using them is not another problem.
  var unreadable: [String] = []

  /// `nil` for a target that has no list.
  var entry: EntryValues?
  /// `nil` for a target that is not the row of a file.
  var row: RowCursor?

  static let none = Scope()

  /// Whether it gives nothing.
  var isNone: Bool { names.isEmpty && unreadable.isEmpty && entry == nil && row == nil }

  /// All keys, for hints.
  var knownNames: [String] { names + unreadable + (entry?.names ?? []) + (row?.names ?? []) }

  func value(of name: String) throws(Variables.Fault) -> ExpandedText? {
    if let row { return try row.value(of: name) }
    return names.firstIndex(of: name).map { values[$0] }
  }
}

/// A text after its variables were put in.
struct ExpandedText {
  var text: String
  /// Whether a `${secret:}` went into it.
  var isSecret = false
}
