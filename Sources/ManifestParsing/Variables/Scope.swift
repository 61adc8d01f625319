/// The values that a matrix gives one of its targets.
struct Scope {
  /// In the order of the matrix's keys.
  var names: [String] = []
  var values: [ExpandedText] = []

  /// Whether there are keys whose values are not known, since their matrix is wrong: a variable that nothing defines
  /// may be one of them.
  var isIncomplete = false

  static let none = Scope()
  static let unknown = Scope(isIncomplete: true)

  func value(of name: String) -> ExpandedText? {
    names.firstIndex(of: name).map { values[$0] }
  }
}

/// A text after its variables were put in.
struct ExpandedText {
  var text: String
  /// Whether a `${secret:}` went into it.
  var isSecret = false
}
