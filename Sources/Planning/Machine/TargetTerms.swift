package import SyncModel

/// The common terms of all targets in a run, a plan or `--touch`; `lock` and `update` are runs with other terms.
package final class TargetTerms: Sendable {
  /// The purpose of a target's life.
  package enum Purpose: Sendable, Equatable {
    /// Bring the target up to date.
    case run
    /// Tell what a run would do; nothing is written.
    case plan
    /// Record the file that is there as up to date.
    case touch
  }

  /// Whether targets are brought up to date, only planned, or recorded as they are.
  package let purpose: Purpose
  /// The manifest that the targets are from.
  package let manifest: Manifest
  /// The dependencies in ``manifest``.
  package let graph: TargetGraph
  /// The present lock; `nil` if there is none.
  package let lock: LockFile?
  /// The options of the command.
  package let options: Options

  /// The options of the command.
  package struct Options: Sendable {
    /// Whether each result has its pin (`lock`, `update`).
    package var collectsPins = false
    /// Whether records are written.
    package var isRecording = false
    /// Why nothing can be written; `nil` if the state folder can.
    package var writeFault: FailureCause?
    /// Which new outputs wait before they are put in place.
    package var withholding = Withholding.nothing
    /// Whether a plan asks the sources of pinned targets if they have moved.
    package var asksWhatMoved = false
    /// Whether a plan fails if a source does not tell whether it has moved.
    package var insistsOnWhatMoved = false
    /// Whether a plan asks how much there is to fetch.
    package var asksHowLarge = false
    /// The user's rules for where requests go instead of to the manifest's URLs.
    package var rewrites: [RewriteRule] = []
    /// What a target may do with the user's cache.
    package var cache = CacheAccess.none

    /// Nothing is written, and a lock is only obeyed.
    package init() {}
  }

  /// What a target may do with the user's cache.
  package enum CacheAccess: Sendable, Equatable {
    /// Nothing: there is none.
    case none
    /// Take bytes from it.
    case read
    /// Put bytes into it, too.
    case readWrite
  }

  /// Which new outputs wait in the state folder before they are put in place.
  package enum Withholding: Sendable, Equatable {
    /// None: each is put in place when it is finished.
    case nothing
    /// Those of targets that are published together: they wait for the others of their unit.
    case units
    /// All: they wait for the end of an update.
    case everything
  }

  /// Whether a new output of the target waits before it is put in place.
  package func withholds(_ id: TargetID) -> Bool {
    switch options.withholding {
    case .nothing: false
    case .units: graph.units.unit(of: id) != nil
    case .everything: true
    }
  }

  /// `graph` must be made from `manifest`.
  package init(
    _ purpose: Purpose, manifest: Manifest, graph: TargetGraph, lock: LockFile? = nil,
    options: Options = Options()
  ) {
    self.purpose = purpose
    self.manifest = manifest
    self.graph = graph
    self.lock = lock
    self.options = options
  }
}
