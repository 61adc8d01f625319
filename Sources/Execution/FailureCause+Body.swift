import SyncModel

extension FailureCause {
  /// Whether the bytes are not what they should be; what does not even unpack never came to its digest.
  var isOfContent: Bool {
    switch self {
    case .digestMismatch, .sizeMismatch, .corrupt, .signatureInvalid: true
    default: false
    }
  }

  /// Whether bytes that are here may still be resumed from: only where nothing speaks against them.
  var leavesPartialGood: Bool {
    switch self {
    case .diskFull, .stateDiskFull, .outputUnwritable, .tooFewDescriptors, .internalError, .windowTooLarge,
      .decoderMissing, .libraryMissing:
      true
    default: false
    }
  }
}
