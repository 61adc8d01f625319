/// How many requests may be in progress at once to a host that speaks HTTP/2, so that they take no more connections
/// than the host may have (contract, section 5).
///
/// How many of them a connection carries is the server's to say, and when it ends one, too; libcurl then makes another
/// without asking. So there are at first as many as there may be connections, and one more for each reply over a
/// connection that was there already; where one connection does not do, one more for as many replies as there are at
/// once, and fewer when connections had to be made beyond the limit.
struct StreamRoom {
  static let most = 64

  private(set) var count: Int
  private let limit: Int
  private var ceiling = most
  /// Connections that were made so far.
  private var made = 0
  /// Replies since ``count`` grew.
  private var replies = 0

  /// `limit`: the connections that the host may have, 1 or more.
  init(limit: Int) {
    self.limit = min(limit, Self.most)
    count = self.limit
  }

  /// A reply has begun; `underWay` counts the requests to the host, this one among them.
  mutating func note(hasMadeConnection: Bool, underWay: Int) {
    if hasMadeConnection {
      made += 1
      if made > limit { ceiling = max(limit, min(ceiling, underWay) - 1) }
    } else {
      replies += 1
      if made <= 1 || replies >= count {
        count += 1
        replies = 0
      }
    }
    count = min(count, ceiling)
  }
}
