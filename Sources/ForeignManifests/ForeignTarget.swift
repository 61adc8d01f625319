import ManifestParsing
import SyncModel

/// One download of a foreign file, in that file's own words: a dollar sign is a dollar sign, a secret is a secret.
struct ForeignTarget {
  /// Where the foreign file has it.
  var line: Int
  /// Mirrors of one file; never empty.
  var urls: [String]
  /// Whether ``urls`` is one path below an address that the foreign file does not name.
  var isBelowBase = false
  /// What the target's name is made of; `nil` for the output's or the URL's last part.
  var name: String?
  /// With a slash at its end, a folder. `nil` for the URL's last part, in ``folder``.
  var output: String?
  /// Empty for the manifest's own.
  var folder = ""
  /// As it is written after `freshness:`.
  var freshness: String?
  /// As they are written after the `-`.
  var steps: [String] = []
  var headers: [(name: String, value: String, line: Int)] = []
  var user: String?
  var password: String?
  var retries: String?
  var mode: String?
  /// What is not converted, with the reason and the line of its key.
  private(set) var remarks: [(line: Int, text: String)] = []
  /// Why it would not make what the foreign file wants, so that it can only be shown, with the line of the key that
  /// wants it; `nil` if it does.
  var refusal: (line: Int, why: String)?

  /// Adds a remark; `line` is that of the key that it is about, `nil` for the target's own.
  mutating func remark(_ text: String, line: Int? = nil) { remarks.append((line ?? self.line, text)) }

  /// Adds a step that verifies a digest, or a remark if there is none for this algorithm.
  mutating func verify(_ algorithm: String, _ digest: String, line: Int? = nil) {
    let name = algorithm.lowercased().with("", for: "-")
    guard let known = DigestAlgorithm(rawValue: name) else {
      remark(
        "the digest by \(Shown.quoted(algorithm)): syncmake verifies md5, sha1, sha256 and sha512", line: line
      )
      return
    }
    let value = HexDigest(hex: digest) == nil ? YAMLText.quoted(Literal.text(digest)) : digest
    steps.append("verify: {\(known.rawValue): \(value)}")
  }

  /// Adds a step that verifies the size in bytes.
  mutating func verify(size: String) {
    let value = Int64(size) == nil ? YAMLText.quoted(Literal.text(size)) : size
    steps.append("verify: {size: \(value)}")
  }
}

/// Foreign text as a manifest writes it.
enum Literal {
  /// A manifest takes a dollar sign for the beginning of a variable.
  static func text(_ text: String) -> String { text.with("$$", for: "$") }

  /// A list in brackets.
  static func list(_ texts: [String]) -> String {
    "[\(texts.map { YAMLText.quoted(Self.text($0)) }.joined(separator: ", "))]"
  }
}
