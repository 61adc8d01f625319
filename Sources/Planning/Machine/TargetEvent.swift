package import SyncModel

/// The events for a ``TargetMachine``: results of its actions, and other news.
package enum TargetEvent: Sendable {
  // MARK: Facts for the verdict

  /// The dependencies were looked at, or one of their lists cannot be read.
  case dependenciesRead(Result<[DependencyState], FailureCause>)
  /// The output was read.
  ///
  /// `seen` is a folder as it is known after its edited files were found to have the recorded bytes.
  case outputRead(Result<ContentIdentity, FailureCause>, seen: OutputObservation? = nil)
  /// The present observation of the output's path.
  case outputObserved(OutputObservation)
  /// The digest in the freshness rule; `askedSource` tells whether it came from a sidecar.
  case digestFound(Result<HexDigest, FailureCause>, askedSource: Bool)

  // MARK: The exchange

  /// The header of a reply that is not a redirect.
  case replied(ResponseHead)
  /// A source file is open; `stamp` has its size and time.
  case sourceOpened(path: String, stamp: Validators, size: Int64, isOwnOutput: Bool)
  /// An exchange, or the reading of a source file, has ended; `accepted` counts the present bytes of the body.
  case exchangeEnded(ExchangeEnd, accepted: Int64, requests: Int)
  /// The pause before a retry is over.
  case waited
  /// A plan may ask for the size, or not.
  case mayMeasure(Bool)

  // MARK: The cache

  /// What the cache has; nothing if it cannot be used.
  case cacheAnswered(CacheAnswer)
  /// A file of the cache can no longer be read.
  case cacheFailed
  /// This machine cannot take the file of a cache.
  case cacheRefused(FailureCause)

  // MARK: The body

  /// A partial download was opened, or there is no usable one.
  case partialOpened(PartialFacts?)
  /// The partial download was read back up to `offset`, which a checkpoint proves.
  case bodyRestored(offset: Int64)
  /// The received part of a truncated body was read back; `nil` if nothing of it could be kept.
  case bodySalvaged(offset: Int64?)
  /// The dependency's output that is the body is open.
  case copyOpened(size: Int64)
  /// The body ended and passed its steps.
  case bodyFinished(BodyContent)
  /// A step refused the body, which was digested to its end since the server had announced a digest of it.
  case bodyRefused(RefusedBody)
  /// A step refused the body, or it could not be written.
  case bodyFailed(FailureCause, accepted: Int64)
  /// The body's demands are known, or cannot be known.
  case demandsFound(Result<[BodyDemands.Finding], FailureCause>)
  /// Why signatures are not the body's, by the place of their steps; empty if all are.
  case signaturesChecked([Int: FailureCause])

  // MARK: Its end

  /// The output has got its time, or keeps the one that it had.
  case timeSet(Result<FileSignature, FailureCause>)
  /// The output is in place, or why not; `keptPartial` counts the bytes that a next run can resume from, and `isBegun`
  /// tells whether the output may have changed nevertheless.
  case published(Result<FileSignature, FailureCause>, keptPartial: Int64, isBegun: Bool = false)
  /// The resumable part was kept, in bytes.
  case partialKept(Int64)
  /// Something that the machine asked for cannot be done.
  case failed(FailureCause)
  /// The run is to stop.
  case interrupted
}
