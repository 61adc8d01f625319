import SyncModel
import Testing

@Suite struct `A text from a list` {
  @Test(arguments: [
    ("com.apple.AppKit", "com.apple.AppKit"), ("a b", "a_b"), ("tag:x,2024:1", "tag_x_2024_1"), ("日本", "__"),
    ("e\u{301}", "e_"), ("é", "_"), ("a/b+c-d.e_f", "a/b+c-d.e_f"), ("${x}", "__x_"), ("a\r\nb", "a__b"),
    ("", ""),
  ])
  func `is a part of a name`(text: String, name: String) { #expect(ListedName.part(text) == name) }

  @Test(arguments: [("-x", "_x"), (".x", "_x"), ("/x", "_x"), ("+", "_"), ("x", "x"), ("_x", "_x"), ("", "")])
  func `may begin a name`(text: String, name: String) { #expect(ListedName.whole(text) == name) }

  @Test func `makes valid names of anything`() {
    for scalar in (0...0x2ff).compactMap(Unicode.Scalar.init) {
      #expect(TargetName.isValid(ListedName.whole(ListedName.part(String(scalar) + "x"))), "\(scalar.value)")
    }
  }

  @Test(arguments: ["a", "a.b", "a b", "日本", "a..b", "x-", "a\\b", String(repeating: "a", count: 255)])
  func `is a part of an output`(text: String) throws {
    try ListedPath.check(text, tree: false)
    try ListedPath.check("x/" + text + "/y", tree: true)
  }

  @Test(arguments: [
    ("", ListedPath.Fault.emptyPart), ("..", .parent), (".", .leadingDot), (".git", .leadingDot),
    ("-rf", .leadingDash), ("a\nb", .control(10)), ("a\u{0}", .control(0)), ("\u{7f}", .control(0x7f)),
    ("a\u{85}", .control(0x85)), ("a\u{202e}b", .bidirectional(0x202e)), ("\u{2066}", .bidirectional(0x2066)),
    ("a\u{200f}", .bidirectional(0x200f)), (String(repeating: "a", count: 256), .tooLong(256)),
    (String(repeating: "é", count: 128), .tooLong(256)),
  ])
  func `is refused as a part of an output`(text: String, fault: ListedPath.Fault) {
    #expect(throws: fault) { try ListedPath.check(text, tree: false) }
    #expect(throws: fault) { try ListedPath.check("x/" + text, tree: true) }
  }

  @Test(arguments: [
    ("/a", ListedPath.Fault.emptyPart), ("a/", .emptyPart), ("a//b", .emptyPart), ("a/../b", .parent),
  ])
  func `has no empty part and no way out`(text: String, fault: ListedPath.Fault) {
    #expect(throws: fault) { try ListedPath.check(text, tree: true) }
    #expect(throws: fault) { try ListedPath.check(text, tree: false) }
  }

  @Test func `has a slash only in a tree`() throws {
    #expect(throws: ListedPath.Fault.slash) { try ListedPath.check("a/b", tree: false) }
    try ListedPath.check("a/b", tree: true)
  }
}
