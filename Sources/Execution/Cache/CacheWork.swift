import LocalFiles
import Planning
import SyncModel

/// What one target has to do with the cache: looking, waiting for another run that fetches the same, and keeping.
final class CacheWork {
  /// A run that fetches gives a sign so often.
  private static let signs = Duration.seconds(1)
  /// After so long without a sign it is not waited for.
  private static let patience = Duration.seconds(3)
  private let cache: LocalCache
  private unowned let target: TargetDriver
  /// Held while this run fetches what the cache lacks.
  private var lock: CacheLock?
  /// The last sign of the run that is waited for, and when it was seen here.
  private var seen: (sign: Timestamp, at: Duration)?
  private var isOver = false
  /// Whether the cache was asked for a body that is to be fetched if it is not there.
  private(set) var hasLooked = false

  init(_ cache: LocalCache, _ target: TargetDriver) {
    self.cache = cache
    self.target = target
  }

  /// Tells the target what the cache has: now, or once nobody else fetches it.
  func ask(_ question: CacheQuestion, isToFetch: Bool) {
    guard !isOver else { return }
    var answer = cache.answer(question)
    // Without a network nothing is fetched here, whatever the other run does.
    if isToFetch, answer == CacheAnswer(), !target.context.settings.isOffline {
      switch cache.lock(question) {
      case .busy(let sign)?:
        if isWorthWaiting(sign) { return askLater(question) }
      case .held(let lock)?:
        // Its last holder may have stored it a moment ago.
        answer = cache.answer(question)
        if answer == CacheAnswer() { hold(lock) }
      case nil: break
      }
    }
    if isToFetch { hasLooked = true }
    target.tell(.cacheAnswered(answer))
  }

  /// Whether the run that fetches it has given a sign lately, by the clock of this machine.
  private func isWorthWaiting(_ sign: Timestamp) -> Bool {
    let now = target.context.clock.monotonic()
    guard let seen, seen.sign == sign else {
      seen = (sign, now)
      return true
    }
    return now - seen.at < Self.patience * target.context.settings.timeScale
  }

  private func askLater(_ question: CacheQuestion) {
    target.context.driver.after(.milliseconds(50)) { [weak self] in
      self?.ask(question, isToFetch: true)
    }
  }

  private func hold(_ lock: CacheLock?) {
    self.lock = lock
    if lock != nil { giveSigns() }
  }

  private func giveSigns() {
    target.context.driver.after(Self.signs) { [weak self] in
      guard let self, let lock = self.lock else { return }
      lock.giveSign()
      self.giveSigns()
    }
  }

  /// The target has ended: others may fetch what it has not.
  func end() {
    isOver = true
    lock = nil
  }
}
