import Foundation

/// Text with wildcards: some match within a line, one matches any lines.
struct TextPattern {
  /// `{{name}}` within a line, and its regular expression.
  static let wildcards = [
    "*": "[^\\n]*?", "NUMBER": "[0-9]+(?:\\.[0-9]+)?", "DURATION": "[0-9][0-9.]*(?:ms|s|m|h)[0-9.a-z]*",
    "TIME": "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]+)?Z", "HEX64": "[0-9a-f]{64}",
  ]
  /// On a line of its own it matches any number of lines.
  static let anyLines = "..."

  let text: String

  /// Whether all of `actual` matches.
  func matches(_ actual: String) -> Bool {
    guard text.contains("{{") else { return text == actual }
    let lines = text.components(separatedBy: "\n").enumerated().map { index, line in
      line == "{{\(Self.anyLines)}}" ? "(?:[^\\n]*\\n)*?" : (Self.expression(line) + "\\n")
    }
    return matchesWhole(lines.joined(), actual + "\n")
  }

  private static func expression(_ line: String) -> String {
    var result = ""
    var rest = line[...]
    while let open = rest.range(of: "{{"), let close = rest[open.upperBound...].range(of: "}}") {
      let name = String(rest[open.upperBound..<close.lowerBound])
      guard let wildcard = wildcards[name] else { break }
      result += NSRegularExpression.escapedPattern(for: String(rest[..<open.lowerBound])) + wildcard
      rest = rest[close.upperBound...]
    }
    return result + NSRegularExpression.escapedPattern(for: String(rest))
  }

  /// The differences, line by line: `-` expected, `+` actual.
  func difference(from actual: String) -> String {
    let wanted = text.components(separatedBy: "\n")
    let found = actual.components(separatedBy: "\n")
    let changes = found.difference(from: wanted) { $0 == $1 || TextPattern(text: $0).matches($1) }
    var lines = found.map { "    \($0)" }
    var removed: [Int: [String]] = [:]
    for case .insert(let offset, _, _) in changes { lines[offset] = "  + \(found[offset])" }
    for case .remove(let offset, let element, _) in changes {
      removed[min(offset, lines.count), default: []].append("  - \(element)")
    }
    var all: [String] = []
    for place in 0...lines.count {
      all += removed[place, default: []]
      if place < lines.count { all.append(lines[place]) }
    }
    return all.joined(separator: "\n")
  }
}

/// Whether the regular expression matches all of the text.
func matchesWhole(_ expression: String, _ text: String) -> Bool {
  guard let regex = try? NSRegularExpression(pattern: "\\A(?:\(expression))\\z") else { return false }
  return regex.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
}
