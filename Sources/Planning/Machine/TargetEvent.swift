package import SyncModel

/// What a driver tells a ``TargetMachine``: what became of an action, or what happened meanwhile.
package enum TargetEvent: Sendable {
  // MARK: Facts for the verdict

  /// The dependencies were looked at, or one of their lists cannot be read.
  case dependenciesRead(Result<[DependencyState], FailureCause>)
  /// The output was read.
  case outputRead(Result<ContentIdentity, FailureCause>)
  /// What stands at the output's path now.
  case outputObserved(OutputObservation)
  /// The digest that the freshness rule names; `askedSource` tells whether a sidecar gave it.
  case digestFound(Result<HexDigest, FailureCause>, askedSource: Bool)

  // MARK: The exchange

  /// A reply's header is here; a redirect is none.
  case replied(ResponseHead)
  /// A source file is open; `stamp` tells its size and time.
  case sourceOpened(path: String, stamp: Validators, size: Int64, isOwnOutput: Bool)
  /// An exchange, or the reading of a source file, has ended; `accepted` counts the body's bytes that are here.
  case exchangeEnded(ExchangeEnd, accepted: Int64, requests: Int)
  /// The pause before a retry is over.
  case waited
  /// A plan may ask for the size, or not.
  case mayMeasure(Bool)

  // MARK: The body

  /// A partial download is here, or none that can be used.
  case partialOpened(PartialFacts?)
  /// The partial download was read back up to `offset`, which a checkpoint proves.
  case bodyRestored(offset: Int64)
  /// What came of a body that was cut short was read back; `nil` if nothing of it could be kept.
  case bodySalvaged(offset: Int64?)
  /// The dependency's output that is the body is open.
  case copyOpened(size: Int64)
  /// The body ended and passed its steps.
  case bodyFinished(BodyContent)
  /// A step refused the body, or it could not be written.
  case bodyFailed(FailureCause, accepted: Int64)
  /// What the body must be is known, or cannot be known.
  case demandsFound(Result<[BodyDemands.Finding], FailureCause>)
  /// Why signatures are not the body's, by the place of their steps; empty if all are.
  case signaturesChecked([Int: FailureCause])

  // MARK: Its end

  /// The output has got its time, or keeps the one that it had.
  case timeSet(Result<FileSignature, FailureCause>)
  /// The output is in place, or why not; `keptPartial` counts the bytes that a next run can resume from.
  case published(Result<FileSignature, FailureCause>, keptPartial: Int64)
  /// What can be resumed was kept, in bytes.
  case partialKept(Int64)
  /// Something that the machine asked for cannot be done.
  case failed(FailureCause)
  /// The run is to stop.
  case interrupted
}
