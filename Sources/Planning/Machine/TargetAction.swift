package import SyncModel

/// The next actions for the driver of a ``TargetMachine``, in the given order.
///
/// Those with much in them are `indirect`: otherwise each action would be as large as the largest, and be copied so.
package enum TargetAction: Sendable {
  /// Report to the observers of the run.
  case report(RunEvent)

  // MARK: Facts for the verdict

  /// Look at the dependencies; without lists, leave out the lines that `verify` reads.
  case readDependencies(withLists: Bool)
  /// Compute these digests of the present output.
  case readOutput(Set<DigestAlgorithm>)
  /// Check whether the output still exists.
  case observeOutput
  /// Find the digest that the freshness rule names.
  case findDigest(DigestAlgorithm, DigestSource)
  /// Note that the output is an edit that is kept.
  case noteKeptEdit

  // MARK: The exchange

  /// Ask the source.
  indirect case ask(FetchQuestion)
  /// Wait, then report ``TargetEvent/waited``.
  case wait(Duration)
  /// Cancel the exchange, the pause or the reading of a file.
  case hangUp
  /// Ask whether a plan may measure this target.
  case askToMeasure
  /// Its size could not be asked.
  case noteUnmeasured(FailureCause)

  // MARK: The cache

  /// Look what the cache has; if it has nothing and `isToFetch`, see that nobody else fetches it meanwhile.
  indirect case askCache(CacheQuestion, isToFetch: Bool)
  /// Read this file of the cache as the body.
  case copyCached(CachedFile)
  /// This file of the cache has other bytes than its name says.
  case dropCached(CachedFile)
  /// The body that comes next is kept for the cache, too, if it can be.
  case keepForCache
  /// Put what was kept of the body into the cache.
  indirect case store(CacheEntry)
  /// Put this record of the source into the cache, if it has the bytes and one's word on the time counts.
  indirect case renewInCache(CacheRecord, at: CacheKey)

  // MARK: The body

  /// Open the target's partial download.
  case openPartial
  /// Read the open partial download back.
  case restoreBody
  /// Read back the received part of the truncated body.
  case salvageBody
  /// Take the body of the reply from its first byte, replacing what was received before.
  indirect case takeBody(size: Int64?, PartialFacts?)
  /// Take the body of the reply as the rest of the present bytes.
  case continueBody
  /// Read another target's output as the body.
  case copyOutput(TargetID)
  /// No bytes follow: finish the body's steps.
  case finishBody
  /// Throw the body away.
  case discardBody
  /// Keep the resumable part, and report ``TargetEvent/partialKept(_:)``.
  case keepPartial
  /// Find the body's demands; `anew` requests every sidecar again.
  case findDemands(anew: Bool)
  /// Check the body with the signatures that were found.
  case checkSignatures

  // MARK: Its end

  /// Give the output this time if it still has this signature; the digest distinguishes a touched file from an
  /// edited one.
  case setTime(Timestamp?, ifStill: FileSignature, holding: HexDigest?)
  /// Put the body in place.
  indirect case publish(Publication)
  /// Write a record.
  case remember(TargetRecord)
  /// Withhold an output until the update ends.
  indirect case withhold(Withholding)
  /// Give an output that stays another time at the end of the update.
  case retime(TargetRecord, Timestamp)
  /// The output's content is final for the dependents; `nil` if unknown.
  case settle(ContentIdentity?)
  /// The target has ended.
  case end(TargetResult)
  /// The target is planned.
  indirect case planned(PlannedTarget, Decision?)

  /// A body that is to become the output.
  package struct Publication: Sendable {
    /// The record after the publication; the committer sets the signature.
    package var record: TargetRecord
    /// The observation behind the target's verdict; anything else is an edit.
    package var over: OutputObservation
    /// The digest of what stood there; `nil` if it is not known.
    package var overDigest: HexDigest?
    /// Whether the state has a record of the output with other bytes: until that is replaced, the new ones look edited.
    package var contradictsRecord = false
    /// The output's time; `nil` leaves it as it comes.
    package var modified: Timestamp?
  }

  /// A new output that waits for the end of an update.
  package struct Withholding: Sendable {
    /// The record to store when the output is published.
    package var record: TargetRecord
    /// Whether the file keeps the time that it has; `nil`: as an earlier update noted.
    package var keepsTime: Bool?
    /// The observation of the output that it replaces; publication stops if that has changed.
    package var over: OutputObservation
    /// The digest of the output that it replaces; `nil` if there is none, or it is not known.
    package var overDigest: HexDigest?
  }
}
