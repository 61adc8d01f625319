import Foundation
import SyncTestSupport
import Testing

/// The programs that show manual pages find no errors in ours.
@Suite struct ManualPageLintTests {
  private func page() throws -> TemporaryFolder {
    let program: String = try #require(SyncmakeProgram.path)
    let folder = try TemporaryFolder()
    let ended = try runProcess(program, ["__manual"])
    #expect(ended.status == 0 && ended.stderr == "")
    try folder.write(ended.stdout, to: "syncmake.1")
    return folder
  }

  private static let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "MANWIDTH": "80"]

  @Test(.enabled(if: CompletionWorld.has("mandoc"), "mandoc is not installed"))
  func `mandoc reports no errors`() throws {
    let page = try page()
    let ended = try runProcess(
      "/usr/bin/env", ["mandoc", "-T", "lint", "-W", "warning", page.path("syncmake.1")],
      environment: Self.environment)
    #expect(ended.status == 0 && ended.stdout == "" && ended.stderr == "")
  }

  #if os(Linux)
    @Test(.enabled(if: CompletionWorld.has("groff"), "groff is not installed"))
    func `man reports no errors and shows options as they are typed`() throws {
      let page = try page()
      let ended = try runProcess(
        "/usr/bin/env", ["man", "--warnings", "-E", "ascii", "-l", page.path("syncmake.1")],
        environment: Self.environment)
      #expect(ended.status == 0 && ended.stderr == "")
      let text = ended.stdout.replacing(/.\u{8}/, with: "")
      #expect(text.contains("-k, --keep-going"))
      #expect(text.contains("syncmake plan --exit-code"))
      #expect(text.contains("EXIT STATUS"))
    }
  #endif
}
