import LocalFiles
import SyncModel

/// A body of known, small size that nothing unpacks, on its way to a file that waits in memory.
///
/// What a ``Pipeline`` does on other threads is done here by the caller: a few kilobytes are digested in less time
/// than another thread takes to wake.
package struct SmallBody {
  /// All bytes so far; whoever has more than was announced gives them to a pipeline.
  package private(set) var bytes: [UInt8] = []
  private var stretch: Stretch
  private let output: StagedFile
  package let spec: PipelineSpec

  /// `nil` where the body wants a pipeline: it is of `size` bytes (`nil`: not known) and larger than
  /// ``LocalFiles/StagedFile/mostHeld``, is to be unpacked, or `output` is on the disk already, which may be slow.
  package init?(_ spec: PipelineSpec, size: Int64?, output: StagedFile) {
    guard let size, size <= StagedFile.mostHeld, !spec.transforms, !output.isOnDisk,
      let stretch = spec.stretches().first
    else { return nil }
    self.stretch = stretch
    self.output = output
    self.spec = spec
    bytes.reserveCapacity(Int(size))
  }

  /// Bytes taken so far.
  package var acceptedBytes: Int64 { Int64(bytes.count) }

  /// Takes in the next bytes; `false`, and none of them, where the body is not small after all.
  package mutating func take(_ more: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count + more.count <= StagedFile.mostHeld else { return false }
    bytes.append(contentsOf: more)
    return true
  }

  /// There are no more bytes: throws what the first step in order finds wrong, and what writing throws.
  package func finish() throws(FailureCause) -> PipelineResult {
    var meter = StepMeter(wanted: spec.measuresTimes)
    let began = meter?.start()
    var stretch = stretch
    let outcome = bytes.withUnsafeBytes { bytes in
      Result { () throws(FailureCause) in
        try stretch.update(bytes)
        try stretch.verify()
        try output.write(bytes)
      }
    }
    try outcome.get()
    meter?.add(\.verifying, since: began)
    let identity = stretch.identity
    var result = PipelineResult(
      download: identity, output: identity, lengthIsProvenByContent: spec.provesLength,
      stepDigests: stretch.stepDigests(identity))
    result.times = meter?.times(with: [])
    return result
  }
}
