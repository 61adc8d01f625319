/// A published file with the digest of another file (contract, section 4).
package struct Sidecar: Sendable, Hashable {
  /// Which of its digests counts.
  package enum Choice: Sendable, Hashable {
    /// The line that names the file, or the only line.
    case ownName
    /// The one line whose name matches this pattern (`entry`).
    case entry(EntryPattern)
    /// The value at this place of a JSON document (`json`).
    case json(JSONPointer)
  }

  /// The address of the sidecar.
  package var url: SourceURL
  /// Which of its digests is meant.
  package var choice: Choice
  /// The required signature of the sidecar (`signed`); `nil` if none is required.
  package var signature: MinisignCheck?

  /// By default the line with the name of the target's own file is used, and no signature is required.
  package init(_ url: SourceURL, choice: Choice = .ownName, signature: MinisignCheck? = nil) {
    self.url = url
    self.choice = choice
    self.signature = signature
  }
}

/// A name with `*` (any bytes but a slash) and `?` (any one character but a slash).
///
/// A pattern with a slash is compared with the whole name, another one with the name's last part.
package struct EntryPattern: Sendable, Hashable {
  /// The pattern as written; compared byte by byte.
  package let text: ByteString

  /// Every text is a pattern; one without `*` and `?` matches one name.
  package init(_ text: String) { self.text = ByteString(text) }

  /// Whether it matches one name only: it has neither `*` nor `?`.
  package var isName: Bool { !text.text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") } }

  /// Tells whether a line with a name matches; a leading `./` is ignored on both sides.
  ///
  /// Nearly all of many names differ at their beginnings already.
  package var matcher: (String) -> Bool {
    let pattern = Array(text.text.withoutDotSlash.unicodeScalars)
    let isOfWholeName = pattern.contains("/")
    let beginning = pattern.prefix { $0 != "*" && $0 != "?" }
    return { name in
      let part = (isOfWholeName ? name.withoutDotSlash : name.lastPart).unicodeScalars
      return part.starts(with: beginning) && Self.matches(Array(part), pattern)
    }
  }

  /// Goes back to the last star only, so that no pattern takes more than the product of both lengths.
  private static func matches(_ name: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
    var (n, p) = (0, 0)
    var star: (pattern: Int, name: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == "*" {
        star = (p, n)
        p += 1
      } else if p < pattern.count, pattern[p] == name[n] || pattern[p] == "?" && name[n] != "/" {
        (n, p) = (n + 1, p + 1)
      } else if let last = star, name[last.name] != "/" {
        star = (last.pattern, last.name + 1)
        (n, p) = (last.name + 1, last.pattern + 1)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }
}
