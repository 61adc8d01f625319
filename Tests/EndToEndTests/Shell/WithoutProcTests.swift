import Foundation
import SyncTestSupport
import Testing

/// The program in a mount namespace in which `/proc` is empty: there Swift's runtime finds no arguments.
@Suite(
  .enabled(if: EmptyProc.isPossible, "needs the right to mount in a namespace of its own (unshare -m)"),
  .disabled(if: TestTools.isSanitized, "a sanitizer's runtime needs /proc"))
struct WithoutProcTests {
  private let server: LoopbackServer
  private let folder: TemporaryFolder

  init() throws {
    server = try LoopbackServer()
    folder = try TemporaryFolder()
    server.setScript(["/a.txt": [.file(Array("one\n".utf8), etag: "\"1\"")]])
    try folder.write(
      "version: 1\ntargets:\n  a: {url: \"\(server.url())/a.txt\"}\n", to: "syncmake.yaml")
  }

  private func run(_ arguments: String...) throws -> ProcessResult {
    let program = try #require(SyncmakeProgram.path, "the program is not built")
    return try EmptyProc.run([program] + arguments, in: folder.path)
  }

  @Test func `a dry run writes nothing`() throws {
    let result = try run("-n")
    #expect(result.status == 0, "\(result)")
    #expect(result.stdout.contains("1 to update") || result.stdout.contains("1 new"), "\(result)")
    #expect(!folder.exists("a.txt"))
    #expect(!folder.exists(".syncmake"))
  }

  @Test func `every argument is read`() throws {
    #expect(try run("--version").stdout.hasPrefix("syncmake "))
    #expect(try run("--no-such-option").status == 64)
    #expect(try run("-q").status == 1)
    #expect(!folder.exists("a.txt"))
  }

  @Test func `a run works without /proc`() throws {
    let result = try run("a", "--json")
    #expect(result.status == 0, "\(result)")
    #expect(result.stdout.contains("\"outcome\": \"updated\""))
    #expect(folder.text("a.txt") == "one\n")
  }
}

private enum EmptyProc {
  private static let unshare = "/usr/bin/unshare"
  private static let namespace = geteuid() == 0 ? ["-m"] : ["-r", "-m"]

  static let isPossible: Bool = {
    #if os(Linux)
      let tried = try? run(["/bin/sh", "-c", "test ! -e /proc/self"], in: "/")
      return tried?.status == 0
    #else
      return false
    #endif
  }()

  static func run(_ command: [String], in folder: String) throws -> ProcessResult {
    let script = "mount -t tmpfs none /proc && exec \"$@\""
    return try runProcess(
      unshare, namespace + ["/bin/sh", "-c", script, "sh"] + command,
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"], currentDirectory: folder)
  }
}
