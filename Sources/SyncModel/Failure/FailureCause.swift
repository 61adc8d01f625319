/// What went wrong, as data; Reporting has the texts.
package enum FailureCause: Error, Sendable, Equatable {
  /// A status that is neither success nor an expected answer.
  case httpStatus(Int, url: String)
  /// A proxy refused to connect to the URL's host; `proxy` is `nil` if it is unknown which one it was.
  case proxyRefused(Int, proxy: String?, url: String)
  /// The server asks to wait longer than we do (60 s).
  case retryAfter(seconds: Int64, status: Int, url: String)
  /// No connection: the resolver's or the system's words.
  case connectFailed(url: String, text: String)
  /// No request was sent to `url`, since the program `helper`, as the configuration names it, gave no credentials.
  indirect case helperFailed(url: String, helper: String, HelperFault)
  case timeout(url: String, phase: TimeoutPhase, after: Duration)
  /// Nothing came for `after`; `received` counts the body's bytes so far.
  case stalled(url: String, after: Duration, received: Int64, expected: Int64?)
  /// The TLS handshake or the check of the certificate failed; `text` is the TLS library's.
  case tls(url: String, text: String)
  /// The reply broke off after `received` bytes of its body; `expected` is `nil` if no length was announced.
  case truncated(url: String, received: Int64, expected: Int64?)
  /// The body ended with its connection, and nothing proves that it is whole (contract, section 5).
  case lengthUnproven(url: String, received: Int64)
  /// The reply breaks the rules of HTTP.
  case protocolError(url: String, ProtocolFault)
  /// `size` is the announced size, or the size at which the limit was exceeded.
  case tooLarge(limit: Int64, size: Int64)
  /// `step` is the place in the target's steps, from 0; `nil` for the freshness rule.
  case digestMismatch(algorithm: DigestAlgorithm, expected: HexDigest, actual: HexDigest, step: Int?)
  /// The body does not match the server's own field; `actual` is the body's digest.
  case serverDigestMismatch(url: String, ServerDigest, actual: HexDigest)
  /// The body has another size than the `verify` step number `step` (from 0) requires; both sizes are in bytes.
  case sizeMismatch(expected: Int64, actual: Int64, step: Int)
  /// Compressed data are damaged.
  case corrupt(Corruption)
  /// An archive is refused, or gives no output.
  indirect case archive(ArchiveFault)
  /// A frame of zstd needs a window of `needed` bytes, more than the step allows.
  case windowTooLarge(needed: Int64, limit: Int64)
  /// The library that unpacks this format cannot be loaded; `name` is its file's.
  case decoderMissing(Compression, name: String)
  /// A library that is loaded at first use is missing; `purpose` is what needs it.
  case libraryMissing(name: String, purpose: String)
  /// `source` is the address of the sidecar.
  case sidecarInvalid(source: String, SidecarFault)
  /// `source` is the address of the list.
  indirect case listInvalid(source: String, ListProblem)
  /// A variable's value cannot be used, or makes something impossible.
  indirect case valueInvalid(ValueProblem)
  /// `source` is the signature's address; `step` is `nil` for the signature of a sidecar.
  case signatureInvalid(source: String, SignatureFault, step: Int?)
  /// The server at `from` redirects to `to`, and the redirect must not be followed (contract, section 5).
  case redirectRefused(from: String, to: String, RedirectFault)
  /// An untrusted manifest must not ask for `url`, or read it; `from` redirects to it, if it is not the manifest's own.
  indirect case hostRefused(url: String, from: String?, HostFault)
  /// The host of `url` has this address, which must not be asked.
  indirect case addressRefused(url: String, NetworkAddress, AddressClass)
  /// A limit of the policy is reached.
  case budgetExceeded(ReachedLimit)
  /// The output was edited since it was recorded, and must not be replaced. `expected` is `nil` if no output was
  /// expected, or another program has changed it during the run; `actual` is `nil` if the digest of what is there is unknown.
  case outputModified(expected: HexDigest?, actual: HexDigest?)
  /// Files of a folder output were edited since they were recorded, and must not be replaced; `paths` are the first
  /// ten of `count`, from the folder.
  case filesModified(paths: [String], count: Int)
  /// The output, or something on the way to it, cannot be created or replaced.
  case outputUnwritable(path: String, PathFault)
  /// No space is left on the file system of `path`.
  case diskFull(path: String)
  /// What has to be written for `path` is more than its file system has free; both in bytes, `needed` at least.
  case roomMissing(path: String, needed: Int64, free: Int64)
  /// No room is left for the state folder; `largest` is the path of the largest partial download that it keeps.
  case stateDiskFull(folder: String, largest: String?)
  /// The system lets this process open too few files for a run.
  case tooFewDescriptors
  /// The run could not begin, for a reason that no path has: another one holds the root.
  case notBegun(String, hint: String?)
  /// The target needs a request, and `--offline` forbids it.
  case offline
  /// Two shards or more need the target, and it is out of date for the reason `why`: `seed` brings it up to date.
  case needsSeed(Shard, why: ReasonCode)
  /// The bytes do not match the lock's entry for `name`, a target of the manifest at `place`; `ofDownload` tells whether
  /// the bytes before the steps differ.
  case lockMismatch(
    name: TargetName, place: CommandPlace, locked: HexDigest, actual: HexDigest, ofDownload: Bool)
  /// A lock must record the target's source, but the source's bytes are unknown: the output of `name`, or of an
  /// input of it, was edited and is kept.
  case editedForLock(name: TargetName)
  /// A local source that cannot be read.
  case sourceUnreadable(path: String, SourceFault)
  /// A bug in syncmake; the text says what was found.
  case internalError(String)

  /// The code that reports show it under; some causes share one.
  package var code: FailureCode {
    switch self {
    case .httpStatus, .retryAfter, .proxyRefused: .httpStatus
    case .connectFailed, .helperFailed, .sourceUnreadable: .connectFailed
    case .timeout: .timeout
    case .stalled: .stalled
    case .tls: .tls
    case .truncated: .truncated
    case .lengthUnproven: .lengthUnproven
    case .protocolError: .protocolError
    case .tooLarge: .tooLarge
    case .digestMismatch, .serverDigestMismatch: .digestMismatch
    case .sizeMismatch: .sizeMismatch
    case .corrupt(let corruption): corruption.format.failureCode
    case .archive(let fault): fault.code
    case .windowTooLarge: .zstdCorrupt
    case .sidecarInvalid: .sidecarInvalid
    case .listInvalid(_, .suspect): .listSuspect
    case .listInvalid: .listInvalid
    case .valueInvalid: .valueInvalid
    case .signatureInvalid: .signatureInvalid
    case .redirectRefused: .redirectRefused
    case .hostRefused: .hostRefused
    case .addressRefused: .addressRefused
    case .budgetExceeded: .budgetExceeded
    case .outputModified, .filesModified, .editedForLock: .outputModified
    case .outputUnwritable, .decoderMissing, .libraryMissing, .tooFewDescriptors, .notBegun: .outputUnwritable
    case .diskFull, .stateDiskFull, .roomMissing: .diskFull
    case .offline, .needsSeed: .offline
    case .lockMismatch: .lockMismatch
    case .internalError: .internalError
    }
  }
}

