package import LocalFiles
package import SyncModel

/// A body of known, small size that nothing unpacks, on its way to a file that waits in memory.
///
/// What a ``Pipeline`` does on other threads is done here by the caller: a few kilobytes are digested in less time
/// than another thread takes to wake.
package final class SmallBody {
  /// All bytes so far; whoever has more than was announced gives them to a pipeline.
  package private(set) var bytes: [UInt8] = []
  /// `nil` once it has come to its end.
  private var stretch: ByteSegment?
  private let output: StagedFile
  package let spec: PipelineSpec

  /// `nil` where the body wants a pipeline: it is of `size` bytes (`nil`: not known) and larger than
  /// ``LocalFiles/StagedFile/mostHeld``, is to be unpacked, or `output` is on the disk already, which may be slow.
  package init?(_ spec: PipelineSpec, size: Int64?, output: StagedFile) {
    guard let size, size <= StagedFile.mostHeld, !spec.transforms, !output.isOnDisk else { return nil }
    stretch = spec.stretches().first
    self.output = output
    self.spec = spec
    bytes.reserveCapacity(Int(size))
  }

  /// Bytes taken so far.
  package var acceptedBytes: Int64 { Int64(bytes.count) }

  /// Takes in the next bytes; `false`, and none of them, where the body is not small after all.
  package func take(_ more: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count + more.count <= StagedFile.mostHeld else { return false }
    unsafe bytes.append(contentsOf: more)
    return true
  }

  /// There are no more bytes: throws what the first step in order finds wrong, and what writing throws.
  package func finish() throws(FailureCause) -> PipelineResult {
    guard var stretch = stretch.take() else { throw .internalError("a body ended twice") }
    var meter = StepMeter(wanted: spec.measuresTimes)
    let began = meter?.start()
    // `Result`, since a closure that is handed over throws no error of one type.
    try unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(FailureCause) in try unsafe stretch.update(bytes) }
    }.get()
    let identity = stretch.identity
    try stretch.verify(identity)
    try output.write(whole: bytes)
    meter?.add(\.verifying, since: began)
    return PipelineResult(
      download: identity, output: identity, lengthIsProvenByContent: spec.provesLength,
      stepDigests: stretch.stepDigests(identity), signedContents: stretch.signedContents,
      times: meter?.times(with: []))
  }
}
