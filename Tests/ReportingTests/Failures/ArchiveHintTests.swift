import SyncModel
import Testing

@testable import Reporting

/// What `strip` and unusual names make of the hint; ``FailureCase`` has the others.
@Suite struct `The hint for an archive` {
  private func hint(
    _ reason: ArchiveFault.Reason, _ entry: String, strip: UnpackRules.Strip = .count(0)
  ) -> String? {
    ArchiveWording(mask: { $0 }).hint(ArchiveFault(reason, entry: entry), strip: strip)
  }

  @Test(
    arguments: [
      (".//dev/./x", .count(0), "/dev/x"), ("//x", .count(0), "/x"), ("top/dev/x", .count(1), "/dev/x"),
      ("top/x", .auto, "**/x"), ("x", .auto, "/x"),
      // These mean something in a pattern or in YAML, or nobody sees them.
      ("a*b", .count(0), "/a?b"), ("[a]?", .count(0), "/?a??"), (#"a"b\c"#, .count(0), "/a?b?c"),
      ("${env:HOME}", .count(0), "/?{env:HOME}"), ("a\u{202e}b\u{2066}", .count(0), "/a?b?"),
      ("a\u{85}\u{2028}\u{feff}\u{fffd}\u{ffff}", .count(0), "/a?????"), ("# é东🙂", .count(0), "/# é东🙂"),
    ] as [(String, UnpackRules.Strip, String)])
  func `has a pattern that matches the entry`(
    name: String, strip: UnpackRules.Strip, pattern: String
  ) throws {
    #expect(
      hint(.device, name, strip: strip)
        == "if nobody needs this entry, `exclude: [\"\(pattern)\"]` in `unpack` skips it")
    let bytes = Array(name.utf8)
    let parts = bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    let stripped = parts.dropFirst(strip == .count(1) ? 1 : 0)
    #expect(try PathPattern(pattern).matches(Array(stripped)))
  }

  @Test(
    arguments: [
      ("README", .count(1)), ("//x", .count(1)), ("../", .count(1)), ("a/b", .count(2)), ("./a", .count(1)),
    ] as [(String, UnpackRules.Strip)])
  func `names no pattern if strip leaves nothing of the name`(name: String, strip: UnpackRules.Strip) {
    #expect(hint(.device, name, strip: strip) == "lower `strip`: it leaves nothing of this entry's name")
  }

  @Test func `does not name the folder that auto may remove`() {
    #expect(
      hint(.leavesFolder, "../", strip: .auto) == "write `strip: 0`: it leaves nothing of this entry's name")
  }

  @Test(arguments: ["/", "./", ""])
  func `names no pattern for the top itself`(name: String) {
    #expect(hint(.absoluteName, name)?.hasPrefix("the published file is damaged or unusual") == true)
  }

  @Test(
    arguments: [
      ("top/l", "sub/b", .count(0), "top/sub/b"), ("top/l", "../b", .count(0), "b"),
      ("./a//l", "./x/../b", .count(0), "a/b"), ("l", "b", .count(0), "b"),
      ("top/l", "sub/b", .count(1), "sub/b"), ("top/l", "sub/b", .auto, "**/sub/b"), ("l", "b", .auto, "b"),
    ] as [(String, String, UnpackRules.Strip, String)])
  func `names the file that a symbolic link leads to`(
    link: String, target: String, strip: UnpackRules.Strip, path: String
  ) {
    let reason = ArchiveFault.Reason.matchIsLink(pattern: "*/l", target: target, isSymbolic: true)
    #expect(hint(reason, link, strip: strip) == "let `entry` name the file itself: \(path)")
  }

  @Test func `names no file if a link leads to no part of the path`() {
    #expect(
      hint(.matchIsLink(pattern: "*/l", target: ".", isSymbolic: true), "top/l", strip: .count(1))
        == "let `entry` name a file")
  }

  @Test func `takes the target of a hard link for a whole path`() {
    let reason = ArchiveFault.Reason.matchIsLink(pattern: "*/l", target: "top/b")
    #expect(hint(reason, "top/l") == "let `entry` name the file itself: top/b")
    #expect(hint(reason, "top/l", strip: .count(1)) == "let `entry` name the file itself: b")
  }
}
