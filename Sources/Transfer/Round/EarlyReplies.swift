import CCurlShim
import SyncModel

/// The rest of a ``RevalidationRound`` for the following loop: replies to requests that were not made yet, and
/// transfers in progress.
///
/// An exchange that would send the same request adopts its reply; all others are independent.
package final class EarlyReplies {
  struct Reply {
    /// The header lines that were sent as conditions.
    var conditions: [String]
    /// The transfer; `nil` if it was a 304 that confirmed the version.
    var transfer: RoundSlot?
  }

  /// A transfer that was not adopted in this time is cancelled: its connection is needed.
  private static let lifetime = Duration.seconds(10)

  let multi: MultiHandle
  /// The https origins that have replied by HTTP/1.
  let serialOrigins: Set<WebOrigin>
  /// When the round ended.
  let madeAt = MonotonicInstant.now
  private let questions: PlainQuestions
  /// By all that was sent, byte for byte: several targets may have the same question, each with its own answer.
  private var replies: [[UInt8]: [RoundSlot?]] = [:]
  /// The confirmed questions that are not in ``replies`` yet: a run of the open targets alone does not need them.
  private var confirmed: [Int]
  /// The transfers that were not adopted yet, in the order of their questions.
  private(set) var live: [RoundSlot]
  /// The adopted ones: libcurl may still know them as owners.
  private var adopted: [RoundSlot] = []

  init(
    multi: MultiHandle, questions: PlainQuestions, isConfirmed: [Bool], live: [RoundSlot],
    serialOrigins: Set<WebOrigin>
  ) {
    self.multi = multi
    self.serialOrigins = serialOrigins
    self.questions = questions
    self.live = live.sorted { $0.index < $1.index }
    confirmed = isConfirmed.indices.filter { isConfirmed[$0] }
    for slot in live { replies[questions.bytes(slot.index), default: []].append(slot) }
  }

  deinit { drop() }

  /// When transfers that were not adopted are cancelled.
  var end: MonotonicInstant { madeAt + Self.lifetime }

  /// The reply to a request that is exactly this one; each is returned once.
  func take(
    _ request: ExchangeRequest, _ url: HopURL, sending sent: @autoclosure () -> HopRequest?
  ) -> Reply? {
    guard !replies.isEmpty || !confirmed.isEmpty, request.method == .get, !request.wantsNewConnection,
      let sent = sent(),
      sent.isPlain
    else {
      return nil
    }
    let bytes = PlainQuestions.bytes(url: url.wire, conditions: sent.conditions)
    if replies[bytes] == nil { addConfirmed() }
    guard var same = replies[bytes] else { return nil }
    let transfer = same.removeLast()
    replies[bytes] = same.isEmpty ? nil : same
    if let transfer {
      live.removeAll { $0 === transfer }
      adopted.append(transfer)
    }
    return Reply(conditions: sent.conditions, transfer: transfer)
  }

  private func addConfirmed() {
    for index in confirmed { replies[questions.bytes(index), default: []].insert(nil, at: 0) }
    confirmed = []
  }

  func url(of slot: RoundSlot) -> String { unsafe String(cString: questions.url(slot.index)) }

  /// A transfer ended before its exchange existed.
  func noteEnd(of owner: HopOwner, _ code: CURLcode) {
    if let slot = live.first(where: { $0 === owner }) ?? adopted.first(where: { $0 === owner }) {
      slot.code = code
    }
  }

  /// Cancels a transfer that will not be adopted, and drops its reply.
  func hangUp(on slot: RoundSlot) {
    multi.remove(slot.handle)
    live.removeAll { $0 === slot }
    let bytes = questions.bytes(slot.index)
    replies[bytes]?.removeAll { $0 === slot }
    if replies[bytes]?.isEmpty == true { replies[bytes] = nil }
  }

  /// Cancels all transfers that were not adopted, and drops every reply.
  package func drop() {
    for slot in live { multi.remove(slot.handle) }
    live = []
    confirmed = []
    replies = [:]
  }
}
