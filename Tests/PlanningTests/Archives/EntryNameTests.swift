import Planning
import SyncModel
import Testing

@Suite struct EntryNameTests {
  private func text(_ name: EntryName) -> String {
    name.parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|")
  }

  @Test(
    arguments: [
      ("a", "a"), ("a/b", "a|b"), ("./a//b/", "a|b"), ("./", ""), ("a/./b", "a|b"), ("...", "..."),
      ("..a/b..", "..a|b.."),
      ("a\\b", "a\\b"), ("c:/x", "c:|x"), ("é/日", "é|日"), (" a ", " a "),
    ])
  func `these names are safe in a tar`(name: String, parts: String) throws {
    #expect(try text(EntryName(Array(name.utf8), isWindows: false)) == parts)
  }

  @Test func `bytes that are not UTF-8 are kept`() throws {
    #expect(
      try EntryName([0x61, 0xff, 0x2f, 0xfe], isWindows: false).parts == [[0x61, 0xff][...], [0xfe][...]])
  }

  @Test(
    arguments: [
      ("", .emptyName), ("/a", .absoluteName), ("../a", .leavesFolder), ("a/../b", .leavesFolder),
      ("a/..", .leavesFolder), ("a\0b", .controlCharacter(0)), ("a\nb", .controlCharacter(10)),
      ("a\u{1b}[m", .controlCharacter(27)), ("a\u{7f}", .controlCharacter(127)),
      ("a\u{85}b", .controlCharacter(0x85)),
      (String(repeating: "x", count: 256), .nameTooLong),
      (String(repeating: "abcdefg/", count: 512), .nameTooLong),
      (String(repeating: "a/", count: 65) + "b", .tooDeep(limit: 64)),
    ] as [(String, ArchiveFault.Reason)])
  func `these names are not safe`(name: String, reason: ArchiveFault.Reason) {
    #expect(throws: reason) { try EntryName(Array(name.utf8), isWindows: false) }
    #expect(ArchiveFault(reason).code == .archiveUnsafe)
  }

  @Test(
    arguments: [("a\\b", .backslash), ("..\\a", .backslash), ("C:/x", .absoluteName), ("c:x", .absoluteName)]
      as [(String, ArchiveFault.Reason)])
  func `formats of Windows have further unsafe names`(name: String, reason: ArchiveFault.Reason) {
    #expect(throws: reason) { try EntryName(Array(name.utf8), isWindows: true) }
  }

  @Test func `the longest names are safe`() throws {
    let longest = String(repeating: "x", count: 255)
    #expect(try EntryName(Array(longest.utf8), isWindows: true).parts.count == 1)
    let deepest = String(repeating: "a/", count: 64) + "b"
    #expect(try EntryName(Array(deepest.utf8), isWindows: true).parts.count == 65)
  }
}
