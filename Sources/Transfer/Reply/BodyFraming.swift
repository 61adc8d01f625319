import SyncModel

/// How the end of a reply's body is known (RFC 9112, section 6.3), and so what proves that it is complete.
enum BodyFraming: Equatable {
  /// There is no body, whatever the header says.
  case none
  case length(Int64)
  /// The last chunk ends it.
  case chunked
  /// HTTP/2's end of the stream.
  case stream
  /// The end of the connection, which proves nothing.
  case connection

  /// The framing of a complete header's body, and the length it announces, which a HEAD's reply has too.
  ///
  /// - mayBeStream: whether the connection can speak HTTP/2, which a status line alone does not prove.
  static func of(
    _ header: HeaderBlock, method: ExchangeRequest.Method, mayBeStream: Bool
  ) -> Result<Announcement, ProtocolFault> {
    let length: Int64?
    switch contentLength(header) {
    case .failure(let fault): return .failure(fault)
    case .success(let announced): length = announced
    }
    let codings = codings(header.values(.transferEncoding))
    guard codings.isEmpty || codings == ["chunked"] || header.version > 1 else {
      return .failure(.malformed("Transfer-Encoding: \(codings.joined(separator: ", "))"))
    }
    let isChunked = !codings.isEmpty && header.version == 1
    let framing: BodyFraming =
      if method == .head || header.status == 204 || header.status == 304 {
        .none
      } else if isChunked {
        .chunked
      } else if let length {
        .length(length)
      } else {
        header.version > 1 && mayBeStream ? .stream : .connection
      }
    return .success(Announcement(framing: framing, length: isChunked ? nil : length))
  }

  private static func codings(_ values: [String]) -> [String] {
    guard !values.isEmpty else { return [] }
    return values.joined(separator: ",").lowercased().split(separator: ",").map { $0.trimmingBlanks }
      .filter { $0 != "identity" }
  }

  struct Announcement: Equatable {
    var framing: BodyFraming
    var length: Int64?
  }

  /// `nil` if there is none. Several headers, or a list in one, are valid if all values are the same.
  private static func contentLength(_ header: HeaderBlock) -> Result<Int64?, ProtocolFault> {
    var length: Int64?
    for text in header.values(.contentLength) {
      // One plain number is all that most servers send.
      if length == nil, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) {
        length = number
        continue
      }
      for item in text.split(separator: ",", omittingEmptySubsequences: false).map({ $0.trimmingBlanks }) {
        guard !item.isEmpty, item.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(item)
        else {
          return .failure(.malformed("Content-Length: \(text)"))
        }
        if let length, length != number { return .failure(.unequalContentLengths) }
        length = number
      }
    }
    return .success(length)
  }
}

extension Substring {
  /// Without spaces and tabs around it.
  fileprivate var trimmingBlanks: String {
    var rest = self
    while let c = rest.first, c == " " || c == "\t" { rest.removeFirst() }
    while let c = rest.last, c == " " || c == "\t" { rest.removeLast() }
    return String(rest)
  }
}
