package import LocalFiles
package import SyncModel

/// A body of known, small size without a decompression step, whose file waits in memory.
///
/// The caller does here what a ``Pipeline`` does on other threads: digesting a few kilobytes takes less time than
/// waking a thread.
package final class SmallBody {
  /// All bytes so far; if more arrive than announced, the caller passes them to a pipeline.
  package private(set) var bytes: [UInt8] = []
  /// `nil` once it has come to its end.
  private var segment: ByteSegment?
  private let output: StagedFile?
  /// The steps and digests that the body must pass, as for a ``Pipeline``.
  package let spec: PipelineSpec

  /// `nil` if the body needs a pipeline: its `size` in bytes is unknown (`nil`) or above
  /// ``LocalFiles/StagedFile/mostHeld``, it must be decompressed, or `output` is already on the disk, which may be
  /// slow. Without an `output` (`nil`) the bytes are in their file already, and are only digested.
  package init?(_ spec: PipelineSpec, size: Int64?, output: StagedFile?) {
    guard let size, size <= StagedFile.mostHeld, !spec.transforms, output?.isOnDisk != true
    else { return nil }
    segment = spec.segments().first
    self.output = output
    self.spec = spec
    bytes.reserveCapacity(Int(size))
  }

  /// Bytes taken so far.
  package var acceptedBytes: Int64 { Int64(bytes.count) }

  /// Takes the next bytes; `false`, without taking any, if the body is not small after all.
  package func take(_ more: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count + more.count <= StagedFile.mostHeld else { return false }
    unsafe bytes.append(contentsOf: more)
    return true
  }

  /// There are no more bytes: returns the last event. Throws the first fault in order of the steps, unless the spec
  /// wants it as `.refused`, and write errors.
  package func finish() throws(FailureCause) -> PipelineEvent {
    guard var segment = segment.take() else { throw .internalError("a body ended twice") }
    var meter = StepMeter(wanted: spec.measuresTimes)
    let began = meter?.start()
    // `Result`, since a closure that is handed over throws no error of one type.
    try unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(FailureCause) in try unsafe segment.update(bytes) }
    }.get()
    let identity = segment.identity
    do throws(FailureCause) { try segment.verify(identity) } catch {
      guard spec.digestsRefusedDownload, error.traits.contains(.refusedByStep) else { throw error }
      return .refused(error, download: identity)
    }
    try output?.write(whole: bytes)
    meter?.add(\.verifying, since: began)
    return .finished(
      PipelineResult(
        download: identity, output: identity, lengthIsProvenByContent: spec.provesLength,
        stepDigests: segment.stepDigests(identity), signedContents: segment.signedContents,
        times: meter?.times(with: [])))
  }
}
