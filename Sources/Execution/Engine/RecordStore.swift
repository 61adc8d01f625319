import StateStore
import SyncModel

/// What a run needs of the state: to load it, and to remember changes.
///
/// Tests have one in memory, which one suite holds to the same rules as ``StateStore``.
protocol RecordStore: AnyObject {
  /// The new place of a damaged state, and the reason.
  var setAside: (path: String, why: String)? { get }

  /// Everything that is remembered, or the records of `outputs` only.
  func load(only outputs: [RelativePath]?) throws(StateFault) -> StateSnapshot

  /// Remembers `changes` in their order: all of them or, if it throws, none.
  func apply(_ changes: [StateChange]) throws(StateFault)
}

extension StateStore: RecordStore {}
