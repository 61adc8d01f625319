import ContentPipeline
import LocalFiles
import Platform
import SyncModel

/// Threads that read whole files, which may take a while.
final class FileReaders {
  private let pool: any JobRunner
  private let tokens: JobTokens?
  /// Whether their work is no longer wanted.
  private let isInVain = Monitor(false)

  /// `pool` has the threads, which share `tokens`.
  init(_ pool: any JobRunner, tokens: JobTokens?) {
    self.tokens = tokens
    self.pool = pool
  }

  /// Does `job` on another thread, which asks now and then whether it is in vain; `done` gets its letter there.
  func submit(
    _ job: @escaping @Sendable (_ isInVain: @Sendable () -> Bool) -> Letter,
    done: @escaping @Sendable (Letter) -> Void
  ) {
    pool.submit { [isInVain, tokens] in
      let letter = job {
        // Bodies on their way must not wait for the end of a large file.
        tokens?.pause()
        return isInVain.withLock { $0 }
      }
      done(letter)
    }
  }

  /// Ends the present read, as soon as it checks.
  func giveUp() { isInVain.withLock { $0 = true } }

  func shutDown() { pool.shutDown() }
}
