import Foundation
import SyncTestSupport
import Testing

/// The program under libfaketime, which is loaded before it and answers in the system's place: Swift's runtime then finds
/// no arguments.
@Suite(
  .enabled(if: FakeTime.isPossible, "needs faketime"),
  .disabled(if: TestTools.isSanitized, "a sanitizer's runtime does not start beside another library"))
struct FakeTimeTests {
  private let server: LoopbackServer
  private let folder: TemporaryFolder

  init() throws {
    server = try LoopbackServer()
    folder = try TemporaryFolder()
    server.setScript(["/a.txt": [.file(Array("one\n".utf8), etag: "\"1\"")]])
    try folder.write(
      "version: 1\ntargets:\n  a: {url: \"\(server.url())/a.txt\", freshness: {interval: 1d, then: always}}\n",
      to: "syncmake.yaml")
  }

  private func run(_ offset: String = "+0", _ arguments: String...) throws -> ProcessResult {
    let program = try #require(SyncmakeProgram.path, "the program is not built")
    return try FakeTime.run([offset, program] + arguments, in: folder.path)
  }

  @Test func `a dry run writes nothing`() throws {
    let result = try run("+0", "-n")
    #expect(result.status == 0, "\(result)")
    #expect(result.stdout.contains("1 to update") || result.stdout.contains("1 new"), "\(result)")
    #expect(!folder.exists("a.txt"))
    #expect(!folder.exists(".syncmake"))
  }

  @Test func `every argument counts, and the time is the false one`() throws {
    #expect(try run("+0", "--no-such-option").status == 64)
    #expect(try run("+0").status == 0)
    #expect(folder.text("a.txt") == "one\n")
    #expect(try run("+1h", "-q").status == 0)
    #expect(try run("+2d", "-q").status == 1)
  }
}

private enum FakeTime {
  private static let tool = ["/usr/bin/faketime", "/usr/local/bin/faketime"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static let isPossible = tool != nil && SyncmakeProgram.path != nil

  /// The first argument is the offset from the true time.
  static func run(_ arguments: [String], in folder: String) throws -> ProcessResult {
    try runProcess(
      tool ?? "faketime", ["-f"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"], currentDirectory: folder)
  }
}
