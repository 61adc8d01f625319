import LocalFiles
import SyncModel

/// A complete body: in its own file, which may still wait in memory; in a complete partial download; or in both, if
/// the file was decompressed from the kept download.
struct FinishedBody: Sendable {
  var staged: StagedFile?
  var partial: PartialDownload?

  /// Keeps `download` for the next run if it can resume from it; `nil` if there was no download.
  ///
  /// Returns the number of bytes.
  func giveUp(_ download: ContentIdentity?) -> Int64 {
    staged?.discard()
    guard let partial, let download else { return 0 }
    // If this cannot be written, an earlier checkpoint must be enough.
    if let sha256 = download.sha256 { try? partial.note(.init(offset: download.size, sha256: sha256)) }
    return partial.keep()
  }
}

/// A finished body that is to become an output.
struct PublishJob: Sendable {
  var body: FinishedBody
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
