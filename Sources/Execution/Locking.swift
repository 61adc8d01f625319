import LocalFiles
import SyncModel

/// Takes the run lock as the command line asks (SPEC section 6, promise 6).
enum Locking {
  /// Waits for another run, telling for whom, unless `waits` is `false`.
  static func acquire(
    _ folder: StateFolder, waits: Bool, stop: StopSignal, report: (RunEvent) -> Void
  ) throws(RunFault) -> RunLock {
    var seen = "another run"
    let lock: RunLock?
    do throws(FailureCause) {
      lock = try RunLock.acquire(
        in: folder, wait: waits, now: SystemClock.now(),
        onWait: { holder in
          seen = holder
          if waits { report(.waitingForLock(holder: holder)) }
        }, isCancelled: { stop.isStopped })
    } catch {
      throw .unusable(error)
    }
    if let lock { return lock }
    throw stop.isStopped ? .interrupted : .busy(holder: seen)
  }
}
