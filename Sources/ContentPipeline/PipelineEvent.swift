package import SyncModel

/// The facts of a body that passed; an object, because it is passed on some ten times.
package final class PipelineResult: Sendable, Equatable {
  /// The bytes as they came.
  package let download: ContentIdentity
  /// The bytes that came out.
  package let output: ContentIdentity
  /// Whether the end of compressed data, a known size or a digest proves that the body is whole (contract, section 5).
  package let lengthIsProvenByContent: Bool
  /// The results of each `verifyDigest`, by its index in the target's steps.
  package let stepDigests: [Int: HexDigest]
  /// The content for each `verifySignature`, by its index in the target's steps.
  package let signedContents: [Int: SignedContent]
  /// Whether an archive says that its file is a program; `nil` if nothing says so.
  package let isExecutable: Bool?
  /// The time for each part of the work; `nil` unless the spec asks for it.
  package let times: StepTimes?

  /// `stepDigests` and `signedContents` are keyed by the step's place in the target's steps; `times` is `nil` if
  /// times were not requested.
  package init(
    download: ContentIdentity, output: ContentIdentity, lengthIsProvenByContent: Bool,
    stepDigests: [Int: HexDigest] = [:], signedContents: [Int: SignedContent] = [:],
    isExecutable: Bool? = nil, times: StepTimes? = nil
  ) {
    self.download = download
    self.output = output
    self.lengthIsProvenByContent = lengthIsProvenByContent
    self.stepDigests = stepDigests
    self.signedContents = signedContents
    self.isExecutable = isExecutable
    self.times = times
  }

  /// Whether all fields are equal; two copies of one result are recognised without a comparison.
  package static func == (a: PipelineResult, b: PipelineResult) -> Bool {
    a === b
      || a.download == b.download && a.output == b.output && a.stepDigests == b.stepDigests
        && a.lengthIsProvenByContent == b.lengthIsProvenByContent && a.signedContents == b.signedContents
        && a.isExecutable == b.isExecutable && a.times == b.times
  }
}

/// The events of a pipeline for its driver, on a thread of the pool.
package enum PipelineEvent: Sendable, Equatable {
  /// There is room again after `push` returned `false`.
  case drained
  /// The partial download was read back up to `offset` (0: nothing held); the bytes from there may be pushed.
  case restored(offset: Int64)
  /// The body passed, and every byte is in its file; the last event.
  case finished(PipelineResult)
  /// A step refused the body, which was digested to its end nevertheless; the last event. Nothing of it is in the
  /// files, unless it seems to be cut short.
  indirect case refused(FailureCause, download: ContentIdentity)
  /// The body failed, or could not be written; the last event, after which the files are not used.
  case failed(FailureCause)
}
