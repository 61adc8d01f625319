import SyncModel
import Testing

@testable import LocalFiles
@testable import Platform

@Suite struct `A survey of a folder` {
  private func survey(ignoresCase: Bool) throws -> TreeSurvey {
    let tree = try TreeFixture()
    try tree.publish([
      ("Dir/x", .file("one")), ("Dir/y", .file("two")), ("gone", .file("three")), ("README", .file("four")),
    ])
    try tree.put("mine", "Notes")
    let next = try tree.staged([("dir/X", .file("1")), ("readme", .file("4")), ("NOTES", .file("theirs"))])
    defer { next.discard() }
    let live = try OpenFolder(path: tree.box.at("vendor/docs"))
    return try TreeSurvey(
      next.order, next.made, of: live, wasMissing: false, ignoresCase: ignoresCase)
  }

  private func texts(_ paths: some Sequence<[UInt8]>) -> [String] {
    paths.map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  @Test func `without case takes an old name for the new one`() throws {
    let survey = try survey(ignoresCase: true)
    #expect(texts(survey.removed) == ["dir/y", "gone"])
    #expect(survey.emptied.isEmpty)
    #expect(texts(survey.refused) == ["NOTES"])
    #expect(survey.isRecorded(Array("DIR/X".utf8)))
    #expect(survey.signature(Array("Dir/x".utf8))?.size == 3)
    #expect(survey.signature(Array("notes".utf8))?.size == 4)
  }

  @Test func `with case takes them for two`() throws {
    let survey = try survey(ignoresCase: false)
    #expect(texts(survey.removed) == ["Dir/x", "Dir/y", "README", "gone"])
    #expect(texts(survey.emptied) == ["Dir"])
    #expect(survey.refused.isEmpty)
    #expect(texts(survey.carried.map(\.path)) == ["Notes"])
    #expect(!survey.isRecorded(Array("DIR/X".utf8)))
  }
}
