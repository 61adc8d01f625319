/// Where the lines go that a run writes for people as its results.
enum OwnLines {
  case standardOutput
  /// Standard output is for the list of what changed.
  case standardError
  /// Standard output is a document's alone.
  case nowhere
}
