/// A file on a correct server, except for features that are turned off.
package struct ServedFile: Sendable {
  package var bytes: [UInt8]
  /// With its quotes, and `W/` if it is weak; `nil` for none.
  package var etag: String?
  package var lastModified: String?
  /// Further headers of every reply.
  package var headers: [HeaderField] = []
  /// 200 with the whole body, whatever the condition.
  package var ignoresConditions = false
  /// 200 with the whole body, whatever the range.
  package var ignoresRange = false
  /// 200 with the whole body for a range with `If-Range`, though it names the file's ETag.
  package var refusesIfRange = false
  /// 405 for HEAD.
  package var refusesHead = false
  package var framing: Response.Framing = .length

  package init(bytes: [UInt8], etag: String? = nil, lastModified: String? = nil) {
    self.bytes = bytes
    self.etag = etag
    self.lastModified = lastModified
  }

  /// What a correct server answers.
  package func response(to request: LoggedRequest) -> Response {
    if request.method == "HEAD" && refusesHead { return Response(status: 405) }
    if !ignoresConditions && isUnchanged(for: request) {
      return Response(status: 304, headers: validators)
    }
    guard !ignoresRange, let range = request.header("Range"), rangeApplies(to: request) else { return whole }
    return part(range)
  }

  private var validators: [HeaderField] {
    var fields: [HeaderField] = []
    if let etag { fields.append(HeaderField("ETag", etag)) }
    if let lastModified { fields.append(HeaderField("Last-Modified", lastModified)) }
    return fields + headers
  }

  private var whole: Response {
    Response(headers: validators, body: bytes, framing: framing)
  }

  /// If-None-Match decides alone if it is present (RFC 9110, section 13.2.2).
  private func isUnchanged(for request: LoggedRequest) -> Bool {
    if let tags = request.header("If-None-Match") {
      guard let etag else { return false }
      return tags == "*" || tags.split(separator: ",").contains { opaque(String($0)) == opaque(etag) }
    }
    guard let since = request.header("If-Modified-Since"), let lastModified else { return false }
    return since == lastModified
  }

  private func opaque(_ tag: String) -> String {
    let trimmed = tag.drop { $0 == " " }
    return String(trimmed.hasPrefix("W/") ? trimmed.dropFirst(2) : trimmed)
  }

  /// If-Range wants a strong match.
  private func rangeApplies(to request: LoggedRequest) -> Bool {
    guard let condition = request.header("If-Range") else { return true }
    if refusesIfRange { return false }
    if condition.hasPrefix("W/") { return false }
    return condition == etag || condition == lastModified
  }

  private func part(_ range: String) -> Response {
    guard range.hasPrefix("bytes="), !range.contains(",") else { return whole }
    let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let start = Int(ends[0]) else { return whole }
    guard start < bytes.count else {
      return Response(
        status: 416, headers: validators + [HeaderField("Content-Range", "bytes */\(bytes.count)")])
    }
    let last = min(Int(ends[1]) ?? .max, bytes.count - 1)
    guard last >= start else { return whole }
    return Response(
      status: 206,
      headers: validators + [HeaderField("Content-Range", "bytes \(start)-\(last)/\(bytes.count)")],
      body: Array(bytes[start...last]), framing: framing)
  }
}
