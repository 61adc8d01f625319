package import SyncModel

/// The user's cache on this machine (contract, section 12).
package struct CacheSettings: Sendable {
  /// The folder; it is made by the first run that puts something there.
  package var path: String
  /// In bytes: at the end of a run that added to the cache, what was used least recently goes.
  package var maxSize = usualSize
  /// How its files become outputs that no step changes.
  package var link = CacheLink.reflink
  /// Whose word on when a source was asked counts.
  package var keys: [MinisignKey] = []
  /// Signs what is recorded of sources; `nil`: nothing is signed.
  package var signer: CacheSigner?
  /// What the parts of one command have told of it.
  let trouble: FirstTrouble

  /// The size that nothing gives.
  package static let usualSize: Int64 = 20_000_000_000

  /// With the usual size; `trouble` is one for the whole command.
  package init(path: String, _ trouble: FirstTrouble = FirstTrouble()) {
    self.path = path
    self.trouble = trouble
  }
}
