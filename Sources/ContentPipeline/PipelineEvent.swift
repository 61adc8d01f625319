import SyncModel

/// What is known of a body that passed.
package struct PipelineResult: Sendable, Equatable {
  /// The bytes as they came.
  package var download: ContentIdentity
  /// The bytes that came out.
  package var output: ContentIdentity
  /// Whether a gzip trailer, a known size or a digest proves that the body is whole (SPEC section 5).
  package var lengthIsProvenByContent: Bool
  /// What each `verifyDigest` found, by its place in the target's steps.
  package var stepDigests: [Int: HexDigest]
  /// How long each part of the work took; `nil` unless the spec asks for it.
  package var times: StepTimes?

  package init(
    download: ContentIdentity, output: ContentIdentity, lengthIsProvenByContent: Bool,
    stepDigests: [Int: HexDigest] = [:]
  ) {
    self.download = download
    self.output = output
    self.lengthIsProvenByContent = lengthIsProvenByContent
    self.stepDigests = stepDigests
  }
}

/// What a pipeline tells its driver, on a thread of the pool.
package enum PipelineEvent: Sendable, Equatable {
  /// There is room again after `push` returned `false`.
  case drained
  /// The partial download was read back up to `offset` (0: nothing held); the bytes from there may be pushed.
  case restored(offset: Int64)
  /// The body passed, and every byte is in its file; the last event.
  case finished(PipelineResult)
  /// The body did not pass, or could not be written; the last event, and the files are no longer touched.
  case failed(FailureCause)
}
