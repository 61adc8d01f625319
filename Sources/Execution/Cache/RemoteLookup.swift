import Planning
import SyncModel

/// What a cache on a server has for one question, found by one request or two.
final class RemoteLookup {
  struct Found {
    var named: CachedFile?
    /// Has the bytes of ``named``; `nil` in a plan.
    var request: RemoteRequest?
    /// Of the source.
    var record: CacheRecord?
  }

  private let cache: RemoteCache
  private let target: TargetID
  /// `presence` in a plan.
  private let kind: RemoteRequest.Kind
  private let done: (Found) -> Void
  private var request: RemoteRequest?

  /// `done` is called once, in a later turn, unless it is cancelled.
  init(
    _ cache: RemoteCache, for target: TargetID, isPlan: Bool, done: @escaping (Found) -> Void
  ) {
    self.cache = cache
    self.target = target
    kind = isPlan ? .presence : .file
    self.done = done
  }

  /// Whether there is anything to ask about `question`.
  static func isOf(_ question: CacheQuestion, in cache: RemoteCache) -> Bool {
    cache.isAsked && (!question.names.isEmpty || cache.trustsRecords)
  }

  /// Asks by the strongest digest, or for the source's record.
  func start(_ question: CacheQuestion) {
    guard let name = question.names.first else {
      request = cache.ask(source: question.key, for: target) { [self] in done(Found(record: $0)) }
      return
    }
    guard name.algorithm != .sha256 else { return find(name.digest) }
    // The bytes are compared with the digest, so that the record need not be believed.
    request = cache.ask(digest: CacheKey(name.algorithm, name.digest), for: target) { [self] record in
      guard let record, cache.isAsked else { return done(Found()) }
      find(record.sha256)
    }
  }

  private func find(_ sha256: HexDigest) {
    request = cache.ask(kind, file: sha256, for: target) { [self] answer in
      guard case .file(let size) = answer else { return done(Found()) }
      done(
        Found(
          named: CachedFile(sha256: sha256, size: size, isRemote: true),
          request: kind == .file ? request : nil))
    }
  }

  func cancel() { request?.cancel() }
}
