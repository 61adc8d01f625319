import SyncModel

/// What a credential helper answers (Bazel's protocol).
struct HelperReply: Sendable, Equatable {
  /// Why an answer is of no use.
  struct Fault: Error { var text: String }

  /// From the start of a program to its end.
  static let longestTime = Duration.seconds(10)
  /// The same if it is asked for a cache, which may cost three seconds in all.
  static let longestTimeForCache = Duration.seconds(2)
  /// What says how to answer, and nothing of who asks.
  private static let openNames: Set = [
    "accept", "accept-encoding", "accept-language", "content-type", "user-agent",
  ]

  /// For requests to the host that was asked about.
  var headers: [RequestHeader] = []
  /// When the program must be asked again; `nil` for never.
  var expires: Timestamp?

  /// Reads `bytes`, a JSON object.
  init(_ bytes: [UInt8]) throws(Fault) {
    guard let answer = try? JSONValue(bytes) else { throw Fault(text: "it is not JSON") }
    guard case .object(let members) = answer else { throw Fault(text: "it is not a JSON object") }
    for member in members {
      switch member.key.text {
      case "headers": try take(headers: member.value)
      case "expires": try take(expires: member.value)
      default: break
      }
    }
  }

  /// What a program is asked.
  static func question(_ url: String) -> String {
    // A URL that was read has no control character.
    let text = url.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return "{\"uri\": \"\(text)\"}\n"
  }

  /// What must be masked: the values, and the last word of each, which is the token of `Bearer TOKEN`.
  var secrets: [String] {
    let values = headers.filter { !Self.isOpen($0.name.lowercased()) }.flatMap { header in
      [header.value, header.value.split(separator: " ").last.map { String($0) } ?? ""]
    }
    return SecretMask.maskable(values)
  }

  /// Whether a header's values are no secrets: texts that have them must stay readable.
  private static func isOpen(_ name: String) -> Bool {
    openNames.contains(name) || name.hasSuffix("-version")
  }

  private mutating func take(headers value: JSONValue) throws(Fault) {
    guard case .object(let members) = value else { throw Fault(text: "its \"headers\" are not an object") }
    for member in members {
      let name = member.key.text
      guard RequestHeader.isName(name), !RequestHeader.own.contains(name.lowercased()) else {
        throw Fault(text: "it has a header that cannot be set")
      }
      guard case .array(let values) = member.value else {
        throw Fault(text: "the value of the header \(name) is not a list")
      }
      for value in values {
        guard case .string(let text) = value,
          !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
        else { throw Fault(text: "the header \(name) has a value that cannot be sent") }
        headers.append(RequestHeader(name: name, value: text))
      }
    }
  }

  private mutating func take(expires value: JSONValue) throws(Fault) {
    guard case .string(let text) = value, let time = Timestamp(rfc3339: text) else {
      throw Fault(text: "its \"expires\" is not a time such as 2026-01-31T12:00:00Z")
    }
    expires = time
  }
}
