/// A minisign public key: an Ed25519 key and the number that signatures name it by.
package struct MinisignKey: Sendable, Hashable {
  /// Why a text is not a public key.
  package enum Fault: Error, Sendable, Equatable {
    /// The text is not Base64.
    case notBase64
    /// The text has `actual` bytes.
    case wrongLength(actual: Int)
    /// The key is of another kind: it does not begin with the bytes `Ed`.
    case wrongAlgorithm
  }

  /// As the manifest has it: 56 characters of base64.
  package let text: String
  /// Eight bytes.
  package let number: [UInt8]
  /// The Ed25519 key: 32 bytes.
  package let bytes: [UInt8]

  /// Reads the second line of a `.pub` file.
  package init(_ text: String) throws(Fault) {
    guard let decoded = Base64.decode(text.utf8) else { throw .notBase64 }
    guard decoded.count == 42 else { throw .wrongLength(actual: decoded.count) }
    guard decoded.starts(with: "Ed".utf8) else { throw .wrongAlgorithm }
    self.text = text
    number = Array(decoded[2..<10])
    bytes = Array(decoded[10...])
  }

  /// The number as minisign prints it.
  package var shownNumber: String { Self.shown(number) }

  /// Eight bytes as minisign prints a key's number: the last byte first.
  static func shown(_ number: [UInt8]) -> String { HexDigest(bytes: number.reversed()).text.uppercased() }
}

/// A required signature: its key, and its place (`minisign`).
package struct MinisignCheck: Sendable, Hashable {
  /// The public key that must have signed.
  package var key: MinisignKey
  /// The signature's addresses, tried in order. One, unless it was made from a target's mirrors; never empty.
  package var urls: [SourceURL]

  /// `urls` must not be empty.
  package init(key: MinisignKey, urls: [SourceURL]) {
    self.key = key
    self.urls = urls
  }

  /// The ending of a signature's name, if the manifest gives no `url`.
  package static let suffix = ".minisig"
}

extension SourceURL {
  /// The address of the minisign signature beside this file; `nil` for a URL with a query, which may mean anything.
  package var minisignature: SourceURL? {
    switch self {
    case .web(let url): url.utf8.contains(UInt8(ascii: "?")) ? nil : .web(url + MinisignCheck.suffix)
    case .file(let path, let written):
      .file(path: path + MinisignCheck.suffix, written: written + MinisignCheck.suffix)
    }
  }
}
