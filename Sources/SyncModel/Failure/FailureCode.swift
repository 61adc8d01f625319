/// The codes of a failed target, as JSON shows them (contract, section 7).
package enum FailureCode: String, Sendable, CaseIterable {
  /// The server answered with an error status.
  case httpStatus = "http-status"
  /// No connection was made, or a local source cannot be read.
  case connectFailed = "connect-failed"
  /// The time limit `connect` or `total` has passed.
  case timeout
  /// No bytes came for the time `stall`.
  case stalled
  /// The TLS handshake or the check of the certificate failed.
  case tls
  /// The reply ended before its announced end.
  case truncated
  /// Nothing proves that the reply is whole.
  case lengthUnproven = "length-unproven"
  /// The reply breaks the rules of HTTP.
  case protocolError = "protocol"
  /// A size limit is exceeded.
  case tooLarge = "too-large"
  /// The bytes do not have the required digest, or the one that the server sent.
  case digestMismatch = "digest-mismatch"
  /// The bytes do not have the required size.
  case sizeMismatch = "size-mismatch"
  /// The data of gzip are damaged.
  case gzipCorrupt = "gzip-corrupt"
  /// The data of xz are damaged.
  case xzCorrupt = "xz-corrupt"
  /// The data of zstd are damaged, or need too large a window.
  case zstdCorrupt = "zstd-corrupt"
  /// The data of bzip2 are damaged.
  case bzip2Corrupt = "bzip2-corrupt"
  /// An archive has an entry that is not safe, or can be read in two ways.
  case archiveUnsafe = "archive-unsafe"
  /// An archive cannot be read, or is not whole.
  case archiveCorrupt = "archive-corrupt"
  /// Not exactly one entry of the archive is the wanted one.
  case entryMissing = "entry-missing"
  /// A sidecar cannot be used.
  case sidecarInvalid = "sidecar-invalid"
  /// A signature is missing or wrong.
  case signatureInvalid = "signature-invalid"
  /// A list cannot be used, or an entry of it makes something impossible.
  case listInvalid = "list-invalid"
  /// So many entries have left a list that it is probably wrong.
  case listSuspect = "list-suspect"
  /// A variable's value cannot be used, or makes something impossible.
  case valueInvalid = "value-invalid"
  /// A redirect is forbidden.
  case redirectRefused = "redirect-refused"
  /// A host, scheme or port is forbidden, or a file outside the root.
  case hostRefused = "host-refused"
  /// The host's address is forbidden.
  case addressRefused = "address-refused"
  /// A limit of the policy is reached.
  case budgetExceeded = "budget-exceeded"
  /// The output was edited locally.
  case outputModified = "output-modified"
  /// The output cannot be written, or must not be replaced.
  case outputUnwritable = "output-unwritable"
  /// No space is left.
  case diskFull = "disk-full"
  /// A request is needed, and `--offline` forbids it.
  case offline
  /// The bytes are not those in the lock.
  case lockMismatch = "lock-mismatch"
  /// A bug in syncmake.
  case internalError = "internal"
}
