/// The destination of a run's result lines for people.
enum OwnLines {
  case standardOutput
  /// Standard output is for the list of what changed.
  case standardError
  /// Standard output is a document's alone.
  case nowhere
}
