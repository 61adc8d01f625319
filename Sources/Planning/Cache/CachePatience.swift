package import SyncModel

/// Whether a cache on a server is still worth asking in this run (contract, section 12).
///
/// A cache that is dead, hangs, lies or is slow may cost three seconds in all. Two are waited in vain; the third is for what
/// is noticed late.
package struct CachePatience: Sendable, Equatable {
  /// So often it is looked whether anybody waits for the cache.
  package static let stride = Duration.milliseconds(100)
  /// An answer that takes longer is slow.
  package static let longestAnswer = Duration.milliseconds(500)
  /// A miss that takes longer has cost its whole time, which brings nothing.
  private static let longestMiss = Duration.milliseconds(250)
  /// Bodies that bring fewer bytes in a stride, on the average of all, are slow.
  package static let fewestBytes: Int64 = 10_000
  /// So long it may be waited for in vain.
  package static let mostWaste = Duration.seconds(2)
  /// A cache may fail now and then.
  private static let mostFailures = 3

  /// Whether it is not asked any more.
  package private(set) var isOver = false
  private var wasted = Duration.zero
  /// The moment until which time in vain has been counted.
  private var accountedUntil = Duration.zero
  /// Since the last success.
  private var failures = 0
  private var hasSucceeded = false

  /// Nothing has happened yet.
  package init() {}

  /// It has given what was asked for, or has said at once that it does not have it.
  package mutating func succeeded() {
    failures = 0
    hasSucceeded = true
  }

  /// It has said at `now` that it does not have what was asked for at `began`, both by one clock.
  ///
  /// What others have waited for at the same time counts once.
  package mutating func missed(from began: Duration, to now: Duration) {
    succeeded()
    guard now - began > Self.longestMiss else { return }
    waste(max(.zero, now - max(began, accountedUntil)))
    accountedUntil = max(accountedUntil, now)
  }

  /// A request has failed after `time`.
  package mutating func failed(_ fault: RemoteCacheFault, after time: Duration = .zero) {
    // Smaller bodies are as welcome as before.
    if fault.isOfSize { return }
    failures += 1
    wasted += time
    isOver =
      isOver || fault.isFinal(hasSucceeded: hasSucceeded) || failures >= Self.mostFailures
      || wasted >= Self.mostWaste
  }

  /// During the stride that ends at `now` somebody has waited in vain.
  package mutating func waited(until now: Duration) {
    waste(Self.stride)
    accountedUntil = max(accountedUntil, now)
  }

  /// Somebody has waited for `time` until requests could be signed.
  package mutating func waited(forKey time: Duration) { waste(max(.zero, time - Self.longestAnswer)) }

  private mutating func waste(_ time: Duration) {
    wasted += time
    if wasted >= Self.mostWaste { isOver = true }
  }
}

extension RemoteCacheFault {
  /// What a store says of one object, and not of all.
  private static let ofOneObject = [
    "BadDigest", "InvalidObjectState", "OperationAborted", "XAmzContentSHA256Mismatch",
  ]

  /// Whether one file is too large for the server.
  fileprivate var isOfSize: Bool {
    switch self {
    case .status(413), .notStored(413), .refused(413, _), .refused(_, "EntityTooLarge"): true
    default: false
    }
  }

  /// Whether the next request would fare no better.
  fileprivate func isFinal(hasSucceeded: Bool) -> Bool {
    switch self {
    case .status(let status), .notStored(let status): [401, 403, 407, 507].contains(status)
    case .failed(let cause):
      switch cause {
      case .helperFailed, .tls, .offline: true
      default: !hasSucceeded
      }
    // What a store calls a timeout is one of its connections.
    case .refused(let status, let code):
      status < 500 && ![408, 429].contains(status) && code != "RequestTimeout"
        && !Self.ofOneObject.contains(code)
    case .noKey: true
    case .page, .form, .otherBytes, .unfinished, .spool: false
    case .slow: true
    }
  }
}
