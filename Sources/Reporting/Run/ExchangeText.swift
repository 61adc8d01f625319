import SyncModel

/// Requests and replies for `--verbose`, in curl's style: `>` for sent, `<` for received.
enum ExchangeText {
  /// Whole lines; `name` is the target's, cleaned.
  static func render(_ note: ExchangeNote, _ name: String, _ secrets: SecretMask) -> String {
    switch note {
    case .request(let method, let url, let conditions):
      conditions.reduce("> \(CleanText.clean(method)) \(secrets.shown(url)) (\(name))\n") {
        $0 + ">   \(secrets.shown($1))\n"
      }
    case .response(let status, let url, let length):
      "< \(status) \(secrets.shown(url))\(length.map { ", \(Quantity.size($0))" } ?? "") (\(name))\n"
    case .redirect(let from, let to):
      "< redirect from \(secrets.shown(from)) to \(secrets.shown(to)) (\(name))\n"
    case .serverDigest(let told, let ofPart):
      "<   \(told.field.rawValue): \(told.algorithm.rawValue) \(told.digest)"
        + "\(ofPart ? " of this part" : "") (\(name))\n"
    case .ignoredDigest(let ignored):
      "<   \(ignored.field.rawValue) ignored: \(wording(ignored, secrets)) (\(name))\n"
    }
  }

  /// Why a digest field proves nothing, with its text.
  static func wording(_ ignored: IgnoredDigest, _ secrets: SecretMask) -> String {
    let text = secrets.shown(ignored.value)
    return switch ignored.reason {
    case .malformed: "\"\(text)\" is not a digest"
    case .unknownAlgorithm: "\"\(text)\" uses an unsupported algorithm"
    case .notOfFile: "\"\(text)\" is not a digest of the file's bytes"
    }
  }
}
