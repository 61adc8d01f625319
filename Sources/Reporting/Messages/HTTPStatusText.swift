/// The names of HTTP status codes, for people.
enum HTTPStatusText {
  /// Such as `HTTP status 404 (not found)`; only the number if it has no common name.
  static func name(_ status: Int) -> String {
    names[status].map { "HTTP status \(status) (\($0))" } ?? "HTTP status \(status)"
  }

  private static let names: [Int: String] = [
    200: "ok", 204: "no content", 205: "reset content", 206: "partial content", 300: "multiple choices",
    304: "not modified", 400: "bad request", 401: "unauthorized", 402: "payment required", 403: "forbidden",
    404: "not found", 405: "method not allowed", 406: "not acceptable", 407: "proxy authentication required",
    408: "request timeout", 409: "conflict", 410: "gone", 412: "precondition failed", 414: "URI too long",
    416: "range not satisfiable", 421: "misdirected request", 425: "too early", 429: "too many requests",
    431: "request header fields too large", 451: "unavailable for legal reasons",
    500: "internal server error",
    501: "not implemented", 502: "bad gateway", 503: "service unavailable", 504: "gateway timeout",
    505: "HTTP version not supported", 507: "insufficient storage", 511: "network authentication required",
  ]
}
