/// Words of a command line, as a person can paste them into a shell.
package enum ShellText {
  /// Each word with a space before it, in single quotes where a shell would read it otherwise.
  package static func words(_ words: [String]) -> String {
    words.map { " " + quoted($0) }.joined()
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || "_-./+:@%,=".utf8.contains(byte)
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.with("'\\''", for: "'") + "'"
  }
}
