import LocalFiles
import StateStore
import SyncModel

/// The root of a run, and what it may do there.
struct RunPlace {
  let outputs: any OutputFolder
  /// The folder outputs; `nil` for a root in memory, which has none.
  let trees: TreeOutputs?
  /// `nil` if nothing can be written.
  let bodies: (any BodyStore)?
  /// Why ``bodies`` is `nil`.
  let fault: FailureCause
  /// `nil` if nothing can be recorded.
  let store: (any RecordStore)?
  /// Why ``store`` is `nil` though there should be one.
  let storeFault: StateFault?
  /// What is recorded.
  let snapshot: StateSnapshot
  /// What waits for an `update` or for a unit; `nil` if this run withholds nothing.
  let withheld: WithheldShelf?
  /// Publishes what waits for a unit; `nil` if there is no ``withheld``.
  let units: UnitPublisher?
  /// `nil` for a root in memory, which has no lock file and withholds nothing.
  let lease: RootLease?

  /// A root on a disk; `publishing` puts what is withheld in place.
  init(_ lease: RootLease, _ withheld: WithheldShelf?, publishing: WithheldPublication?) {
    outputs = lease.root
    trees = lease.trees
    bodies = lease.folder.map { FolderBodies($0, for: lease.root, lease.trees) }
    fault = lease.fault
    store = lease.store
    storeFault = lease.storeFault
    snapshot = lease.snapshot
    self.withheld = withheld
    units = publishing.map { UnitPublisher($0) }
    self.lease = lease
  }

  /// A root that is held in another way.
  init(
    outputs: any OutputFolder, bodies: any BodyStore, store: any RecordStore, snapshot: StateSnapshot
  ) {
    self.outputs = outputs
    trees = nil
    self.bodies = bodies
    fault = .internalError("this root has no lock file")
    self.store = store
    storeFault = nil
    self.snapshot = snapshot
    withheld = nil
    units = nil
    lease = nil
  }
}
