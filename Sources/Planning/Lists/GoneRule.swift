package import SyncModel

/// Finds the recorded entries of a list that are no longer in it (contract, section 11).
///
/// Only an entry that the list does not have at all is gone. One that the manifest's own patterns leave out is not:
/// nothing upstream has ended, and an edited pattern must not remove files.
package struct GoneRule: Sendable, Equatable {
  /// The recorded keys that the list does not have, in the given order.
  package let gone: [ByteString]
  /// The recorded keys that the list has, but of which no entry is selected or left out by `newest` only.
  package let unselected: [ByteString]
  /// Whether so many are gone that the list is probably wrong (`list-suspect`): nothing may be removed.
  package let isSuspect: Bool

  /// `recorded` has each key once; `entries` are all of the whole list, from which `outcome` was selected.
  /// `allowsRemovals` is the option of that name, with which no list is suspect.
  package init(
    recorded: [ByteString], entries: [ListEntry], outcome: ListSelection.Outcome, allowsRemovals: Bool = false
  ) {
    enum Place { case missing, listed, wanted }
    let numbers = Dictionary(
      recorded.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    var places = [Place](repeating: .missing, count: recorded.count)
    for entry in entries {
      if let number = numbers[ByteString(entry.key)] { places[number] = .listed }
    }
    for key in outcome.selected.lazy.map({ ByteString($0.key) }) {
      if let number = numbers[key] { places[number] = .wanted }
    }
    for key in outcome.older {
      if let number = numbers[key] { places[number] = .wanted }
    }
    gone = recorded.indices.filter { places[$0] == .missing }.map { recorded[$0] }
    unselected = recorded.indices.filter { places[$0] == .listed }.map { recorded[$0] }
    isSuspect = !allowsRemovals && Self.isSuspect(gone: gone.count, recorded: recorded.count)
  }

  /// More than one, and more than 10 %.
  private static func isSuspect(gone: Int, recorded: Int) -> Bool { gone > 1 && 10 * gone > recorded }
}
