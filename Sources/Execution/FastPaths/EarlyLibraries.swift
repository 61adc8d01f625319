import ContentPipeline
import StateStore
import Transfer

/// The libraries of a first run, loaded while its manifest is still being read.
///
/// Without records a run opens the state and nearly always sends a request. Loading libcurl and SQLite takes about
/// ten milliseconds, in which the other processor would be idle (docs/decisions/0011).
package final class EarlyLibraries: Sendable {
  private let pool = WorkerPool(threads: 1)

  /// In bytes: a smaller manifest is read before a thread could help.
  private static let smallestManifest = 64 << 10

  /// Begins to load them; `nil` if there is a state below `statePath`, or reading a manifest of `size` bytes is
  /// quick.
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