/// In what way a reply broke the protocol.
package enum ProtocolFault: Error, Sendable, Equatable {
  /// There are two `Content-Length` headers with different values.
  case unequalContentLengths
  /// The head of the reply is larger than `limit` bytes.
  case headerTooLarge(limit: Int)
  /// An unexpected status: 204, 205, 206, 304.
  case unexpectedStatus(Int)
  /// A 206 that does not continue the partial download; the text says why.
  case wrongRange(String)
  /// A body that is encoded although `identity` was requested.
  case contentEncoding(String)
  /// Anything else, in the transfer library's words.
  case malformed(String)
}

/// Why a redirect was not followed.
package enum RedirectFault: Error, Sendable, Equatable {
  /// More than 10.
  case tooMany
  /// The same, and the last redirect leads to an earlier URL, apart from its signature.
  case circle
  /// From https to http.
  case downgrade
  /// To another scheme than http or https.
  case scheme
  /// No `Location`, two of them, or an invalid one.
  case location
}

extension FailureCause {
  /// A folder output whose files or listing could not be read, so that nothing of it may be replaced; `path` is its own.
  package static func notExamined(_ path: RelativePath) -> FailureCause {
    .outputUnwritable(path: path.text, .notExamined)
  }

  /// The new output at `path` was withheld, and is damaged or gone when it is to be published.
  package static func withheldLost(_ path: RelativePath) -> FailureCause {
    .outputUnwritable(path: path.text, .withheldIsDamaged)
  }

  /// Another program has changed the lock file since it was read, so that it is not replaced.
  package static var lockChanged: FailureCause {
    .outputUnwritable(path: LockFile.fileName, .changedMeanwhile)
  }
}

extension Compression {
  /// The code of a failure for damaged bytes of this format.
  package var failureCode: FailureCode {
    switch self {
    case .gzip: .gzipCorrupt
    case .xz: .xzCorrupt
    case .zstd: .zstdCorrupt
    case .bzip2: .bzip2Corrupt
    }
  }
}
