/// The codes of a failed target, as JSON shows them (contract, section 7).
package enum FailureCode: String, Sendable, CaseIterable {
  case httpStatus = "http-status"
  case connectFailed = "connect-failed"
  case timeout
  case stalled
  case tls
  case truncated
  case lengthUnproven = "length-unproven"
  case protocolError = "protocol"
  case tooLarge = "too-large"
  case digestMismatch = "digest-mismatch"
  case sizeMismatch = "size-mismatch"
  case gzipCorrupt = "gzip-corrupt"
  case xzCorrupt = "xz-corrupt"
  case zstdCorrupt = "zstd-corrupt"
  case bzip2Corrupt = "bzip2-corrupt"
  case sidecarInvalid = "sidecar-invalid"
  case signatureInvalid = "signature-invalid"
  case redirectRefused = "redirect-refused"
  case outputModified = "output-modified"
  case outputUnwritable = "output-unwritable"
  case diskFull = "disk-full"
  case offline
  case lockMismatch = "lock-mismatch"
  case internalError = "internal"
}
