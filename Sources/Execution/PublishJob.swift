import LocalFiles
import SyncModel

/// A whole body: in a file of its own, which may still wait in memory, in a partial download that became whole, or in
/// both, where what is to be published was unpacked from what was kept.
struct FinishedBody: Sendable {
  var staged: StagedFile?
  var partial: PartialDownload?

  /// Keeps `download`, all that came, for the next run where it can be gone on from; `nil` is what never came.
  ///
  /// Returns how much of it, in bytes.
  func giveUp(_ download: ContentIdentity?) -> Int64 {
    staged?.discard()
    guard let partial, let download else { return 0 }
    // Where that cannot be written, an earlier checkpoint has to do.
    if let sha256 = download.sha256 { try? partial.note(.init(offset: download.size, sha256: sha256)) }
    return partial.keep()
  }
}

/// A finished body that is to become an output.
struct PublishJob: Sendable {
  var body: FinishedBody
  /// What will be true once it is in place; the signature is filled in then.
  var record: TargetRecord
  /// What stood there when the target was judged; anything else by now is an edit, and is kept.
  var over: OutputObservation
  /// The digest of what stood there; `nil` where it is not known.
  var overDigest: HexDigest?
  var mode: UInt16?
  var modified: Timestamp?
}

/// A job on its way through the ``Committer``, which belongs to one of its threads at a time.
final class PendingOutput: @unchecked Sendable {
  /// Changed where it is: once it has one owner its record is not copied, and with it a dozen references not counted.
  var job: PublishJob
  /// Gets the one ``Letter/published(_:)``.
  let ticket: Ticket

  init(_ job: PublishJob, _ ticket: Ticket) {
    self.job = job
    self.ticket = ticket
  }
}
