/// How much of a run is printed for people.
package enum Verbosity: Sendable, Equatable {
  /// `-s`: errors only.
  case silent
  /// Without an option: results, warnings and errors.
  case normal
  /// `-v`: each request, its status and the reason of each decision.
  case verbose
}
