import SyncModel

/// One request of an exchange and its reply, from the moment it was given to libcurl.
///
/// An object, since each of libcurl's callbacks changes a little of it.
final class Hop {
  /// What is done when the reply is over, where that is known before its body is.
  enum Outcome: Equatable {
    case follow(HopURL)
    /// Ask the same again on a connection of its own.
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
  /// When the reply's head was here; `nil` before.
  var repliedAt: MonotonicInstant?
  /// The connection's number in this run; only where requests are traced.
  var connection: Int?
  var isFirstOnConnection = false
  /// The connection that the request went out over, where another request could share it; `nil` where nobody looked.
  var ends: ConnectionEnds?
  /// When a byte last came, or something happened that begins the wait for one anew.
  var lastByteAt: MonotonicInstant
  /// Whether the client had no room for what came.
  var isPaused = false
  var header = HeaderBlock()
  /// How the body ends; `nil` until the header is complete.
  var framing: BodyFraming?
  /// What Content-Length says.
  var announced: Int64?
  /// Bytes of this hop's body so far, those that nobody wants included.
  var received: Int64 = 0
  var outcome: Outcome? { didSet { isDecided = outcome != nil } }
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

  /// Whether all of the reply is here, by what its header says.
  var isWhole: Bool {
    switch framing {
    case .some(.none): true
    case .length(let length): received == length
    default: false
    }
  }

  /// What a reply that libcurl calls good amounts to: it says so of a header or a body that was cut off, too.
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
