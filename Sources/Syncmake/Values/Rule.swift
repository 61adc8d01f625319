/// How to tell that a file is stale.
public struct Rule: Sendable, Equatable {
  /// As a manifest has it after `freshness:`.
  let text: String

  /// The server confirms the recorded ETag or, if it sends none, the recorded Last-Modified: the default.
  public static let etag = Rule(text: "etag")
  /// Last-Modified equals the recorded one, as with `wget -N`; the file's time is set to it.
  public static let modificationTime = Rule(text: "mtime")
  /// It is fresh if it exists.
  public static let once = Rule(text: "once")
  /// It is never fresh.
  public static let always = Rule(text: "always")

  /// The local bytes have that digest, which downloaded bytes must have, too.
  public static func digest(_ digest: Digest, of bytes: Coverage = .download) -> Rule {
    Rule(text: "{\(digest.text)\(bytes == .output ? ", of: output" : "")}")
  }

  /// It is fresh for this time after each successful check; then the other rule decides.
  public static func interval(_ time: Duration, then rule: Rule = .etag) -> Rule {
    Rule(text: "{interval: \(Written.duration(time)), then: \(rule.text)}")
  }

  /// Which bytes a digest covers.
  public enum Coverage: Sendable {
    /// Those that the server sends.
    case download
    /// Those of the file after all steps.
    case output
  }
}
