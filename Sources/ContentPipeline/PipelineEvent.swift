package import SyncModel

/// The facts of a body that passed.
///
/// Its fields are in one object that copies share, because it is passed on some ten times.
package struct PipelineResult: Sendable, Equatable {
  private struct Fields: Sendable, Equatable {
    var download: ContentIdentity
    var output: ContentIdentity
    var lengthIsProvenByContent: Bool
    var stepDigests: [Int: HexDigest]
    var signedContents: [Int: SignedContent]
    var times: StepTimes?
  }

  /// Never changed once it was made, which makes it safe to send.
  private final class Storage: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private let storage: Storage

  /// `stepDigests` and `signedContents` are keyed by the step's place in the target's steps; `times` is `nil` if
  /// times were not requested.
  package init(
    download: ContentIdentity, output: ContentIdentity, lengthIsProvenByContent: Bool,
    stepDigests: [Int: HexDigest] = [:], signedContents: [Int: SignedContent] = [:], times: StepTimes? = nil
  ) {
    storage = Storage(
      Fields(
        download: download, output: output, lengthIsProvenByContent: lengthIsProvenByContent,
        stepDigests: stepDigests, signedContents: signedContents, times: times))
  }

  /// Whether all fields are equal; two copies of one result are recognised without a comparison.
  package static func == (a: PipelineResult, b: PipelineResult) -> Bool {
    a.storage === b.storage || a.storage.fields == b.storage.fields
  }

  /// The bytes as they came.
  package var download: ContentIdentity { storage.fields.download }
  /// The bytes that came out.
  package var output: ContentIdentity { storage.fields.output }
  /// Whether the end of compressed data, a known size or a digest proves that the body is whole (contract, section 5).
  package var lengthIsProvenByContent: Bool { storage.fields.lengthIsProvenByContent }
  /// The results of each `verifyDigest`, by its index in the target's steps.
  package var stepDigests: [Int: HexDigest] { storage.fields.stepDigests }
  /// The content for each `verifySignature`, by its index in the target's steps.
  package var signedContents: [Int: SignedContent] { storage.fields.signedContents }
  /// The time for each part of the work; `nil` unless the spec asks for it.
  package var times: StepTimes? { storage.fields.times }
}

/// The events of a pipeline for its driver, on a thread of the pool.
package enum PipelineEvent: Sendable, Equatable {
  /// There is room again after `push` returned `false`.
  case drained
  /// The partial download was read back up to `offset` (0: nothing held); the bytes from there may be pushed.
  case restored(offset: Int64)
  /// The body passed, and every byte is in its file; the last event.
  case finished(PipelineResult)
  /// The body failed, or could not be written; the last event, after which the files are not used.
  case failed(FailureCause)
}
