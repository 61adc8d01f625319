import ContentPipeline
import Planning
package import SyncModel

/// Signs what a run records of sources in caches.
package struct CacheSigner: Sendable {
  private let signer: RecordSigner

  /// `nil` if the key is damaged.
  package init?(_ key: MinisignSecretKey) {
    guard let signer = RecordSigner(key) else { return nil }
    self.signer = signer
  }

  /// For the record that is kept under `name`.
  fileprivate func signing(_ name: HexDigest) -> CacheRecord.Signing {
    CacheRecord.Signing(name: name, keyNumber: signer.keyNumber) { signer.signature(of: $0) }
  }
}

/// A record in the form and under the name of a cache.
struct CacheValue: Sendable {
  let name: HexDigest
  let bytes: [UInt8]
  /// Where the record of a source is kept, if nobody signs it.
  private(set) var unsigned: CacheKey?

  init(name: HexDigest, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// `signer` signs it; `nil`: nobody does.
  init(_ record: CacheRecord, at key: CacheKey, signedBy signer: CacheSigner?) {
    name = LocalCache.name(key)
    bytes = ActionResult.bytes(of: record, at: key, signer?.signing(name))
    if signer == nil, record.url != nil { unsigned = key }
  }
}

extension CacheEntry {
  /// The records to keep. Only what this run has heard from the source is signed: a digest needs no witness.
  func values(signedBy signer: CacheSigner?) -> [CacheValue] {
    records.map {
      CacheValue($0.record, at: $0.key, signedBy: isWitnessed && $0.record.url != nil ? signer : nil)
    }
  }
}

extension RecordTrust {
  /// The record of a source in `message`, which is kept under `name`, as far as it counts.
  func record(in message: [UInt8], at key: CacheKey, named name: HexDigest) -> CacheRecord? {
    record(in: message, at: key, named: name, isValid: RecordSigner.isValid)
  }
}
