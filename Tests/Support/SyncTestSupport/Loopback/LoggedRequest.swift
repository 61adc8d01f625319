/// One request as it arrived, and how much of its reply was sent.
package struct LoggedRequest: Sendable, Equatable {
  /// From 0, in the order in which their heads were complete.
  package var number: Int
  /// From 0, in the order in which connections were accepted.
  package var connection: Int
  package var method: String
  /// As written in the request line, query included.
  package var target: String
  /// In the order in which they came.
  package var headers: [HeaderField]
  /// Bytes of the reply's body that were given to the system so far; for raw replies, bytes of everything.
  package var bytesSent = 0
  /// Whether the reply ended: sent completely, cut as scripted, or the client disconnected.
  package var isAnswered = false

  /// A request of which nothing was answered yet.
  package init(number: Int, connection: Int, method: String, target: String, headers: [HeaderField]) {
    self.number = number
    self.connection = connection
    self.method = method
    self.target = target
    self.headers = headers
  }

  /// The target without its query.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// The value of the first header with this name, in any case; `nil` if there is none.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The values of every header of this name, in any case.
  package func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// Everything that a server has seen so far.
package struct ServerLog: Sendable {
  package var requests: [LoggedRequest] = []
  package var connections = 0
  package var openConnections = 0
  /// The most connections that were open at once.
  package var peakConnections = 0
  package var activeRequests = 0
  /// The most requests that waited for the end of their reply at once.
  package var peakActiveRequests = 0

  package init() {}

  /// The requests for this path, or for this path and query.
  package func requests(to path: String) -> [LoggedRequest] {
    requests.filter { $0.path == path || $0.target == path }
  }

  /// Bytes of bodies sent for this path so far.
  package func bytesSent(to path: String) -> Int { requests(to: path).reduce(0) { $0 + $1.bytesSent } }
}
