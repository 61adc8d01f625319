import SyncModel
import Testing

@Suite struct `A version pattern` {
  @Test(arguments: [
    (
      "ripgrep-${v}-x86_64-unknown-linux-musl.tar.gz", "ripgrep-14.1.1-x86_64-unknown-linux-musl.tar.gz",
      "14.1.1"
    ),
    ("tool-${v}.zip", "tool-1.0-rc.1.zip", "1.0-rc.1"),
    ("${v}", "2024b", "2024b"),
    ("tool-v${v}.zip", "tool-v2.zip", "2"),
    ("tool-${v}-linux*.zip", "tool-1.2-linux-x64.zip", "1.2"),
    ("tool-${v}-??.zip", "tool-1.2-x1.zip", "1.2"),
    ("tool-${v}.[tz]*", "tool-1.2.3.tar.gz", "1.2.3"),
    ("*-${v}.tar.gz", "my-tool-1.2-3.tar.gz", "1.2-3"),
    ("*-${v}.tar.gz", "my-tool-v1.2.tar.gz", "v1.2"),
    ("*-${v}.tar.gz", "my-tool-nightly.tar.gz", "tool-nightly"),
    ("\\*${v}\\?", "*7?", "7"),
    ("é${v}?", "é1ü", "1"),
    ("$${v}", "$5", "5"),
  ])
  func `captures the version`(pattern: String, name: String, version: String) throws {
    #expect(try VersionPattern(pattern).version(in: name) == version)
  }

  @Test(arguments: [
    ("tool-${v}.zip", "tool-.zip"), ("tool-${v}.zip", "tool-1.0.tar"), ("tool-${v}.zip", "Tool-1.0.zip"),
    ("tool-${v}.zip", "a-tool-1.0.zip"), ("${v}", ""), ("a${v}?", "a1"), ("ab${v}b", "ab"), ("?${v}", "ü"),
  ])
  func `does not match`(pattern: String, name: String) throws {
    #expect(try VersionPattern(pattern).version(in: name) == nil)
  }

  @Test func `never cuts a character`() throws {
    #expect(try VersionPattern("?${v}?").version(in: "äöü") == "ö")
    #expect(try VersionPattern("*${v}*").version(in: "ü") == "ü")
  }

  @Test(arguments: [
    ("tool.zip", VersionPattern.Fault.noVersion), ("", .noVersion), ("$v", .noVersion),
    ("${v}-${v}", .severalVersions), ("a/${v}", .slash), ("[a-${v}", .pattern(.openBracket)),
    ("${v}\\", .pattern(.openEscape)), ("${v}\u{1}", .pattern(.control)),
  ])
  func `has faults`(pattern: String, fault: VersionPattern.Fault) {
    #expect(throws: fault) { try VersionPattern(pattern) }
  }

  @Test func `takes no more than the product of both lengths`() throws {
    let pattern = try VersionPattern(
      String(repeating: "*a", count: 200) + "${v}" + String(repeating: "b*", count: 200))
    #expect(pattern.version(in: String(repeating: "a", count: 5000)) == nil)
  }
}
