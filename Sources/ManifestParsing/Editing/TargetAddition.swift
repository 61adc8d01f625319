package import SyncModel

/// A target to be written into a manifest, in the manifest's own words.
package struct TargetAddition: Sendable {
  /// The new target's key under `targets`; the caller has checked that it is valid and not used yet.
  package var name: String
  /// May contain variables.
  package var url: String
  /// Further URLs of the same file, tried in this order after ``url``.
  package var mirrors: [String] = []
  /// Another target, whose output is taken instead of ``url``.
  package var from: String?
  /// What the list at ``url`` is, each of whose entries makes a target; `nil` for one file.
  package var list: ListFormat?
  /// As the manifest is to have it; `nil` leaves it to be named after the URL.
  package var output: String?
  /// One line, as it is written after `freshness:`.
  package var freshness: String?
  /// Each is one line, as it is written after the `-`.
  package var steps: [String] = []
  /// Names of targets, in this order; the key is omitted if there are none.
  package var needs: [String] = []
  /// In this order; the key is omitted if there are none.
  package var tags: [String] = []
  /// In this order, may contain variables; the key is omitted if there are none.
  package var headers: [(name: String, value: String)] = []
  /// One line, as it is written after `auth:`.
  package var auth: String?
  /// One line, as it is written after `retries:`.
  package var retries: String?
  /// In octal digits.
  package var mode: String?
  /// Further lines, each a key with its value.
  package var others: [String] = []

  /// A target with the default rule and no further keys; the other fields add keys.
  package init(name: String, url: String) {
    self.name = name
    self.url = url
  }

  /// Whether the manifest would contain, and print, the value of one of these secrets.
  package func holdsSecret(of secrets: SecretMask) -> Bool {
    lines.contains { secrets.mask($0.text) != $0.text }
  }

  /// Those of ``headers`` that are secrets and are written out, at least in part, not named by variables.
  package var writtenSecrets: [(name: String, value: String)] {
    headers.filter { header in
      guard SecretWords.isSecret(header: header.name) else { return false }
      let segments = (try? Template(header.value))?.segments ?? [.literal(header.value)]
      return Self.areWritten(segments)
    }
  }

  /// What stands before a credential in a header.
  private static let schemes: Set<String> = ["bearer", "basic", "token", "digest", "apikey"]

  /// Whether they have more than a scheme and names such as `id=`, also in what is used for an unset variable; what is
  /// around a `${secret:}` is no secret.
  private static func areWritten(_ segments: [Template.Segment]) -> Bool {
    var isWritten = false
    for (place, segment) in segments.enumerated() {
      switch segment {
      case .secret, .secretFile: return false
      case .literal(let text):
        let words = text.split(separator: " ").filter { !schemes.contains($0.lowercased()) }
        let isName = words.count == 1 && text.utf8.last == UInt8(ascii: "=") && place + 1 < segments.count
        if !words.isEmpty, !isName { isWritten = true }
      case .environment(_, let fallback?, _): if areWritten(fallback) { isWritten = true }
      case .variable, .environment: break
      }
    }
    return isWritten
  }

  /// One line, and its depth below the target's name.
  struct Line: Equatable {
    var level: Int
    var text: String
  }

  /// The name, and below it its keys in the documentation's order.
  var lines: [Line] {
    let key = Self.scalar(name)
    // libyaml takes no key of more than 1,024 characters in the usual form.
    var lines = (key.utf8.count < 1_000 ? ["\(key):"] : ["? \(key)", ":"]).map { Line(level: 0, text: $0) }
    func add(_ text: String, _ level: Int = 1) { lines.append(Line(level: level, text: text)) }
    if let from {
      add("from: \(Self.scalar(from))")
    } else if let list {
      let isPlain = Self.isPlain(url, besides: "/.:+-~%=&?;@")
      add("list: {url: \(isPlain ? url : YAMLText.quoted(url)), format: \(list.rawValue)}")
    } else {
      add(mirrors.isEmpty ? "url: \(Self.scalar(url))" : "url:")
    }
    if !mirrors.isEmpty, from == nil { for url in [url] + mirrors { add("- \(Self.scalar(url))", 2) } }
    if let output { add("output: \(Self.scalar(output))") }
    if let freshness { add("freshness: \(freshness)") }
    if !steps.isEmpty { add("steps:") }
    for step in steps { add("- \(step)", 2) }
    if !needs.isEmpty { add("needs: \(Self.list(needs))") }
    if !tags.isEmpty { add("tags: \(Self.list(tags))") }
    if !headers.isEmpty { add("headers:") }
    for header in headers { add("\(Self.scalar(header.name)): \(Self.scalar(header.value))", 2) }
    if let auth { add("auth: \(auth)") }
    if let retries { add("retries: \(retries)") }
    if let mode { add("mode: \(YAMLText.quoted(mode))") }
    for other in others { add(other) }
    return lines
  }

  /// The lines, each with its indentation below `targets`, in a manifest that is indented by two columns.
  package var text: [String] { lines.map { Self.indentation($0) + $0.text } }

  /// Adds the lines of ``text`` to a manifest, each with a line end.
  package func append(to manifest: inout String) {
    for line in lines {
      manifest += Self.indentation(line)
      manifest += line.text
      manifest += "\n"
    }
  }

  private static func indentation(_ line: Line) -> String {
    String(repeating: " ", count: 2 + 2 * line.level)
  }

  /// The target as one entry of a mapping in braces.
  package var inBraces: String {
    var fields: [String] = []
    var rest = lines.drop { $0.level == 0 }
    while let line = rest.popFirst() {
      let inner = rest.prefix { $0.level > line.level }.map(\.text)
      rest = rest.dropFirst(inner.count)
      guard inner.isEmpty else {
        let isList = inner.allSatisfy { $0.hasPrefix("- ") }
        let items = inner.map {
          isList ? Self.inBraces(item: String($0.dropFirst(2))) : Self.inBraces(field: $0)
        }
        let joined = items.joined(separator: ", ")
        fields.append("\(line.text) \(isList ? "[\(joined)]" : "{\(joined)}")")
        continue
      }
      fields.append(Self.inBraces(field: line.text))
    }
    return "\(Self.inBraces(value: Self.scalar(name))): {\(fields.joined(separator: ", "))}"
  }

  private static func inBraces(item: String) -> String {
    item.holds(": ") ? "{\(inBraces(field: item))}" : inBraces(value: item)
  }

  /// `key: value`, whose value would otherwise end at a comma.
  private static func inBraces(field: String) -> String {
    guard let place = field.firstPlace(of: ": ") else { return field }
    return field[..<place.upperBound] + inBraces(value: String(field[place.upperBound...]))
  }

  /// A plain scalar gets quotes if it has a sign that means something in braces.
  private static func inBraces(value: String) -> String {
    guard let first = value.utf8.first, !"{[\"".utf8.contains(first) else { return value }
    let isSafe = value.utf8.allSatisfy { isWord($0) || "/.+-".utf8.contains($0) }
    return isSafe ? value : YAMLText.quoted(value)
  }

  /// Whether a target cannot have this header, since syncmake sets it itself.
  package static func isOwnHeader(_ name: String) -> Bool {
    RequestHeader.own.contains(name.lowercased())
  }

  private static func list(_ values: [String]) -> String {
    let items = values.map { isPlain($0, besides: "/.+-") ? $0 : YAMLText.quoted($0) }
    return "[\(items.joined(separator: ", "))]"
  }

  /// Without quotes if every YAML reader takes it for the same text.
  static func scalar(_ text: String) -> String {
    isPlain(text, besides: "/.:+-~%=&?;@,${}") ? text : YAMLText.quoted(text)
  }

  private static func isPlain(_ text: String, besides others: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, isWord(first) || first == UInt8(ascii: "$"),
      bytes.last != UInt8(ascii: ":"), !isNumberOrWord(text)
    else { return false }
    return bytes.allSatisfy { isWord($0) || others.utf8.contains($0) }
  }

  private static func isWord(_ c: UInt8) -> Bool {
    (0x30...0x39).contains(c) || (0x41...0x5A).contains(c) || (0x61...0x7A).contains(c)
      || c == UInt8(ascii: "_")
  }

  /// Text that some readers take for a number, a date, a truth value or null.
  private static func isNumberOrWord(_ text: String) -> Bool {
    let words = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
    if text.utf8.count <= 5, words.contains(text.lowercased()) { return true }
    guard let first = text.utf8.first, (0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { "0123456789.:_+-xXoabcdefABCDEFTZ".utf8.contains($0) }
  }
}
