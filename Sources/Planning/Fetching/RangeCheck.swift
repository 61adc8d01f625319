import SyncModel

/// Decides whether a 206 may be joined to the present bytes, and which failures start the download over (contract,
/// section 5).
enum RangeCheck {
  /// Whether a request with a range may have failed because of it, so that one without it may succeed.
  ///
  /// - isLast: whether the same request will not be made again.
  /// - isFruitless: whether several requests in a row have ended so, and nothing has come in this run.
  static func mayBeAtFault(_ cause: FailureCause, isLast: Bool, isFruitless: Bool) -> Bool {
    switch cause {
    case .httpStatus(500, _), .httpStatus(502, _): isLast
    // The network's faults look the same, but pass.
    case _ where endsBeforeBody(cause): isLast && isFruitless
    case .httpStatus, .protocolError, .redirectRefused: !cause.traits.contains(.transient)
    default: false
    }
  }

  /// Whether the server has ended the connection before the first byte of a body.
  static func endsBeforeBody(_ cause: FailureCause) -> Bool {
    if case .truncated(_, received: 0, _) = cause { true } else { false }
  }

  /// Whether the failure says that the file is another one now: a range of its new bytes may succeed.
  static func isOfVersion(_ cause: FailureCause) -> Bool {
    switch cause {
    case .httpStatus(416, _), .protocolError(_, .wrongRange): true
    default: false
    }
  }

  /// The fault of `head` as the answer to `asked`; `nil` if it is credible.
  static func fault(of head: ResponseHead, asked: ResumePoint) -> String? {
    if head.contentType?.hasPrefix("multipart/") == true { return "several ranges in one reply" }
    guard let text = head.contentRange else { return "no Content-Range" }
    guard let range = ContentRange(text) else { return "Content-Range \"\(text)\" cannot be read" }
    guard range.first == asked.offset else {
      return "it starts at byte \(range.first), not at \(asked.offset)"
    }
    guard let total = range.total else { return "it does not tell the whole size" }
    if let recorded = asked.total, recorded != total { return "the whole is \(total) bytes, was \(recorded)" }
    guard range.last == total - 1 else { return "it ends at byte \(range.last) of \(total)" }
    if let length = head.contentLength, length != total - asked.offset {
      return "Content-Length is \(length), the range has \(total - asked.offset)"
    }
    return fault(of: head, asked: asked.validator)
  }

  /// Why `head`, a 200 to a range, does not bring the whole file; `nil` if nothing contradicts it.
  ///
  /// Some stores send the requested part with status 200, whatever If-Range says.
  static func faultOfWhole(_ head: ResponseHead) -> String? {
    guard let range = head.contentRange.flatMap({ ContentRange($0) }) else { return nil }
    if range.first == 0, let total = range.total, range.last == total - 1 { return nil }
    return "its status is \(head.status), but it has a part only"
  }

  private static func fault(of head: ResponseHead, asked: StrongValidator) -> String? {
    switch asked {
    case .etag(let tag):
      guard let etag = head.etag else { return "no ETag" }
      return etag == tag ? nil : "its ETag is \(etag.text), not \(tag.text)"
    case .date(let date):
      guard let modified = head.lastModified else { return "no Last-Modified" }
      return modified.hasSameBytes(as: date) ? nil : "its Last-Modified is \(modified), not \(date)"
    }
  }
}
