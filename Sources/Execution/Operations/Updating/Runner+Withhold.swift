import LocalFiles
import Platform
import SyncModel

extension Runner {
  /// Brings targets up to date for an update that must know these outputs before it can begin: they stay hidden, and
  /// `read` gets the results and opens the outputs. Returns what the targets have had from the cache.
  static func withhold(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    report: @escaping (RunEvent) -> Void,
    read: ([TargetResult], (RelativePath) -> ReadableFile?) -> Void
  ) throws(RunFault) -> CacheAccount? {
    let session = try RunSession(workspace, selection, settings, stop, report)
    let (results, isInterrupted) = session.perform(selection)
    if !isInterrupted { read(results, session.openNew) }
    session.close()
    if isInterrupted { throw .interrupted }
    return session.cacheAccount
  }
}
