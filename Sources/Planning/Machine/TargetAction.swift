package import SyncModel

/// What the driver of a ``TargetMachine`` does next, in the given order.
package enum TargetAction: Sendable {
  /// Tell those who watch the run.
  case report(RunEvent)

  // MARK: Facts for the verdict

  /// Look at the dependencies; without lists, leave out the lines that `verify` reads.
  case readDependencies(withLists: Bool)
  /// Compute these digests of the output as it stands.
  case readOutput(Set<DigestAlgorithm>)
  /// Look whether the output still stands there.
  case observeOutput
  /// Find the digest that the freshness rule names.
  case findDigest(DigestAlgorithm, DigestSource)
  /// Note that the output is an edit that is kept.
  case noteKeptEdit

  // MARK: The exchange

  /// Ask the source.
  case ask(FetchQuestion)
  /// Wait, then tell ``TargetEvent/waited``.
  case wait(Duration)
  /// End what is under way: an exchange, a pause, the reading of a file.
  case hangUp
  /// Ask whether a plan may measure this target.
  case askToMeasure
  /// Its size could not be asked.
  case noteUnmeasured(FailureCause)

  // MARK: The body

  /// Open the target's partial download.
  case openPartial
  /// Read the open partial download back.
  case restoreBody
  /// Read back what came of the body that was cut short.
  case salvageBody
  /// Take the body of the reply from its first byte, in place of what had come.
  case takeBody(size: Int64?, PartialFacts?)
  /// Take the body of the reply as the rest of what is here.
  case continueBody
  /// Read another target's output as the body.
  case copyOutput(TargetID)
  /// No bytes follow: bring the body through its steps.
  case finishBody
  /// Throw the body away.
  case discardBody
  /// Keep what can be resumed, and tell ``TargetEvent/partialKept(_:)``.
  case keepPartial
  /// Find what the body must be; `anew` asks every sidecar again.
  case findDemands(anew: Bool)
  /// Check the signatures that were found against the body.
  case checkSignatures

  // MARK: Its end

  /// Give the output this time if it still has this signature; the digest tells a touched file from an edited one.
  case setTime(Timestamp?, ifStill: FileSignature, holding: HexDigest?)
  /// Put the body in place.
  case publish(Publication)
  /// Write a record.
  case remember(TargetRecord)
  /// Withhold an output until the update ends.
  case withhold(Withholding)
  /// Give an output that stays another time at the end of the update.
  case retime(TargetRecord, Timestamp)
  /// The output's content is settled for the dependents; `nil` if nobody knows it.
  case settle(ContentIdentity?)
  /// The target has ended.
  case end(TargetResult)
  /// The target is planned.
  case planned(PlannedTarget, Decision?)

  /// A body that is to become the output.
  package struct Publication: Sendable {
    /// What will be true once it is in place; the committer fills in the signature.
    package var record: TargetRecord
    /// What stood there when the target was judged; anything else is an edit.
    package var over: OutputObservation
    /// The digest of what stood there; `nil` if it is not known.
    package var overDigest: HexDigest?
    /// The output's time; `nil` leaves it as it comes.
    package var modified: Timestamp?
  }

  /// A new output that waits for the end of an update.
  package struct Withholding: Sendable {
    package var record: TargetRecord
    /// Whether the file keeps the time that it has; `nil`: as an earlier update noted.
    package var keepsTime: Bool?
    package var over: OutputObservation
    package var overDigest: HexDigest?
  }
}
