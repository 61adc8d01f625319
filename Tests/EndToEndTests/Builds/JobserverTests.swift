import Foundation
import SyncTestSupport
import Testing

/// However a run under a jobserver ends, every token is returned.
@Suite(.waits) struct JobserverTests {
  private let folder: TemporaryFolder
  private let program: String
  /// Holds the tokens between the runs.
  private let tokens: Int32
  private let flags: String

  init() throws {
    folder = try TemporaryFolder()
    program = try #require(SyncmakeProgram.path, "the program is not built")
    #expect(mkfifo(folder.path("tokens"), 0o600) == 0)
    tokens = open(folder.path("tokens"), O_RDWR | O_NONBLOCK)
    #expect(write(tokens, "abc", 3) == 3)
    flags = " -j4 --jobserver-auth=fifo:\(folder.path("tokens"))"
  }

  private func manifest(_ server: LoopbackServer, _ paths: String...) throws {
    let targets = paths.map {
      "  \($0): {url: \"\(server.url("/\($0)"))\", steps: [gunzip], output: out/\($0)}\n"
    }
    try folder.write("version: 1\ntargets:\n" + targets.joined(), to: "syncmake.yaml")
  }

  private func environment(_ flags: String) -> [String: String] {
    ["PATH": "/usr/bin:/bin", "HOME": folder.path, "NO_PROXY": "*", "MAKEFLAGS": flags]
  }

  /// Everything in the pipe, sorted by bytes; the pipe is empty afterwards.
  private func drain() -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(tokens, &bytes, 16)
    close(tokens)
    return String(decoding: bytes[..<max(0, count)].sorted(), as: UTF8.self)
  }

  private func large() throws -> [UInt8] {
    try TestData.gzip(TestData.random(4_000_000, seed: 1))
  }

  @Test func `after success`() throws {
    let large = try large()
    let server = try LoopbackServer(["/a": [.file(large)], "/b": [.file(large)], "/c": [.file(large)]])
    try manifest(server, "a", "b", "c")
    let ended = try runProcess(program, environment: environment(flags), currentDirectory: folder.path)
    #expect(ended.status == 0, "\(ended)")
    #expect(drain() == "abc")
  }

  @Test func `after failure`() throws {
    let large = try large()
    let server = try LoopbackServer([
      "/a": [.file(large)], "/b": [.file(Array(large.prefix(300_000)))], "/c": [.text("no", status: 404)],
    ])
    try manifest(server, "a", "b", "c")
    let ended = try runProcess(
      program, ["-k"], environment: environment(flags), currentDirectory: folder.path)
    #expect(ended.status == 2, "\(ended)")
    #expect(drain() == "abc")
  }

  @Test(arguments: [1, 2]) func `after Ctrl-C`(times: Int) throws {
    let large = try large()
    let server = try LoopbackServer([
      "/a": [.file(large)], "/b": [Reply.file(large).dripped(bytes: 50_000, every: .milliseconds(20))],
    ])
    try manifest(server, "a", "b")
    let running = try startProcess(
      program, ["-v"], environment: environment(flags), currentDirectory: folder.path)
    #expect(server.wait { !$0.requests(to: "/b").isEmpty })
    for _ in 1...times { running.send(SIGINT) }
    let ended = running.wait()
    #expect(ended.status == 130, "\(ended)")
    #expect(drain() == "abc")
  }

  #if os(Linux)
    @Test func `by two descriptors, as in older versions of make`() throws {
      let large = try large()
      let server = try LoopbackServer(["/a": [.file(large)], "/b": [.file(large)]])
      try manifest(server, "a", "b")
      let line = "exec 7<tokens 8>tokens; exec '\(program)'"
      let ended = try runProcess(
        "/bin/bash", ["-c", line], environment: environment("w -j4 --jobserver-fds=7,8"),
        currentDirectory: folder.path)
      #expect(ended.status == 0, "\(ended)")
      #expect(drain() == "abc")
    }
  #endif

  @Test(arguments: [
    "--jobserver-auth=98,99", "--jobserver-auth=0,1", "--jobserver-auth=fifo:/nowhere/tokens",
    "--jobserver-auth=-2,-2", "--jobserver-auth=rubbish",
  ])
  func `a jobserver that has ended causes no message`(flags: String) throws {
    let server = try LoopbackServer(["/a": [.file(try TestData.gzip(Array("a".utf8)))]])
    try manifest(server, "a")
    let ended = try runProcess(
      program, ["-s"], environment: environment(flags), currentDirectory: folder.path)
    #expect(ended.status == 0 && ended.stderr == "", "\(ended)")
    #expect(drain() == "abc")
  }
}
