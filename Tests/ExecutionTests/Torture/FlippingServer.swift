import Platform
import SyncTestSupport

/// A server with two versions of one file that switches between them at random and breaks rules as real servers do.
/// It never gives two versions the same strong validator.
final class FlippingServer: Sendable {
  enum Tags: CaseIterable {
    case strong, weak, sharedWeak, absent, dateOnly
  }

  struct Habits: Sendable {
    var tags: Tags
    /// The number of such replies in a hundred.
    var flips: Int
    var cuts: Int
    var resets: Int
    var errors: Int
    var ignoredRanges: Int
    var ignoredIfRanges: Int
    var oddRanges: Int
    var chunked: Int
    /// A range with `If-Range` gets the whole file with the requested ETag; a plain range gets its part.
    var refusedIfRanges = 0
    /// Replies contain the digest of their content.
    var digests = 0
    var route = Route.direct
  }

  /// How a request for the file reaches it.
  enum Route: CaseIterable {
    case direct
    /// A redirect with a new signature each time.
    case signed
    /// The same, alternately to two hosts with the same file.
    case mirrors
    /// The same, to two hosts with different files and one ETag.
    case twins
  }

  /// Part of every redirect's signature, and of nothing else.
  static let signatureMark = "5160a7e5ec2e7"

  private struct State: Sendable {
    var random: SeededGenerator
    var habits: Habits
    var current = 0
    var isHonest = false
    var redirects = 0
    var stopAt: Int?
    var stop: (@Sendable () -> Void)?

    mutating func hits(_ percent: Int) -> Bool { random.below(100) < percent }
  }

  /// The version that is sent.
  let bodies: [[UInt8]]
  private let digests: [String]
  private let port: UInt16
  private let serial: Int
  private let state: Monitor<State>

  /// `digests` are the hexadecimal SHA-256 of the bodies; `port` is the server's.
  init(bodies: [[UInt8]], digests: [String], port: UInt16, serial: Int, habits: Habits, seed: UInt64) {
    self.bodies = bodies
    self.digests = digests
    self.port = port
    self.serial = serial
    state = Monitor(State(random: SeededGenerator(seed: seed), habits: habits))
  }

  /// The version that is served from now on, without faults.
  func becomeHonest() -> Int {
    state.withLock { state in
      state.isHonest = true
      state.stop = nil
      return state.current
    }
  }

  /// Calls `action` after this number of further requests.
  func stop(after requests: Int, _ action: @escaping @Sendable () -> Void) {
    state.withLock {
      $0.stopAt = requests
      $0.stop = action
    }
  }

  /// The replies of everything: the file, the store that redirects lead to, and the sidecar.
  var script: [String: [Reply]] {
    let store = Reply(.computed { [self] in reply(to: $0) })
    let sidecar = Reply(.computed { [self] _ in .text(digests[state.withLock { $0.current }] + "\n") })
    let isDirect = state.withLock { $0.habits.route == .direct }
    return [
      "/f": [isDirect ? store : Reply(.computed { [self] _ in redirect() })], "/store/f": [store],
      "/f.sha256": [sidecar],
    ]
  }

  private func redirect() -> Reply {
    state.withLock { state in
      state.redirects += 1
      let isOnOtherHost = state.habits.route != .signed && state.random.oneIn(2)
      let host = isOnOtherHost ? "localhost" : "127.0.0.1"
      return .redirect(
        "http://\(host):\(port)/store/f?X-Amz-Expires=300"
          + "&X-Amz-Signature=\(Self.signatureMark)\(state.redirects)")
    }
  }

  /// Each of the twins has its own version, whatever the server's is.
  private func version(for request: LoggedRequest, _ state: State) -> Int {
    guard state.habits.route == .twins else { return state.current }
    return request.header("Host")?.hasPrefix("localhost") == true ? 1 : 0
  }

  private func reply(to request: LoggedRequest) -> Reply {
    state.withLock { state in
      if let left = state.stopAt {
        state.stopAt = left > 1 ? left - 1 : nil
        if left <= 1 { state.stop?() }
      }
      if state.isHonest { return honest(version(for: request, state), state.habits) }
      if state.hits(state.habits.flips) { state.current = 1 - state.current }
      if state.hits(state.habits.errors) { return .text("not now\n", status: 503) }
      var reply = answer(request, &state)
      if state.hits(state.habits.cuts) {
        reply = reply.cut(
          after: state.random.below(bodies[version(for: request, state)].count),
          ending: state.hits(state.habits.resets) ? .reset : .close)
      }
      return reply
    }
  }

