import Planning
import SyncModel
import Transfer

/// One exchange of a probe: its reply's header and, with a limit, its small body.
final class ProbeExchange: ExchangeClient {
  /// The URLs of its redirects, in order.
  private(set) var redirects: [String] = []
  private(set) var totals = ExchangeTotals()
  private var reply: Result<ResponseHead, FailureCause> = .failure(.internalError("no reply came"))
  private var bytes: [UInt8] = []
  private var isWhole = false
  /// In bytes; `nil` drops every body.
  private let limit: Int?
  private let wants: (ResponseHead) -> Bool
  private let note: (ExchangeNote) -> Void
  private let done: (ProbeExchange) -> Void

  /// `wants` chooses the bodies that are taken.
  init(
    limit: Int?, wants: @escaping (ResponseHead) -> Bool,
    note: @escaping (ExchangeNote) -> Void, done: @escaping (ProbeExchange) -> Void
  ) {
    self.limit = limit
    self.wants = wants
    self.note = note
    self.done = done
  }

  func begin(_ request: ExchangeRequest, in network: any ExchangeNetwork) {
    _ = network.start(request, client: self)
  }

  /// It could not even begin.
  func fail(_ cause: FailureCause) {
    reply = .failure(cause)
    done(self)
  }

  /// The reply that is not a redirect, or the failure.
  var head: Result<ResponseHead, FailureCause> { reply }

  /// The whole body of a 200, proven to be whole and within the limit.
  var body: Result<[UInt8], FailureCause> {
    reply.flatMap { head in
      guard head.status == 200 else { return .failure(.httpStatus(head.status, url: head.url)) }
      if let encoding = head.contentEncoding, EncodedFile.beginsLikeGzip(bytes) {
        return .failure(.protocolError(url: head.url, .contentEncoding(encoding)))
      }
      return isWhole ? .success(bytes) : .failure(.truncated(url: head.url, received: 0, expected: nil))
    }
  }

  // MARK: ExchangeClient

  func exchange(_ id: ExchangeID, note: ExchangeNote) {
    if case .redirect(_, let to) = note { redirects.append(to) }
    self.note(note)
  }

  func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
    reply = .success(head)
    guard let limit, head.status == 200, wants(head),
      head.contentEncoding.map(EncodedFile.isGzip) ?? true
    else {
      return .drop
    }
    return head.contentLength.map { $0 > limit } ?? false ? .drop : .take
  }

  func exchange(_ id: ExchangeID, received piece: UnsafeRawBufferPointer) -> BodyReception {
    guard let limit, bytes.count + piece.count <= limit else { return .stop }
    unsafe bytes += piece
    return .taken
  }

  /// Nobody asks for a trace of a probe.
  func exchange(_ id: ExchangeID, traced trace: RequestTrace) {}

  func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
    self.totals = totals
    switch end {
    case .complete(let isProven): isWhole = isProven
    case .stopped: break
    // A header is an answer, even if the unwanted body failed.
    case .failed(let cause): if case .failure = reply { reply = .failure(cause) }
    }
    done(self)
  }
}
