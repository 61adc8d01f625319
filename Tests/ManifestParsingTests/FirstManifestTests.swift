import Foundation
import ManifestParsing
import SyncModel
import Testing

@Suite struct `The first manifest` {
  @Test(arguments: [true, false])
  func `is valid, has no target, and fits the width of a page`(withSchema: Bool) throws {
    let text = FirstManifest.text(withSchema: withSchema)
    #expect(try manifest(text).targets.isEmpty)
    #expect(text.hasPrefix("# yaml-language-server: $schema=./syncmake.schema.json\n") == withSchema)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
  }

  @Test func `its commented lines are valid for the parser and the schema`() throws {
    let text = Self.uncommented(FirstManifest.text(withSchema: true))
    let manifest = try manifest(text)
    #expect(manifest.targets.map(\.name.text) == ["genes", "index"])
    #expect(manifest.targets[0].steps.count == 2)
    #expect(manifest.targets[1].retries == 4)
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let verdict = try #require(
      try SchemaValidator.verdicts([file.path], schema: ManifestSchema.text)[file.path])
    #expect(verdict == nil)
  }

  /// Removes the comment signs from every block of keys, and removes `targets: {}`.
  private static func uncommented(_ text: String) -> String {
    var isKeys = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      if ["# vars:", "# defaults:", "# targets:"].contains(line) { isKeys = true }
      if !line.hasPrefix("# ") { isKeys = false }
      return isKeys ? String(line.dropFirst(2)) : line == "targets: {}" ? "" : String(line)
    }.joined(separator: "\n")
  }
}
