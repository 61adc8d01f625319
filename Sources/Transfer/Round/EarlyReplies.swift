import CCurlShim
import SyncModel

/// What a ``RevalidationRound`` leaves to the loop that follows it: answers to requests that were not made yet, and
/// transfers that are under way.
///
/// An exchange that would send just what was sent gets the answer to that; all others know nothing of it.
package final class EarlyReplies {
  struct Reply {
    /// The header lines that were sent as conditions.
    var conditions: [String]
    /// The transfer; `nil` where it is over and was a 304 that confirmed what was asked.
    var transfer: RoundSlot?
  }

  /// A transfer that nobody has asked for by then is given up: its connection is wanted for something else.
  private static let lifetime = Duration.seconds(10)

  let multi: MultiHandle
  private let questions: PlainQuestions
  /// By URL: the question's index, and the transfer that is under way, where there is one.
  private var replies: [String: (index: Int, slot: RoundSlot?)] = [:]
  /// The transfers that nobody has asked for yet.
  private(set) var live: [RoundSlot]
  /// Those that were asked for: libcurl may still know them as owners.
  private var adopted: [RoundSlot] = []
  private let madeAt = SuspendingClock.now

  init(multi: MultiHandle, questions: PlainQuestions, isConfirmed: [Bool], live: [RoundSlot]) {
    self.multi = multi
    self.questions = questions
    self.live = live
    for slot in live { replies[url(of: slot)] = (slot.index, slot) }
    for index in isConfirmed.indices where isConfirmed[index] {
      replies[String(cString: questions.url(index))] = (index, nil)
    }
  }

  deinit { drop() }

  /// Whether transfers that nobody has asked for are to be given up.
  func isOver(_ now: SuspendingClock.Instant) -> Bool { now - madeAt > Self.lifetime }

  /// The answer to a request that would send just this; each is given once.
  func take(
    _ request: ExchangeRequest, _ url: HopURL, sending sent: @autoclosure () -> HopRequest?
  ) -> Reply? {
    guard request.method == .get, !request.wantsNewConnection, let (index, slot) = replies[url.wire],
      let sent = sent(), sent.isPlain, sent.conditions == questions.conditionLines(index)
    else { return nil }
    replies[url.wire] = nil
    if let slot {
      live.removeAll { $0 === slot }
      adopted.append(slot)
    }
    return Reply(conditions: sent.conditions, transfer: slot)
  }

  func url(of slot: RoundSlot) -> String { String(cString: questions.url(slot.index)) }

  /// A transfer has ended before anybody asked for it.
  func noteEnd(of owner: HopOwner, _ code: CURLcode) { live.first { $0 === owner }?.code = code }

  /// Gives up what nobody asked for.
  func drop() {
    for slot in live { multi.remove(slot.handle) }
    live = []
    replies = [:]
  }
}
