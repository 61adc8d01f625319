import Foundation
import SyncModel
import Testing

@testable import Reporting

@Suite struct WarningTextTests {
  private static let warnings: [RunWarning] = [
    .noValidator(TargetID(0), url: Samples.url),
    .stateSetAside(path: ".syncmake/state.damaged", why: "not a database"),
    .stateUnreadable(why: "Permission denied"),
    .stateUnwritable(path: ".syncmake/state", why: "Permission denied"),
    .cacheUnusable(path: "/cache", .system("Permission denied")), .cacheEntryBad(path: "/cache/cas/ab/abc"),
    .remoteCacheUnusable(url: "https://cache.example/sm", .status(500)),
    .reportUnwritable(path: "trace.json", why: "No space left on device"),
    .lock(Diagnostic(severity: .warning, file: "syncmake.lock", message: LockReviewText.lacking(["genes"]))),
  ]

  @Test(arguments: warnings)
  func `docs/errors.md has a section for each warning, with its words`(warning: RunWarning) throws {
    let file = URL(fileURLWithPath: #filePath)
    let project = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: project.appendingPathComponent("docs/errors.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n### \(WarningText.code(warning))\n").dropFirst().first)
    let quoted = try #require(section.firstMatch(of: /\*"(.+?)"\*/)).output.1
    let message = WarningText.message(warning, manifest: Samples.manifest)
    let pieces = quoted.split(separator: "…").map { $0.trimmingCharacters(in: [" ", "(", ")"]) }.filter {
      $0 != ""
    }
    #expect(!pieces.isEmpty)
    for words in pieces { #expect(message.contains(words), "\(message)") }
  }
}
