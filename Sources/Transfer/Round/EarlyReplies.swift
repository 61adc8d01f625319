import CCurlShim
import SyncModel

/// What a ``RevalidationRound`` leaves to the loop that follows it: answers to requests that were not made yet, and
/// transfers that are under way.
///
/// An exchange that would send just what was sent adopts the answer to that; all others know nothing of it.
package final class EarlyReplies {
  struct Reply {
    /// The header lines that were sent as conditions.
    var conditions: [String]
    /// The transfer; `nil` where it was a 304 that confirmed what was asked.
    var transfer: RoundSlot?
  }

  /// A transfer that nobody has adopted by then is hung up on: its connection is wanted for something else.
  private static let lifetime = Duration.seconds(10)

  let multi: MultiHandle
  /// The https origins that have replied by HTTP/1.
  let serialOrigins: Set<Origin>
  /// When the round ended.
  let madeAt = MonotonicInstant.now
  private let questions: PlainQuestions
  /// By all that was sent, byte for byte: several targets may have the same question, each with its own answer.
  private var replies: [[UInt8]: [RoundSlot?]] = [:]
  /// The transfers that nobody has adopted yet, in the order of their questions.
  private(set) var live: [RoundSlot]
  /// Those that were adopted: libcurl may still know them as owners.
  private var adopted: [RoundSlot] = []

  init(
    multi: MultiHandle, questions: PlainQuestions, isConfirmed: [Bool], live: [RoundSlot],
    serialOrigins: Set<Origin>
  ) {
    self.multi = multi
    self.serialOrigins = serialOrigins
    self.questions = questions
    self.live = live.sorted { $0.index < $1.index }
    for index in isConfirmed.indices where isConfirmed[index] {
      replies[questions.bytes(index), default: []].append(nil)
    }
    for slot in live { replies[questions.bytes(slot.index), default: []].append(slot) }
  }

  deinit { drop() }

  /// When transfers that nobody has adopted are to be hung up on.
  var end: MonotonicInstant { madeAt + Self.lifetime }

  /// The answer to a request that would send just this; each is given once.
  func take(
    _ request: ExchangeRequest, _ url: HopURL, sending sent: @autoclosure () -> HopRequest?
  ) -> Reply? {
    guard !replies.isEmpty, request.method == .get, !request.wantsNewConnection, let sent = sent(),
      sent.isPlain
    else {
      return nil
    }
    let bytes = PlainQuestions.bytes(url: url.wire, conditions: sent.conditions)
    guard var same = replies[bytes] else { return nil }
    let transfer = same.removeLast()
    replies[bytes] = same.isEmpty ? nil : same
    if let transfer {
      live.removeAll { $0 === transfer }
      adopted.append(transfer)
    }
    return Reply(conditions: sent.conditions, transfer: transfer)
  }

  func url(of slot: RoundSlot) -> String { unsafe String(cString: questions.url(slot.index)) }

  /// A transfer has ended before its exchange heard of it.
  func noteEnd(of owner: HopOwner, _ code: CURLcode) {
    if let slot = live.first(where: { $0 === owner }) ?? adopted.first(where: { $0 === owner }) {
      slot.code = code
    }
  }

  /// Hangs up on a transfer that nobody will adopt, and forgets its answer.
  func hangUp(on slot: RoundSlot) {
    multi.remove(slot.handle)
    live.removeAll { $0 === slot }
    let bytes = questions.bytes(slot.index)
    replies[bytes]?.removeAll { $0 === slot }
    if replies[bytes]?.isEmpty == true { replies[bytes] = nil }
  }

  /// Hangs up on all that nobody has adopted, and forgets every answer.
  package func drop() {
    for slot in live { multi.remove(slot.handle) }
    live = []
    replies = [:]
  }
}
