/// One request, as nginx logged it at its end.
package struct NginxRequest: Sendable, Equatable {
  /// nginx's variables, in the order of the fields below.
  static let logFormat = [
    "request_method", "request_uri", "server_protocol", "status", "body_bytes_sent", "connection", "msec",
    "request_time", "http_range",
  ].map { "$\($0)" }.joined(separator: "\\t")

  package var method: String
  /// As written in the request line, query included.
  package var target: String
  /// `HTTP/1.1` or `HTTP/2.0`.
  package var version: String
  package var status: Int
  /// Bytes of the body that were given to the system; less than its length if the client disconnected.
  package var bodyBytes: Int
  /// The connection it came on; no two of one server have the same.
  package var connection: Int
  /// When it began and ended, in milliseconds since 1970.
  package var milliseconds: Range<Int>
  /// The value of its Range header; `nil` if it had none.
  package var range: String?

  /// `nil` if this is not a line of the log.
  init?(_ line: Substring) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 9, let status = Int(fields[3]), let bodyBytes = Int(fields[4]),
      let connection = Int(fields[5]), let end = Self.milliseconds(fields[6]),
      let duration = Self.milliseconds(fields[7])
    else { return nil }
    (method, target, version) = (fields[0], fields[1], fields[2])
    (self.status, self.bodyBytes, self.connection) = (status, bodyBytes, connection)
    milliseconds = end - duration..<end
    range = fields[8] == "-" ? nil : fields[8]
  }

  /// Reads seconds with three decimals, as nginx writes them.
  private static func milliseconds(_ seconds: String) -> Int? {
    Int(seconds.filter { $0 != "." })
  }
}
