import ContentPipeline
import StateStore
import Transfer

/// The libraries of a first run, loaded while its manifest is still being read.
///
/// Where nothing is recorded a run opens the state and, but for the rarest of manifests, asks for something. To load
/// libcurl and SQLite takes some ten milliseconds, in which the other processor would be idle
/// (docs/decisions/0011).
package final class EarlyLibraries: Sendable {
  private let pool = WorkerPool(threads: 1)

  /// In bytes: what is read in less time than that takes is not worth a thread.
  private static let smallestManifest = 64 << 10

  /// Begins to load them; `nil` where something is recorded below `statePath`, or a manifest of `size` bytes is read soon.
  package init?(statePath: String, manifestSize size: Int) {
    guard size >= Self.smallestManifest, StateStore.isNew(in: statePath) else { return nil }
    pool.submit {
      StateStore.prepare()
      TransferLoop.prepare()
    }
  }

  /// Waits until they are loaded: the process must not end in the middle of a library's start.
  package func finish() { pool.shutDown() }

  deinit { finish() }
}
