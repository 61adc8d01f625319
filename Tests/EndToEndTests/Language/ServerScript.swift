import SyncTestSupport

/// A `serve` section: `GET /a.txt: file v1 etag='"v1"'`, one reply a line, several lines for replies in order.
struct ServerScript {
  var replies: [String: [Reply]] = [:]
  /// What happens to connections before any request.
  var greetings: [Delivery.Ending] = []

  init(_ section: ScenarioFile.Section, _ expander: Expander) throws(ScenarioProblem) {
    for statement in section.statements {
      var words = try WordList(try expander.expand(statement))
      if words.takeIf("connection:") {
        greetings.append(try Self.greeting(&words))
      } else {
        let path = try Self.route(&words)
        replies[path, default: []].append(try Self.reply(&words, expander))
      }
      try words.end()
    }
  }

  private static func greeting(_ words: inout WordList) throws(ScenarioProblem) -> Delivery.Ending {
    switch try words.take("a greeting") {
    case "serve": return .keepAlive
    case "fin": return .close
    case "reset": return .reset
    case let word: throw words.problem("unknown greeting \(word)")
    }
  }

  private static func route(_ words: inout WordList) throws(ScenarioProblem) -> String {
    var route = try words.take("a path")
    if !route.hasSuffix(":") { route += " " + (try words.take("a path")) }
    guard route.hasSuffix(":") else { throw words.problem("write METHOD /path: reply") }
    return String(route.dropLast())
  }

  private static func reply(_ words: inout WordList, _ expander: Expander) throws(ScenarioProblem) -> Reply {
    let delivery = try delivery(&words)
    let kind = try words.take("a reply")
    switch kind {
    case "file": return Reply(.file(try file(&words, expander)), delivery: delivery)
    case "raw":
      var closing = delivery
      if case .keepAlive = closing.ending { closing.ending = .close }
      if words.flag("keep") { closing.ending = .keepAlive }
      if let name = try words.value("data") {
        return Reply(.raw(try expander.bytes(name, words.line)), delivery: closing)
      }
      let flood = try words.value("then-forever")
      let bytes = Array(try words.take("the bytes").utf8)
      return Reply(flood.map { .flood(bytes, Array($0.utf8)) } ?? .raw(bytes), delivery: closing)
    default:
      guard let status = Int(kind) else { throw words.problem("unknown reply \(kind)") }
      return Reply(.response(try response(status, &words, expander)), delivery: delivery)
    }
  }

  private static func file(
    _ words: inout WordList, _ expander: Expander
  ) throws(ScenarioProblem) -> ServedFile {
    var file = ServedFile(bytes: [])
    file.etag = try words.value("etag")
    file.lastModified = try words.value("last-modified")
    file.ignoresConditions = words.flag("ignore-conditions")
    file.ignoresRange = words.flag("ignore-range")
    file.refusesHead = words.flag("no-head")
    file.framing = try framing(&words)
    file.headers = try headers(&words)
    file.bytes = try expander.bytes(try words.take("data"), words.line)
    return file
  }

  private static func response(
    _ status: Int, _ words: inout WordList, _ expander: Expander
  ) throws(ScenarioProblem) -> Response {
    var response = Response(status: status)
    response.trailers = try words.values("trailer").map { text throws(ScenarioProblem) in
      try field(text, words)
    }
    response.headers = try headers(&words)
    response.framing = try framing(&words)
    if let body = try words.value("body") { response.body = Array(body.utf8) }
    if let name = try words.value("data") { response.body = try expander.bytes(name, words.line) }
    if let text = try words.value("repeat") { response.repeats = text == "forever" ? .max : Int(text) ?? 1 }
    return response
  }

  private static func framing(_ words: inout WordList) throws(ScenarioProblem) -> Response.Framing {
    let lengths = words.values("length")
    if !lengths.isEmpty { return .declared(lengths) }
    if words.flag("chunked") { return .chunked }
    if words.flag("close-delimited") { return .close }
    return words.flag("no-length") ? .none : .length
  }

  private static func headers(_ words: inout WordList) throws(ScenarioProblem) -> [HeaderField] {
    var fields: [HeaderField] = []
    let known = [
      "etag": "ETag", "last-modified": "Last-Modified", "location": "Location",
      "retry-after": "Retry-After", "content-range": "Content-Range",
      "content-encoding": "Content-Encoding", "content-type": "Content-Type",
    ]
    for (key, name) in known.sorted(by: { $0.key < $1.key }) {
      fields += words.values(key).map { HeaderField(name, $0) }
    }
    for text in words.values("header") { fields.append(try field(text, words)) }
    return fields
  }

  private static func field(_ text: String, _ words: WordList) throws(ScenarioProblem) -> HeaderField {
    guard let colon = text.firstIndex(of: ":") else { throw words.problem("write \"Name: value\"") }
    return HeaderField(String(text[..<colon]), String(text[text.index(after: colon)...].drop { $0 == " " }))
  }

  private static func delivery(_ words: inout WordList) throws(ScenarioProblem) -> Delivery {
    var delivery = Delivery()
    if words.flag("fin") { delivery.ending = .close }
    if words.flag("reset") { delivery.ending = .reset }
    if let cut = try words.number("cut") {
      delivery.cutAfter = cut
      if case .keepAlive = delivery.ending { delivery.ending = .close }
    }
    if let delay = try words.number("delay") { delivery.delay = .milliseconds(delay) }
    if let drip = try words.value("drip") {
      let parts = drip.split(separator: "/").compactMap { Int($0) }
      guard parts.count == 2 else { throw words.problem("drip=BYTES/MILLISECONDS") }
      delivery.pieceSize = parts[0]
      delivery.pause = .milliseconds(parts[1])
    }
    delivery.holdHead = try words.value("hold")
    if let hold = try words.value("hold-after") {
      let parts = hold.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2, let after = Int(parts[0]) else { throw words.problem("hold-after=BYTES:GATE") }
      delivery.holdBody = Delivery.Hold(after: after, gate: parts[1])
    }
    return delivery
  }
}
