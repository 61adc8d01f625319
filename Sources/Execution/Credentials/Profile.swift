import SyncModel

/// What a file of the AWS tools says of one profile.
struct Profile {
  /// By lower-case names; `nil` if the file does not have the profile.
  private(set) var settings: [String: String]?

  /// Reads the lines `[NAME]` and `KEY = VALUE` of a file; with `isConfiguration` the section is `[profile NAME]`.
  ///
  /// What else is in the file is for other programs.
  init(_ name: String, in bytes: [UInt8], isConfiguration: Bool) {
    var isOfProfile = false
    // Of the first setting of the section: what is indented more belongs to the setting before it.
    var indent: Int?
    // Some editors begin a file with this mark.
    let lines = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    for line in lines.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
      let own = line.prefix { " \t".utf8.contains($0) }.count
      let content = line.dropFirst(own)
      if content.first == UInt8(ascii: "["), own <= indent ?? own {
        isOfProfile = Self.section(content, isConfiguration) == name
        if isOfProfile { settings = settings ?? [:] }
        indent = nil
      } else if isOfProfile, let equals = line.firstIndex(where: { "=:".utf8.contains($0) }),
        let first = content.first, !"#;".utf8.contains(first)
      {
        guard own <= indent ?? own else { continue }
        indent = own
        settings?[Self.text(line[..<equals]).lowercased()] = Self.text(line[(equals + 1)...])
      }
    }
  }

  /// A setting with a value.
  subscript(name: String) -> String? { settings?[name].flatMap { $0.isEmpty ? nil : $0 } }

  private static func section(_ line: ArraySlice<UInt8>, _ isConfiguration: Bool) -> String? {
    let words = text(line.dropFirst().prefix { $0 != UInt8(ascii: "]") })
    guard isConfiguration, words != "default" else { return words }
    guard words.hasPrefix("profile "), let name = CommandWords.split(words)?.last else { return nil }
    return name
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.trimmingWhiteSpace, as: UTF8.self)
  }
}

/// The words of a command line, as a shell would split it, without anything else that a shell does.
enum CommandWords {
  /// `nil` if a quotation mark is missing.
  static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var (word, quote, isEscaped): (String?, Unicode.Scalar?, Bool) = (nil, nil, false)
    for scalar in line.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        // Between double quotes a backslash is one, except before these two.
        if quote != nil, scalar != "\"", scalar != "\\" { word = (word ?? "") + "\\" }
        word = (word ?? "") + String(scalar)
        isEscaped = false
      case "\\" where quote != "'": isEscaped = true
      case _ where scalar == quote: quote = nil
      case "\"" where quote == nil, "'" where quote == nil: (quote, word) = (scalar, word ?? "")
      case " " where quote == nil, "\t" where quote == nil:
        if let whole = word { words.append(whole) }
        word = nil
      default: word = (word ?? "") + String(scalar)
      }
    }
    guard quote == nil, !isEscaped else { return nil }
    return words + (word.map { [$0] } ?? [])
  }
}
