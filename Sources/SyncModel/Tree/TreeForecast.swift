/// What a run would do to the files of a folder, as far as that is known without fetching anything (contract, section 10).
package struct TreeForecast: Sendable, Equatable {
  /// Of how many paths ``dropped`` has the first.
  package static let mostNamed = 10

  /// The size of the archive in bytes; `nil` if it is not here.
  package var archiveSize: Int64?
  /// How the archive's files differ from those in the folder; `nil` if the archive is not here.
  package var changes: TreeChanges?
  /// How many files and links the archive has for the folder; `nil` if it is not here.
  package var files: Int?
  /// Of the recorded files and links, how many are missing; 0 if nothing is recorded.
  package var missing = 0
  /// How many files and links are recorded.
  package var recorded = 0
  /// The first files and folders that nobody recorded and that `prune: all` removes, from the folder, in order.
  package var dropped: [String] = []
  /// How many there are.
  package var droppedCount = 0

  /// Nothing is known.
  package init() {}
}