  private func honest(_ version: Int, _ habits: Habits) -> Reply {
    Reply(.file(file(version, habits)))
  }

  private func file(_ version: Int, _ habits: Habits) -> ServedFile {
    ServedFile(
      bytes: bodies[version], etag: tag(version, habits), lastModified: date(version, habits.tags))
  }

  private func answer(_ request: LoggedRequest, _ state: inout State) -> Reply {
    let version = version(for: request, state)
    var file = file(version, state.habits)
    if state.hits(state.habits.digests) { file.headers.append(digestField(version, &state)) }
    if state.hits(state.habits.chunked) { file.framing = .chunked }
    if state.hits(state.habits.ignoredRanges) {
      file.ignoresRange = true
      return Reply(.file(file))
    }
    let start = request.header("Range").flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) }
    guard let start, start < file.bytes.count else { return Reply(.file(file)) }
    let condition = request.header("If-Range")
    if condition != nil, state.hits(state.habits.refusedIfRanges) {
      file.refusesIfRange = true
      return Reply(.file(file))
    }
    let applies = condition == nil || condition == file.etag
    guard applies || state.hits(state.habits.ignoredIfRanges) else { return Reply(.file(file)) }
    if state.hits(state.habits.oddRanges) { return oddPart(file, start, applies, &state) }
    return part(file, from: start, total: "\(file.bytes.count)")
  }

  /// A correct digest, or an unusable one.
  private func digestField(_ version: Int, _ state: inout State) -> HeaderField {
    switch state.random.below(4) {
    case 0: HeaderField("Repr-Digest", "sha-256=:bm90aGluZw==:, unixsum=:MTI=:")
    case 1: HeaderField("X-Linked-ETag", "\"\(digests[version])\"")
    default: HeaderField("X-Checksum-Sha256", digests[version])
    }
  }

  /// Its validators are correct or missing.
  private func oddPart(_ file: ServedFile, _ start: Int, _ applies: Bool, _ state: inout State) -> Reply {
    var bare = file
    bare.etag = nil
    bare.lastModified = nil
    switch state.random.below(7) {
    case 0: return part(file, from: start / 2, total: "\(file.bytes.count)")
    case 1: return part(file, from: min(start + 1, file.bytes.count - 1), total: "\(file.bytes.count)")
    case 2: return part(bare, from: start, total: "\(file.bytes.count)")
    case 3: return part(file, from: start, total: "*")
    case 4:
      return .status(
        416, headers: [HeaderField("Content-Range", "bytes */\(file.bytes.count)")], body: [])
    case 5:
      // No Content-Range at all.
      return .status(206, headers: headers(file), body: Array(file.bytes[start...]))
    default:
      // Its last byte is left out, and this is announced.
      let end = max(start + 1, file.bytes.count - 1)
      return part(file, from: start, to: end, total: "\(file.bytes.count)")
    }
  }

  private func part(_ file: ServedFile, from start: Int, to end: Int? = nil, total: String) -> Reply {
    let end = end ?? file.bytes.count
    let range = HeaderField("Content-Range", "bytes \(start)-\(end - 1)/\(total)")
    return .status(
      206, headers: headers(file) + [range], body: Array(file.bytes[start..<end]), framing: file.framing)
  }

  private func headers(_ file: ServedFile) -> [HeaderField] {
    [("ETag", file.etag), ("Last-Modified", file.lastModified)].compactMap { name, value in
      value.map { HeaderField(name, $0) }
    } + file.headers
  }

  private func tag(_ version: Int, _ habits: Habits) -> String? {
    if habits.route == .twins { return "\"\(serial)\"" }
    return switch habits.tags {
    case .strong: "\"\(serial)-\(version)\""
    case .weak: "W/\"\(serial)-\(version)\""
    case .sharedWeak: "W/\"\(serial)\""
    case .absent, .dateOnly: nil
    }
  }

  /// Both versions were made within one second, so that the date does not distinguish them.
  private func date(_ version: Int, _ tags: Tags) -> String? {
    tags == .absent ? nil : "Sat, 01 Jan 2022 00:00:00 GMT"
  }
}
