/// A server's replies: a list for each path, whose last one answers all later requests.
///
/// A path is looked up as `METHOD /path?query`, then `/path?query`, then `METHOD /path`, then `/path`, then `*`; an
/// unknown path gets a 404.
package struct ServerScript: Sendable {
  private var replies: [String: [Reply]]

  package init(_ replies: [String: [Reply]]) { self.replies = replies }

  /// Replaces the replies for this path.
  package mutating func set(_ replies: [Reply], for path: String) { self.replies[path] = replies }

  /// The next reply to such a request.
  package mutating func next(for request: LoggedRequest) -> Reply {
    let keys = [
      "\(request.method) \(request.target)", request.target, "\(request.method) \(request.path)",
      request.path, "*",
    ]
    for key in keys {
      guard let list = replies[key], let reply = list.first else { continue }
      if list.count > 1 { replies[key] = Array(list.dropFirst()) }
      return reply
    }
    return .text("no such path in the script\n", status: 404)
  }
}
