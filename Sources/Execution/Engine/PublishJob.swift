import SyncModel

/// A finished body that is to become an output.
struct PublishJob: Sendable {
  var body: any FinishedBody
  /// The record after the publication, which sets the signature.
  var record: TargetRecord
  /// The observation behind the target's verdict; any other file is an edit, and is kept.
  var over: OutputObservation
  /// The old file's digest; `nil` if unknown.
  var overDigest: HexDigest?
  /// Whether the state has a record of the output with other bytes.
  var contradictsRecord = false
  var mode: UInt16?
  var modified: Timestamp?
  /// Whether it is put aside in the state folder, and not in place.
  var isWithheld = false

  /// Whether it takes the place of other bytes, in the output or in the state.
  var isReplacement: Bool {
    if case .file = over { true } else { contradictsRecord }
  }
}

/// The publication of a unit's withheld outputs.
struct UnitJob: Sendable {
  /// One of its outputs, for the failure without a store.
  let output: RelativePath
  /// Does it, on the committer's thread. Returns why it failed, or `nil`.
  var publish: @Sendable (any RecordStore) -> WithheldPublication.Fault?
  /// Gets the one ``Letter/unitPublished(_:)``.
  let ticket: Ticket
}

/// A job on its way through the ``Committer``, which belongs to one of its threads at a time.
final class PendingOutput: @unchecked Sendable {
  /// Changed in place: with one owner its record is not copied, which saves counting a dozen references.
  var job: PublishJob
  /// Gets the one ``Letter/published(_:)``.
  let ticket: Ticket

  init(_ job: PublishJob, _ ticket: Ticket) {
    self.job = job
    self.ticket = ticket
  }
}
