import SyncModel

/// A key whose colon has no blank behind it, such as `url:https://example.org`: YAML takes it for one word.
enum KeyWithoutBlank {
  /// Whether the text, perhaps after the dash of a list, begins with one.
  static func begins(_ text: String) -> Bool {
    let bytes = text.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
    let word = bytes.prefix { $0 == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    let rest = bytes.dropFirst(word.count)
    guard !word.isEmpty, rest.first == UInt8(ascii: ":"), let next = rest.dropFirst().first else {
      return false
    }
    // `https://…` is an address.
    return next != UInt8(ascii: " ") && next != UInt8(ascii: "\t") && !rest.starts(with: "://".utf8)
  }

  /// `nil` for a line that the message shows.
  static func hint(line: Int? = nil) -> String {
    "write a blank behind the colon of a key\(line.map { " (line \($0))" } ?? ""), on a line of its own or in { }"
  }
}
