import SyncModel

/// One request of an exchange and its reply, from the moment it was given to libcurl.
///
/// An object, since each of libcurl's callbacks changes a little of it.
final class Hop {
  /// The action at the end of the reply, if it is known before the body.
  enum Outcome: Equatable {
    case follow(HopURL)
    /// Repeat the request on its own connection.
    case repeatOnNewConnection
    /// Ask the same again, over HTTP/1.1; nothing was sent.
    case repeatWithoutStreams
    case end(ExchangeEnd)
  }

  let url: HopURL
  let handle: EasyHandle
  var charge: HostQueues.Charge
  /// Whether HTTP/2 was not asked for.
  let avoidsStreams: Bool
  /// Whether `charge` was settled by the reply's protocol.
  var isSettled = false
  let startedAt: MonotonicInstant
  /// When the connection stood and the request went out; `nil` before.
  var sentAt: MonotonicInstant?
  /// When the reply's head arrived; `nil` before.
  var repliedAt: MonotonicInstant?
  /// The connection's number in this run; only if requests are traced.
  var connection: Int?
  var isFirstOnConnection = false
  /// The request's connection, if another request could share it; `nil` if it was not examined.
  var ends: ConnectionEnds?
  /// The time of the last byte, or of another event that restarts the stall limit.
  var lastByteAt: MonotonicInstant
  /// Whether the client had no room for the data.
  var isPaused = false
  var header = HeaderBlock()
  /// How the body ends; `nil` until the header is complete.
  var framing: BodyFraming?
  /// The Content-Length.
  var announced: Int64?
  /// Bytes of this hop's body so far, including unwanted ones.
  var received: Int64 = 0
  var outcome: Outcome? { didSet { if case .some = outcome { isDecided = true } else { isDecided = false } } }
  /// Whether there is an ``outcome``, which every line of a header asks: it is large, and looking at it copies it.
  private(set) var isDecided = false
  /// Until when an unwanted body is read on, so that its connection can be used again.
  var drainDeadline: MonotonicInstant?

  init(
    url: HopURL, handle: EasyHandle, charge: HostQueues.Charge, avoidsStreams: Bool,
    at now: MonotonicInstant
  ) {
    self.url = url
    self.avoidsStreams = avoidsStreams
    self.handle = handle
    self.charge = charge
    startedAt = now
    lastByteAt = now
  }

  /// Whether both are on one connection, as far as is known.
  func mayShareConnection(with other: Hop) -> Bool {
    guard let ends, let others = other.ends else {
      return handle.usedOldConnection || other.handle.usedOldConnection
    }
    return ends == others
  }

  /// The request's times; `now` is its end.
  func trace(method: ExchangeRequest.Method, at now: MonotonicInstant) -> RequestTrace {
    RequestTrace(
      method: method.rawValue, url: url.text, connection: connection,
      isFirstOnConnection: isFirstOnConnection, status: header.status == 0 ? nil : header.status,
      bytes: received, untilSent: sentAt.map { $0 - startedAt }, untilReply: repliedAt.map { $0 - startedAt },
      total: max(now, repliedAt ?? now, sentAt ?? now) - startedAt)
  }

  /// Whether the reply is complete by its header.
  var isWhole: Bool {
    switch framing {
    case .some(.none): true
    case .length(let length): received == length
    default: false
    }
  }

  /// The real result of a reply that libcurl reports as good: libcurl does so for a truncated header or body, too.
  var endOfGoodReply: ExchangeEnd {
    switch framing {
    case nil: .failed(.truncated(url: url.text, received: 0, expected: nil))
    case .some(.none), .chunked, .stream: .complete(lengthIsProven: true)
    case .length(let length) where received == length: .complete(lengthIsProven: true)
    case .length(let length): .failed(.truncated(url: url.text, received: received, expected: length))
    case .connection: .complete(lengthIsProven: false)
    }
  }
}
