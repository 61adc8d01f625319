import CCurlShim
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One of a round's concurrent transfers: its handle, and the reply so far.
///
/// An exchange may adopt it at any moment, and then gets all earlier events.
final class RoundSlot: HopOwner {
  enum Progress: Equatable {
    case idle
    case asking
    /// The reply's header is complete and says that nothing is new; the end of the transfer is still missing.
    case confirmed
    /// The reply is anything else, or may become so.
    case odd
  }

  /// A longer header is left to the full path.
  private static let longestHeader = 16 << 10
  /// The longest body that is kept in memory, so that its connection is free for the next question.
  private static let longestBody = 16 << 10

  let handle: EasyHandle
  private let questions: PlainQuestions
  /// The header that this program makes, which libcurl reads until the transfer is over.
  private let header: JoinedHeader
  private(set) var index = 0
  private(set) var progress = Progress.idle
  private(set) var startedAt = MonotonicInstant.now
  /// Whether the request was sent.
  private(set) var isSent = false
  /// Whether a piece of a body was held back.
  private(set) var isPaused = false
  /// How the transfer ended, by libcurl, before it was adopted; `nil` while it has not.
  var code: CURLcode?
  /// The received part of the reply's header.
  private(set) var reply: [UInt8] = []
  /// The kept part of the body.
  private(set) var body: [UInt8] = []
  /// Whom the transfer belongs to now.
  private weak var adopter: LiveExchange?
  private var isAdopted = false
  /// The transfer's admission in the loop's queues while it is not adopted.
  var charge: HostQueues.Charge?

  /// `nil` when libcurl has no memory.
  init?(_ questions: PlainQuestions, _ settings: TransferSettings) {
    guard let handle = EasyHandle() else { return nil }
    self.handle = handle
    self.questions = questions
    header = JoinedHeader(settings)
    reply.reserveCapacity(1024)
  }

  /// Makes the handle ready to ask question `index`.
  func prepare(_ index: Int, _ settings: TransferSettings, now: MonotonicInstant) throws(FailureCause) {
    self.index = index
    progress = .asking
    startedAt = now
    isSent = false
    isPaused = false
    code = nil
    reply.removeAll(keepingCapacity: true)
    body = []
    let url = unsafe questions.url(index)
    let (first, second) = unsafe questions.conditions(index)
    let headers = unsafe header.ending(in: first, second)
    // "https" and "http" differ in the fifth byte.
    try unsafe handle.prepare(
      plain: url, scheme: isSecure ? "https" : "http", headers: headers, settings: settings, owner: self)
  }

  /// The transfer has failed, or is not the simple reply that it seemed to be.
  func spoil() { progress = .odd }

  /// Whether it may still come to be confirmed.
  var isOpen: Bool { progress == .asking || progress == .confirmed }

  /// Whether more of the reply will arrive.
  var isMoving: Bool { progress != .idle && !isHeld }

  /// Whether nothing more arrives before an adoption: the transfer has ended, or its body is too long to be kept.
  var isHeld: Bool { progress == .odd && (code != nil || isPaused) }

  /// The transfer is over and done with.
  func finish() { progress = .idle }

  /// From now on `exchange` gets libcurl's events.
  func adopt(by exchange: LiveExchange) {
    adopter = exchange
    isAdopted = true
  }

  /// The header's lines so far, each with its end.
  func replayHeader(_ body: (UnsafeRawBufferPointer) -> Bool) {
    unsafe reply.withUnsafeBytes { bytes in
      var rest = unsafe bytes[...]
      while unsafe !rest.isEmpty {
        let end = unsafe rest.firstIndex(of: 0x0a).map { $0 + 1 } ?? rest.endIndex
        guard unsafe body(UnsafeRawBufferPointer(rebasing: rest[..<end])) else { return }
        unsafe rest = rest[end...]
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
    if isAdopted { return unsafe adopter?.receive(headerLine: line) ?? false }
    unsafe reply.append(contentsOf: line)
    if reply.count > Self.longestHeader {
      progress = .odd
    } else if line.count <= 2, unsafe line.first == 0x0d || line.first == 0x0a {
      let (first, second) = unsafe questions.conditions(index)
      let isPlain = unsafe reply.withUnsafeBytes { unsafe PlainNotModified(first, second).matches($0) }
      progress = isPlain && progress == .asking ? .confirmed : .odd
    }
    return true
  }

  override func receive(body bytes: UnsafeRawBufferPointer) -> BodyReception {
    if isAdopted { return unsafe adopter?.receive(body: bytes) ?? .stop }
    // Held for a later adoption.
    progress = .odd
    guard body.count + bytes.count <= Self.longestBody else {
      isPaused = true
      return .full
    }
    unsafe body.append(contentsOf: bytes)
    return .taken
  }

  /// Whether the reply came over HTTP/2 or later, which needs TLS, whatever its status line says.
  var isStream: Bool { isSecure && reply.count > 5 && reply[5] != UInt8(ascii: "1") }

  var isSecure: Bool { unsafe questions.url(index)[4] == CChar(bitPattern: UInt8(ascii: "s")) }
}
