import LocalFiles
import Planning
import SyncModel

/// What one target has to do with the caches: looking, waiting for another run that fetches the same, and keeping.
final class CacheWork {
  /// A run that fetches gives a sign so often.
  private static let signs = Duration.seconds(1)
  /// After so long without a sign it is not waited for.
  private static let patience = Duration.seconds(3)
  private let caches: RunCaches
  private unowned let target: TargetDriver
  /// Held while this run fetches what the cache lacks.
  private var lock: CacheLock?
  /// The last sign of the run that is waited for, and when it was seen here.
  private var seen: (sign: Timestamp, at: Duration)?
  private var isOver = false
  /// Whether the caches were asked for a body that is to be fetched if it is not there.
  private(set) var hasLooked = false
  /// The question to the server, while it is not answered.
  private var lookup: RemoteLookup?
  /// The request that has the file which is to be taken.
  private var request: RemoteRequest?

  init(_ caches: RunCaches, _ target: TargetDriver) {
    self.caches = caches
    self.target = target
  }

  /// Tells the target what the caches have: now, or once nobody else fetches it.
  func ask(_ question: CacheQuestion, isToFetch: Bool) {
    guard !isOver else { return }
    guard let cache = caches.local, !question.isOfServer else {
      return askServer(question, besides: CacheAnswer(), isToFetch: isToFetch)
    }
    var answer = cache.answer(question)
    answer.record = question.counting(answer.record)
    // Without a network nothing is fetched here, whatever the other run does.
    if isToFetch, answer == CacheAnswer(), !target.context.settings.questions.isOffline {
      switch cache.lock(question) {
      case .busy(let sign)?:
        if isWorthWaiting(sign) { return askLater(question) }
      case .held(let lock)?:
        // Its last holder may have stored it a moment ago.
        answer = cache.answer(question)
        answer.record = question.counting(answer.record)
        if answer == CacheAnswer() { hold(lock) }
      case nil: break
      }
    }
    askServer(question, besides: answer, isToFetch: isToFetch)
  }

  /// Asks the cache on the server, too, if the one on this machine does not have the bytes.
  private func askServer(_ question: CacheQuestion, besides local: CacheAnswer, isToFetch: Bool) {
    guard local.named == nil, target.target.cache == .share, let remote = caches.remote,
      RemoteLookup.isOf(question, in: remote)
    else { return answer(local, isToFetch) }
    let isPlan = target.context.terms.purpose == .plan
    let lookup = RemoteLookup(remote, for: target.target.id, isPlan: isPlan) { [weak self] found in
      guard let self, !isOver else { return }
      self.lookup = nil
      request = found.request
      var both = local
      both.named = found.named
      if let record = question.counting(found.record), local.record.map({ record.says(moreThan: $0) }) ?? true
      {
        both.record = record
        both.isRecordRemote = caches.local?.has(record) != true
      }
      answer(both, isToFetch)
    }
    self.lookup = lookup
    lookup.start(question)
  }

  private func answer(_ answer: CacheAnswer, _ isToFetch: Bool) {
    if isToFetch { hasLooked = true }
    target.tell(.cacheAnswered(answer))
  }

  /// Has `intake` read a file of a cache as the body.
  func copy(_ file: CachedFile, to intake: TargetIntake) {
    guard file.isRemote else { return intake.copy(file) }
    if let request { return intake.copy(request, size: file.size) }
    guard let remote = caches.remote, remote.isAsked else { return target.tell(.cacheFailed) }
    request = remote.ask(.file, file: file.sha256, for: target.target.id) { [weak self, weak intake] answer in
      guard let self, !isOver else { return }
      guard case .file(let size) = answer, size == file.size, let request else {
        self.request?.cancel()
        self.request = nil
        return target.tell(.cacheFailed)
      }
      intake?.copy(request, size: size)
    }
  }

  /// A file of a cache has other bytes than its name says.
  func drop(_ file: CachedFile) {
    guard file.isRemote else { return caches.local?.drop(file) ?? () }
    if let request {
      caches.remote?.lied(file.sha256, after: target.context.clock.monotonic() - request.progress.began)
    }
  }

  /// The body is not taken from a cache any more.
  func hangUp() {
    request?.cancel()
  }

  /// Whether the run that fetches it has given a sign lately, by the clock of this machine.
  private func isWorthWaiting(_ sign: Timestamp) -> Bool {
    let patience = Self.patience * target.context.settings.resources.timeScale
    // Who has waited in vain once in this run does so for no other run that gave no sign for as long.
    if caches.local?.hasWaitedInVain == true, target.context.clock.now() - sign >= patience { return false }
    let now = target.context.clock.monotonic()
    guard let seen, seen.sign == sign else {
      seen = (sign, now)
      return true
    }
    guard now - seen.at >= patience else { return true }
    caches.local?.hasWaitedInVain = true
    return false
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
    lookup?.cancel()
    request?.cancel()
  }
}
