import LocalFiles
import Planning
import SyncModel

extension Target {
  /// The URL to ask first, where nothing but its reply is needed: every digest is known, and nothing is unpacked; else
  /// `nil`.
  var plainURL: String? {
    guard case .urls(let mirrors) = source, case .web(let url)? = mirrors.first else { return nil }
    if case .digest(let rule)? = freshness?.innermost {
      guard case .literal = rule.expected else { return nil }
    }
    for step in steps {
      switch step {
      case .verifySize, .verifyDigest(_, .literal): continue
      case .decompress, .verifyDigest, .verifyMinisign: return nil
      }
    }
    return url
  }

  /// Whether these bytes are what it demands. Whether a demand speaks of the download or of the output makes no
  /// difference, since nothing is unpacked; a digest that `content` lacks does not fit. May be stricter than the ordinary
  /// way, which has the last word on what does not pass, but never laxer.
  func plainlyAccepts(_ content: ContentIdentity) -> Bool {
    if let (algorithm, digest) = ruleDigest, content.digest(algorithm) != digest { return false }
    for step in steps {
      switch step {
      case .verifyDigest(let algorithm, .literal(let digest)):
        if content.digest(algorithm) != digest { return false }
      case .verifySize(let size):
        if content.size != size { return false }
      case .verifyDigest, .verifyMinisign, .decompress: return false
      }
    }
    return true
  }

  /// Whether ``plainlyAccepts(_:)`` needs the digest by `algorithm`.
  func plainlyWants(_ algorithm: DigestAlgorithm) -> Bool {
    if ruleDigest?.algorithm == algorithm { return true }
    return steps.contains { if case .verifyDigest(algorithm, _) = $0 { true } else { false } }
  }

  private var ruleDigest: (algorithm: DigestAlgorithm, digest: HexDigest)? {
    guard case .digest(let rule)? = freshness?.innermost, case .literal(let digest) = rule.expected else {
      return nil
    }
    return (rule.algorithm, digest)
  }

  /// Whether nothing but validators tells that it is fresh.
  var livesByValidators: Bool { freshness?.innermost == .etag || freshness?.innermost == .mtime }

  /// The output's time where it bears its source's: under `mtime` (contract, section 3).
  func modifiedTime(_ observed: Validators?) -> Timestamp? {
    guard freshness?.innermost == .mtime, let observed else { return nil }
    if let text = observed.lastModified { return HTTPDate.parse(text, now: SystemClock.now()) }
    return observed.sourceTime
  }
}
