import Foundation

/// A JSON document that can be compared and searched.
enum JSONValue: Equatable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// `nil` if the text is not exactly one JSON value.
  init?(_ text: String) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { return nil }
    self = value
  }

  /// Whether it matches `other`, in which strings may contain wildcards, and `"{{*}}"` alone matches anything.
  func looksLike(_ pattern: JSONValue) -> Bool {
    switch (self, pattern) {
    case (_, .string("{{*}}")): true
    case (.string(let text), .string(let wanted)): TextPattern(text: wanted).matches(text)
    case (.array(let found), .array(let wanted)):
      found.count == wanted.count && zip(found, wanted).allSatisfy { $0.looksLike($1) }
    case (.object(let found), .object(let wanted)):
      found.count == wanted.count && wanted.allSatisfy { found[$0.key]?.looksLike($0.value) ?? false }
    default: self == pattern
    }
  }

  /// The value at `.targets[0].name` or `.targets[name=genes]`; `nil` if there is none.
  subscript(path: String) -> JSONValue? {
    var value = self
    for part in Self.parts(of: path) {
      guard let next = value.child(part) else { return nil }
      value = next
    }
    return value
  }

  private func child(_ part: String) -> JSONValue? {
    switch self {
    case .object(let members): return members[part]
    case .array(let elements):
      if let index = Int(part) { return elements.indices.contains(index) ? elements[index] : nil }
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { return nil }
      return elements.first { $0.child(pair[0]) == .string(pair[1]) }
    default: return nil
    }
  }

  /// Dots inside brackets belong to names.
  private static func parts(of path: String) -> [String] {
    var parts: [String] = []
    var part = ""
    var isBracketed = false
    for character in path {
      switch character {
      case "." where isBracketed: part.append(character)
      case "[", "]", ".":
        if !part.isEmpty { parts.append(part) }
        part = ""
        isBracketed = character == "["
      default: part.append(character)
      }
    }
    return part.isEmpty ? parts : parts + [part]
  }

  /// Indented, keys sorted.
  var text: String { text(indent: "") }

  private func text(indent: String) -> String {
    let inner = indent + "  "
    switch self {
    case .null: return "null"
    case .bool(let value): return String(value)
    case .number(let value):
      return value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    case .string(let value): return "\"\(value.replacingOccurrences(of: "\"", with: "\\\""))\""
    case .array(let elements):
      if elements.isEmpty { return "[]" }
      return "[\n" + elements.map { inner + $0.text(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members):
      if members.isEmpty { return "{}" }
      let lines = members.sorted { $0.key < $1.key }.map {
        "\(inner)\"\($0.key)\": \($0.value.text(indent: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    }
  }
}
