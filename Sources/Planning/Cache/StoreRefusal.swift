package import SyncModel

/// What a store that speaks S3 says of a request that it does not do; its words say more than the status.
package struct StoreRefusal: Sendable {
  /// More than any store needs until it has said why.
  private static let longest = 8192
  private static let longestCode = 64
  private let status: Int
  private var bytes: [UInt8] = []

  /// `nil` if the reply is none, or has nothing to say.
  package init?(_ head: ResponseHead) {
    guard head.status >= 300, head.status != 304, head.status != 410 else { return nil }
    status = head.status
  }

  /// Takes a piece of the reply's body; returns whether more is wanted: a connection is used again after the end of a reply.
  package mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    unsafe bytes += piece.prefix(Self.longest - bytes.count)
    return bytes.count < Self.longest
  }

  /// What is wrong; `nil` if only what was asked for is not there.
  package var fault: RemoteCacheFault? {
    guard let code else { return status == 404 ? nil : .status(status) }
    return status == 404 && code != "NoSuchBucket" ? nil : .refused(status: status, code: code)
  }

  /// The text of the element `Code`, if it is a word.
  private var code: String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let begin = text.firstPlace(of: "<Code>"),
      let end = text[begin.upperBound...].utf8.firstIndex(of: 0x3c)
    else { return nil }
    let word = text[begin.upperBound..<end]
    let isWord = word.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == 0x2e
    }
    return isWord && !word.isEmpty && word.utf8.count <= Self.longestCode ? String(word) : nil
  }
}
