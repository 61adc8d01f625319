import Foundation
import SyncTestSupport
import Testing

/// Output to a terminal has colours, and other output of the same run has none.
@Suite struct ColourTests {
  private static let escape = "\u{1B}["
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      version: 1
      targets:
        here: {url: source.txt, output: here.txt}
        gone: {url: nowhere.txt, output: gone.txt}
      """, to: "syncmake.yaml")
    try folder.write("here", to: "source.txt")
  }

  @Test func `errors on a terminal are coloured, results in a file are not`() throws {
    let (seen, kept) = try run("2>TERMINAL >kept")
    #expect(seen.contains(Self.escape))
    #expect(kept.contains("new        here"))
    #expect(!kept.contains(Self.escape))
  }

  @Test func `results on a terminal are coloured, errors in a file are not`() throws {
    let (seen, kept) = try run(">TERMINAL 2>kept")
    #expect(seen.contains("\(Self.escape)32mnew"))
    #expect(kept.contains("gone"))
    #expect(!kept.contains(Self.escape))
  }

  /// The terminal's output, and the content of the file `kept`.
  private func run(_ redirection: String) throws -> (seen: String, kept: String) {
    let program = try #require(SyncmakeProgram.path, "the program is not built")
    // The second end stays open, or the output is lost when the program ends.
    var (terminal, held): (Int32, Int32) = (-1, -1)
    var place = [CChar](repeating: 0, count: 1024)
    try #require(openpty(&terminal, &held, &place, nil, nil) == 0)
    defer {
      close(terminal)
      close(held)
    }
    let name = String(decoding: place.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let result = try runProcess(
      "/bin/sh",
      ["-c", "exec \"$0\" -k --progress plain " + redirection.replacing("TERMINAL", with: name), program],
      environment: ["TERM": "xterm", "PATH": "/usr/bin:/bin"], currentDirectory: folder.path)
    #expect(result.status == 2)
    var room = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(terminal, &room, room.count)
    return (
      String(decoding: room[..<max(0, count)], as: UTF8.self),
      String(decoding: folder.read("kept") ?? [], as: UTF8.self)
    )
  }
}
