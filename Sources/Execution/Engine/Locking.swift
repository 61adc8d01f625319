import LocalFiles
import SyncModel

/// Takes the run lock as the command line asks (contract, section 6, promise 6).
enum Locking {
  /// Waits for another run, telling for whom, unless `waits` is `false`.
  static func acquire(
    _ folder: StateFolder, sharedFor purpose: String? = nil, at now: Timestamp, waits: Bool, stop: StopSignal,
    report: (RunEvent) -> Void
  ) throws(RunFault) -> RunLock {
    let lock: RunLock?
    do throws(FailureCause) {
      lock = try RunLock.acquire(
        in: folder, sharedFor: purpose, wait: waits, now: now,
        onWait: { report(.waitingForLock(holder: $0)) }, isCancelled: { stop.isStopped })
    } catch {
      throw .unusable(error)
    }
    if let lock { return lock }
    throw stop.isStopped ? .interrupted : .busy(holder: RunLock.holder(in: folder) ?? "another run")
  }
}
