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
  var mode: UInt16?
  var modified: Timestamp?
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
