import SyncTestSupport

/// The recorded requests of a server, compared with the expected ones.
struct RequestComparison {
  var found: [LoggedRequest]
  var wanted: [RequestPattern]
  var isOrdered: Bool
  /// The line of the section.
  var line: Int

  var problems: [ScenarioProblem] {
    let pairs = paired
    guard pairs.count == wanted.count, wanted.count == found.count else {
      let list = TextPattern(text: wanted.map(\.request).joined(separator: "\n"))
      let message = "the requests are not those wanted:\n"
      return [ScenarioProblem(line: line, message: message + list.difference(from: foundText))]
    }
    return pairs.flatMap { pattern, request in
      pattern.headers.compactMap { $0.problem(in: request) }
    }
  }

  private var foundText: String { found.map(\.line).joined(separator: "\n") }

  /// A distinct request for each pattern; fewer pairs than patterns if that is impossible.
  private var paired: [(RequestPattern, LoggedRequest)] {
    var left = found
    var pairs: [(RequestPattern, LoggedRequest)] = []
    for pattern in wanted {
      let candidates = isOrdered ? left.prefix(1) : left[...]
      let named = candidates.indices.filter { TextPattern(text: pattern.request).matches(left[$0].line) }
      // If several have one name, the one with matching headers is used.
      let fitting = named.first { index in pattern.headers.allSatisfy { $0.problem(in: left[index]) == nil } }
      guard let index = fitting ?? named.first else { continue }
      pairs.append((pattern, left.remove(at: index)))
    }
    return pairs
  }
}

extension LoggedRequest {
  fileprivate var line: String { "\(method) \(target)" }
}

extension RequestPattern.Header {
  fileprivate func problem(in request: LoggedRequest) -> ScenarioProblem? {
    let values = request.values(of: name)
    guard let value else {
      return values.isEmpty
        ? nil
        : ScenarioProblem(line: line, message: "\(request.method) \(request.target) has \(name): \(values)")
    }
    if values.count == 1 && value.matches(values[0]) { return nil }
    return ScenarioProblem(
      line: line,
      message: "\(request.method) \(request.target) has "
        + (values.isEmpty ? "no \(name)" : values.map { "\(name): \($0)" }.joined(separator: ", ")))
  }
}

extension TrafficCheck {
  func problem(_ log: ServerLog) -> ScenarioProblem? {
    let value =
      switch quantity {
      case .requests(let path): path.map { log.requests(to: $0).count } ?? log.requests.count
      case .connections: Set(log.requests.map(\.connection)).count
      case .peakConnections: log.peakConnections
      case .peakRequests: log.peakActiveRequests
      }
    if isTrue(comparison, Double(value), Double(number)) == true { return nil }
    return ScenarioProblem(line: line, message: "it is \(value)")
  }
}
