import Planning
import Platform
package import SyncModel

/// The user's cache on a server (contract, section 12).
package struct RemoteCacheSettings: Sendable {
  /// Where the cache is, without a slash at its end; of a cache on S3 as the user writes it.
  package let url: String
  /// How a cache on S3 is asked; `nil` for others.
  let keys: StoreKeys?
  /// Whether bodies come from it.
  let reads: Bool
  /// Whether bodies are put there.
  let writes: Bool
  /// How long a run waits for uploads once it has nothing else to do.
  package var longestWait = usualWait
  /// Signs what is recorded of sources; `nil`: nothing is signed.
  package var signer: CacheSigner?
  /// Whose records count.
  let trust: RecordTrust
  /// What the parts of one run have learned of the server.
  let health: RemoteCacheHealth

  /// The time that nothing gives.
  package static let usualWait = Duration.seconds(30)

  /// `nil` if `rule` names no server; `health` and `keys` are those of the whole command.
  package init?(_ rule: RemoteCacheRule, _ health: RemoteCacheHealth, keys: StoreKeys? = nil) {
    guard let url = rule.url, S3Location.isMeant(by: url) == (keys != nil) else { return nil }
    self.url = url
    self.keys = keys
    reads = rule.mode.reads
    writes = rule.mode.writes
    self.health = health
    trust = RecordTrust(rule)
  }
}

/// What a run has learned of a cache on a server; any thread.
package final class RemoteCacheHealth: Sendable {
  private let patience = Monitor(CachePatience())
  private let bad = Monitor<Set<HexDigest>>([])
  let trouble = FirstTrouble()

  /// Nothing is known of it.
  package init() {}

  /// Whether the server is not asked any more.
  var isOver: Bool { patience.withLock { $0.isOver } }

  /// Whether the file of this name had other bytes, so that it is to be replaced.
  func isBad(_ file: HexDigest) -> Bool { bad.withLock { $0.contains(file) } }

  /// Notes that the file of this name has other bytes.
  func noteBad(_ file: HexDigest) { bad.withLock { _ = $0.insert(file) } }

  /// Notes what has happened; returns whether the server is now given up.
  func note(_ change: (inout CachePatience) -> Void) -> Bool {
    patience.withLock { patience in
      let wasOver = patience.isOver
      change(&patience)
      return patience.isOver && !wasOver
    }
  }
}
