package import SyncModel

/// The digests in a reply and in the redirects to it, and what they cover (contract, section 5).
package struct ServerDigests: Sendable, Equatable {
  /// The digests of the whole downloaded file, in the order in which they came.
  package private(set) var ofFile: [ServerDigest] = []
  /// The digests of the part of it in a 206.
  package private(set) var ofPart: [ServerDigest] = []
  /// Fields and items that prove nothing.
  package private(set) var ignored: [IgnoredDigest] = []
  /// Whether a reply with the body would have a digest that this one, to HEAD, cannot have.
  package private(set) var bodyTellsMore = false

  /// None.
  package init() {}

  /// The digests of a reply to `method`; a reply that is not a file, such as a 304, has none.
  package init(_ head: ResponseHead, method: ExchangeRequest.Method) {
    guard !head.digestFields.isEmpty, [200, 203, 206].contains(head.status) else { return }
    for field in head.digestFields { add(field, head, method) }
  }

  /// Whether the reply has no digest field at all, not even one that proves nothing.
  package var isEmpty: Bool { ofFile.isEmpty && ofPart.isEmpty && ignored.isEmpty }

  private mutating func add(_ field: DigestField, _ head: ResponseHead, _ method: ExchangeRequest.Method) {
    let covers = Self.covers(field, head.status)
    guard let covers else { return }
    let reading = DigestReading(field.name, field.value)
    ignored += reading.ignored
    guard !reading.digests.isEmpty else { return }
    if Self.isOfOtherBytes(field, head) {
      return ignored.append(IgnoredDigest(field.name, field.value, .notOfFile))
    }
    // RFC 9530, section 2: a reply to HEAD has no content, whatever the file is.
    if field.name == .content, method == .head, !field.isOfRedirect {
      bodyTellsMore = true
      return
    }
    switch covers {
    case .file: for digest in reading.digests where !ofFile.contains(digest) { ofFile.append(digest) }
    case .part: for digest in reading.digests where !ofPart.contains(digest) { ofPart.append(digest) }
    }
  }

  private enum Coverage { case file, part }

  /// `nil` for a field that does not concern the file here.
  private static func covers(_ field: DigestField, _ status: Int) -> Coverage? {
    if field.isOfRedirect {
      return switch field.name {
      case .representation, .linkedETag, .checksumSHA256, .checksumSHA1, .checksumMD5: .file
      default: nil
      }
    }
    guard status == 206 else { return .file }
    return switch field.name {
    case .representation: .file
    case .content, .contentMD5: .part
    default: nil
    }
  }

  /// Whether another field says that the digest belongs to other bytes than the sent ones.
  private static func isOfOtherBytes(_ field: DigestField, _ head: ResponseHead) -> Bool {
    func value(_ name: DigestField.Name) -> String? {
      head.digestFields.first { $0.name == name && $0.isOfRedirect == field.isOfRedirect }?.value.lowercased()
    }
    switch field.name {
    case .amazonSHA256: return value(.amazonType) == "composite"
    // Google decompresses a stored gzip file for a client that does not accept gzip, and sends the compressed
    // file's hash.
    case .googleHash: return value(.googleStoredEncoding) == "gzip" && head.contentEncoding == nil
    default: return false
    }
  }

  /// What is reported of them: those of the file, those of a part, and those that are ignored.
  package var notes: [ExchangeNote] {
    guard !isEmpty else { return [] }
    return ofFile.map { .serverDigest($0, ofPart: false) } + ofPart.map { .serverDigest($0, ofPart: true) }
      + ignored.map { .ignoredDigest($0) }
  }

  // MARK: What they prove

  /// The first one that equals a digest of `recorded`; `nil` also if another one contradicts it.
  func confirming(_ recorded: ContentIdentity) -> ServerDigest? {
    guard contradicting(recorded) == nil else { return nil }
    return ofFile.first { recorded.digest($0.algorithm) == $0.digest }
  }

  /// The first one that is not the digest of `identity`; `nil` if none is known to be another.
  func contradicting(_ identity: ContentIdentity) -> ServerDigest? {
    ofFile.first { told in identity.digest(told.algorithm).map { $0 != told.digest } ?? false }
  }
}

/// The server's digests that a body must match, from all replies with a part of it.
package struct AnnouncedDigests: Sendable, Equatable {
  /// The digests of the whole body.
  package private(set) var ofFile: [ServerDigest] = []
  /// The digests of the last reply's bytes, if these are a part.
  package private(set) var ofPart: [ServerDigest] = []

  /// None.
  package init() {}

  /// The digests that came with an earlier run's part of the body.
  package init(ofFile: [ServerDigest]) { self.ofFile = ofFile }

  /// The result for a body or its part.
  package enum Judgement: Sendable, Equatable {
    /// No digest was announced that was taken.
    case unknown
    /// Every digest that was announced and taken is the body's: it is whole.
    case matches
    /// This announced digest is another one than the body's, `actual`.
    case differs(ServerDigest, actual: HexDigest)
  }

  /// To be taken of the whole body.
  package var algorithms: Set<DigestAlgorithm> { Set(ofFile.map(\.algorithm)) }
  /// The digests to compute for the part in the last reply.
  package var partAlgorithms: Set<DigestAlgorithm> { Set(ofPart.map(\.algorithm)) }
  /// Whether no digest was announced that was taken.
  package var isEmpty: Bool { ofFile.isEmpty && ofPart.isEmpty }

  /// A reply brings the body from its start.
  mutating func begin(_ digests: ServerDigests) {
    ofFile = digests.ofFile
    ofPart = digests.ofPart
  }

  /// A reply brings the rest: the earlier digests of the file are still valid.
  mutating func goOn(_ digests: ServerDigests) {
    for digest in digests.ofFile where !ofFile.contains(digest) { ofFile.append(digest) }
    ofPart = digests.ofPart
  }

  /// Judges a complete body; `part` has the digests of the last reply's bytes, if they were computed.
  ///
  /// If fields contradict each other, the one that differs from the body is named.
  package func judge(_ body: ContentIdentity, part: [DigestAlgorithm: HexDigest] = [:]) -> Judgement {
    var result = Judgement.unknown
    for told in ofFile {
      guard let actual = body.digest(told.algorithm) else { continue }
      if actual != told.digest { return .differs(told, actual: actual) }
      result = .matches
    }
    for told in ofPart {
      guard let actual = part[told.algorithm] else { continue }
      if actual != told.digest { return .differs(told, actual: actual) }
      result = .matches
    }
    return result
  }
}
