import CCurlShim
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One of a round's transfers at a time: its handle, and what has come of the reply.
///
/// An ordinary exchange may adopt it at any moment, which then hears all that was heard before.
final class RoundSlot: HopOwner {
  enum Progress: Equatable {
    case idle
    case asking
    /// The reply's header is whole and says that nothing is new; the end of the transfer is still to come.
    case confirmed
    /// The reply is anything else, or may become so.
    case odd
  }

  /// A header longer than that is for the ordinary way.
  private static let longestHeader = 16 << 10

  let handle: EasyHandle
  private let questions: PlainQuestions
  /// What every request says, and the conditions behind it; libcurl reads them until the transfer is over.
  private let lines: UnsafeMutablePointer<curl_slist>
  private(set) var index = 0
  private(set) var progress = Progress.idle
  private(set) var startedAt = Moment.now
  /// Whether the request has gone out.
  private(set) var isSent = false
  /// Whether a piece of a body was held back.
  private(set) var isPaused = false
  /// How libcurl says that the transfer ended, before anybody adopted it; `nil` while it has not.
  var code: CURLcode?
  /// What has come of the header.
  private(set) var header: [UInt8] = []
  /// Whom the transfer belongs to now.
  private weak var adopter: LiveExchange?
  private var isAdopted = false
  /// What the connection counts as in the loop's queues while nobody has adopted the transfer.
  var charge: HostQueues.Charge?

  /// `nil` when libcurl has no memory.
  init?(_ questions: PlainQuestions, _ settings: TransferSettings) {
    // Two headers in one line, which libcurl passes on as they are (libcurl.org, CURLOPT_HTTPHEADER): each line more,
    // and `CURLOPT_USERAGENT` most of all, costs it a twentieth of a request.
    let everywhere = "User-Agent: \(settings.userAgent)\r\nAccept-Encoding: identity"
    guard let handle = EasyHandle(), let first = strdup(everywhere) else { return nil }
    self.handle = handle
    self.questions = questions
    lines = .allocate(capacity: 3)
    lines.initialize(repeating: curl_slist(), count: 3)
    lines.pointee.data = first
    header.reserveCapacity(1024)
  }

  deinit {
    free(lines.pointee.data)
    lines.deallocate()
  }

  /// Makes the handle ready to ask question `index`.
  func prepare(_ index: Int, _ settings: TransferSettings, now: Moment) throws(FailureCause) {
    self.index = index
    progress = .asking
    startedAt = now
    isSent = false
    isPaused = false
    code = nil
    header.removeAll(keepingCapacity: true)
    let url = questions.url(index)
    let (first, second) = questions.conditions(index)
    lines[0].next = lines + 1
    lines[1].data = first
    lines[1].next = second.pointee == 0 ? nil : lines + 2
    lines[2].data = second
    if first.pointee == 0 { lines[0].next = lines[1].next }
    // "https" and "http" differ in the fifth byte.
    try handle.prepare(
      plain: url, scheme: isSecure ? "https" : "http", headers: lines, settings: settings, owner: self)
  }

  /// The transfer has failed, or has brought something else than it seemed.
  func spoil() { progress = .odd }

  /// Whether it may still come to be confirmed.
  var isOpen: Bool { progress == .asking || progress == .confirmed }

  /// The transfer is over and done with.
  func finish() { progress = .idle }

  /// From now on `exchange` hears what libcurl tells.
  func adopt(by exchange: LiveExchange) {
    adopter = exchange
    isAdopted = true
  }

  /// The header's lines so far, each with its end.
  func replayHeader(_ body: (UnsafeRawBufferPointer) -> Bool) {
    header.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let end = rest.firstIndex(of: 0x0a).map { $0 + 1 } ?? rest.endIndex
        guard body(UnsafeRawBufferPointer(rebasing: rest[..<end])) else { return }
        rest = rest[end...]
      }
    }
  }

  // MARK: What libcurl tells

  override var exchange: LiveExchange? { adopter }

  override func requestGoesOut(over ends: () -> ConnectionEnds) -> Bool {
    isSent = true
    return adopter?.requestGoesOut(over: ends) ?? true
  }

  override func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    if isAdopted { return adopter?.receive(headerLine: line) ?? false }
    header.append(contentsOf: line)
    if header.count > Self.longestHeader {
      progress = .odd
    } else if line.count <= 2, line.first == 0x0d || line.first == 0x0a {
      let (first, second) = questions.conditions(index)
      let isPlain = header.withUnsafeBytes { PlainNotModified(first, second).matches($0) }
      progress = isPlain && progress == .asking ? .confirmed : .odd
    }
    return true
  }

  override func receive(body bytes: UnsafeRawBufferPointer) -> BodyReception {
    if isAdopted { return adopter?.receive(body: bytes) ?? .stop }
    // Held, for whoever will want it.
    progress = .odd
    isPaused = true
    return .full
  }

  /// Whether the reply came by HTTP/2 or later, which nobody speaks without TLS, whatever a status line says.
  var isStream: Bool { isSecure && header.count > 5 && header[5] != UInt8(ascii: "1") }

  var isSecure: Bool { questions.url(index)[4] == CChar(bitPattern: UInt8(ascii: "s")) }
}
