/// The consequences of a failure for the try, the body and the mirrors; one table for every module.
package struct FailureTraits: OptionSet, Sendable {
  /// The traits as bits; they are not stored anywhere.
  package let rawValue: UInt16

  /// Takes any bits; only those below have a meaning.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The same request may succeed later (contract, section 5).
  package static let transient = FailureTraits(rawValue: 1)
  /// This machine is at fault, so that no other mirror can help.
  package static let local = FailureTraits(rawValue: 2)
  /// The server replied, but its reply is of no use.
  package static let reply = FailureTraits(rawValue: 4)
  /// The bytes that came contradict a digest, a size, a signature or their format.
  package static let content = FailureTraits(rawValue: 8)
  /// A step or the size limit refused the body while it came.
  package static let refusedByStep = FailureTraits(rawValue: 16)
  /// The bytes so far may be right, so a later run may resume from them.
  package static let keepsPartial = FailureTraits(rawValue: 32)
  /// The refused body is shorter than expected: it may have been truncated.
  package static let cutShort = FailureTraits(rawValue: 64)
  /// No answer came from the server, or from the proxy before it: other requests to it may wait as long in vain.
  package static let silent = FailureTraits(rawValue: 128)
  /// The server says that it has no such file.
  package static let absent = FailureTraits(rawValue: 256)
  /// It may be the bytes that ask too much of this machine: others for the same file may not.
  package static let mayBeOfBytes = FailureTraits(rawValue: 512)
}

extension FailureCause {
  /// The row of this failure in the table of traits.
  package var traits: FailureTraits {
    switch self {
    case .connectFailed, .timeout, .stalled: [.transient, .silent]
    case .serverDigestMismatch: .transient
    case .truncated: [.transient, .reply]
    case .httpStatus(404, _), .httpStatus(410, _): .absent
    case .httpStatus(let status, _): Self.isTransient(status) ? .transient : []
    case .proxyRefused(let status, _, _): Self.isTransient(status) ? [.transient, .silent] : .silent
    case .protocolError, .redirectRefused: .reply
    case .digestMismatch, .signatureInvalid: .content
    case .sizeMismatch(let expected, let actual, _):
      actual < expected ? [.content, .refusedByStep, .cutShort] : [.content, .refusedByStep]
    case .corrupt(let corruption):
      corruption.isCutShort ? [.content, .refusedByStep, .cutShort] : [.content, .refusedByStep]
    case .archive(let fault) where fault.code == .tooLarge: .refusedByStep
    case .archive(let fault):
      fault.isCutShort ? [.content, .refusedByStep, .cutShort] : [.content, .refusedByStep]
    case .tooLarge: .refusedByStep
    case .diskFull, .roomMissing, .windowTooLarge: [.local, .keepsPartial, .mayBeOfBytes]
    case .stateDiskFull, .outputUnwritable, .tooFewDescriptors, .notBegun, .internalError, .decoderMissing,
      .libraryMissing:
      [.local, .keepsPartial]
    case .outputModified, .filesModified, .budgetExceeded: .local
    case .retryAfter, .helperFailed, .tls, .lengthUnproven, .sidecarInvalid, .listInvalid, .valueInvalid,
      .offline, .needsSeed, .lockMismatch, .editedForLock,
      .sourceUnreadable, .hostRefused, .addressRefused:
      []
    }
  }

  /// Whether it is of a kind that is retried (contract, section 5): a later run may succeed unchanged.
  ///
  /// That includes a server that asks to wait longer than a run waits.
  package var isOfRetriedKind: Bool {
    if case .retryAfter(_, let status, _) = self { return Self.isTransient(status) }
    return traits.contains(.transient)
  }

  /// Whether the server has named a time before which it must not be asked again.
  package var asksToWait: Bool { if case .retryAfter = self { true } else { false } }

  /// Whether it says that there were too many requests.
  package var limitsRate: Bool { if case .httpStatus(429, _) = self { true } else { false } }

  /// Whether no other request to the same URL can do better now.
  package var concernsEveryRequest: Bool {
    switch self {
    case .connectFailed, .proxyRefused, .helperFailed, .tls, .redirectRefused, .hostRefused, .addressRefused,
      .budgetExceeded, .offline, .internalError:
      true
    case .timeout(_, let phase, _): phase == .connect
    default: false
    }
  }

  private static func isTransient(_ status: Int) -> Bool {
    [408, 425, 429, 500, 502, 503, 504].contains(status)
  }
}
