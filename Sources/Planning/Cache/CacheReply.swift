package import SyncModel

/// What a server's reply to a question for something in a cache means (contract, section 12).
package enum CacheReply: Sendable, Equatable {
  /// It is there, with so many bytes; `nil` if the reply does not say.
  case there(size: Int64?)
  /// It is not there.
  case missing
  /// Nobody can tell.
  case faulty(RemoteCacheFault)

  /// By the reply's head; `isFile` if it is for a file, whose length must be known.
  package init(_ head: ResponseHead, isFile: Bool) {
    switch head.status {
    case 404, 204, 410: self = .missing
    case 200:
      // No cache gives files such a type: it is the page of something that stands before it.
      if head.contentType == "text/html" {
        self = .faulty(.page)
      } else if head.contentEncoding != nil || isFile && head.contentLength == nil {
        self = .faulty(.form)
      } else {
        self = .there(size: head.contentLength)
      }
    default: self = .faulty(.status(head.status))
    }
  }
}
