import SyncModel

/// Decides whether a 206 may be joined to the bytes that are here (contract, section 5).
enum RangeCheck {
  /// What is wrong with `head` as the answer to `asked`; `nil` when it can be believed.
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
