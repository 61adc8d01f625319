import Foundation
import SyncTestSupport
import Testing

/// `--depfile`, and how make and ninja read it.
@Suite(.waits) struct DepfileTests {
  private let folder: TemporaryFolder
  private let program: String

  init() throws {
    folder = try TemporaryFolder()
    program = try #require(SyncmakeProgram.path, "the program is not built")
    try folder.write("one\n", to: "source")
    try folder.write(Self.manifest, to: "syncmake.yaml")
  }

  private static let manifest = """
    version: 1
    targets:
      a: {url: source, output: out/a}
      b: {from: a, output: out/b}
      c: {url: [nowhere, other], output: out/c, tags: [c]}

    """

  private func syncmake(_ arguments: String..., in place: String = "") throws -> ProcessResult {
    try runProcess(
      program, arguments, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path, "NO_PROXY": "*"],
      currentDirectory: folder.path(place))
  }

  private func rule(_ target: String, _ prerequisites: String...) -> String {
    ([target + ":"] + prerequisites).joined(separator: " \\\n  ") + "\n"
      + prerequisites.map { "\n\($0):\n" }.joined()
  }

  @Test func `the depfile names what was read: the manifest, the lock and existing files`() throws {
    try folder.write("other\n", to: "other")
    let ended = try syncmake("--depfile", "stamp.d")
    #expect(ended.status == 0, "\(ended)")
    #expect(folder.text("stamp.d") == rule("stamp", "syncmake.yaml", "source", "other"))
    #expect(try syncmake("lock").status == 0)
    #expect(try syncmake("b", "--depfile=stamp.d").status == 0)
    #expect(folder.text("stamp.d") == rule("stamp", "syncmake.yaml", "syncmake.lock", "source"))
  }

  @Test func `names are relative to the caller's folder`() throws {
    try FileManager.default.createDirectory(atPath: folder.path("x/y"), withIntermediateDirectories: true)
    #expect(try syncmake("-C", "../..", "a", "--depfile", "x/y/s.d", in: "x/y").status == 0)
    #expect(
      folder.text("x/y/s.d") == rule("../../x/y/s", "../../syncmake.yaml", "../../source"))
    #expect(try syncmake("-f", "../../syncmake.yaml", "a", "--depfile", "s.d", in: "x/y").status == 0)
    #expect(folder.text("x/y/s.d") == rule("s", "../../syncmake.yaml", "../../source"))
  }

  @Test func `an unchanged depfile is not rewritten, and a failed run writes none`() throws {
    #expect(try syncmake("a", "--depfile", "s.d").status == 0)
    try folder.setTime(1_700_000_000, of: "s.d")
    #expect(try syncmake("a", "--depfile", "s.d").status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("s.d"))
    #expect((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 == 1_700_000_000)
    let before = folder.text("s.d")
    #expect(try syncmake("a", "c", "--depfile", "s.d").status == 2)
    #expect(folder.text("s.d") == before)
    #expect(try syncmake("c", "--depfile", "t.d").status == 2)
    #expect(!folder.exists("t.d"))
  }

  @Test(arguments: [
    ["--depfile", "stamp"], ["--depfile", ".d"], ["--depfile", "x/.d"], ["--depfile", "-"],
    ["--depfile", "a%b.d"],
    ["--depfile", "nowhere/s.d"], ["-n", "--depfile", "s.d"], ["-q", "--depfile", "s.d"],
    ["--depfile", "s.d", "--events", "s.d"],
  ])
  func `impossible requests are reported before any work`(arguments: [String]) throws {
    let ended = try runProcess(
      program, arguments, environment: ["HOME": folder.path], currentDirectory: folder.path)
    #expect(ended.status == 64, "\(ended)")
    #expect(!folder.exists("out"))
  }

  /// Any character in a name: either the name is left out with a warning, or both readers find the file by it.
  @Test(.enabled(if: BuildTool.here.count == 2, "make or ninja is not installed"))
  func `make and ninja see every name that is written`() throws {
    try folder.write("stamp:\n\t@touch stamp\n-include stamp.d\n", to: "Makefile")
    try folder.write(
      """
      rule r
        command = cp given.d stamp.d && touch -d @2000 stamp
        depfile = stamp.d
      build stamp: r

      """, to: "build.ninja")
    var written = 0
    for character in " #$:%\\=;|&()[]{}*?~!'\"<>^`,@+é" {
      let manifest = "m\(character)x.yaml"
      try folder.write(Self.manifest, to: manifest)
      let ended = try syncmake("-f", manifest, "a", "--depfile", "stamp.d")
      #expect(ended.status == 0, "\(ended)")
      if ended.stderr.contains("make and ninja both read it") {
        #expect(folder.text("stamp.d") == rule("stamp", "source"))
      } else {
        written += 1
        try expectSeen(manifest)
      }
      try? FileManager.default.removeItem(atPath: folder.path(".ninja_log"))
    }
    #expect(written == 13)
  }

  private func expectSeen(_ name: String) throws {
    try folder.write(folder.text("stamp.d") ?? "", to: "given.d")
    try folder.setTime(1000, of: "source")
    func tool(_ line: String) throws -> ProcessResult {
      try runProcess("/bin/sh", ["-c", line], currentDirectory: folder.path)
    }
    try folder.setTime(1000, of: name)
    #expect(try tool("ninja").status == 0)
    #expect(try tool("make -q stamp").status == 0, "\(name)")
    #expect(try tool("ninja -n").stdout.contains("no work to do"), "\(name)")
    try folder.setTime(3000, of: name)
    #expect(try tool("make -q stamp").status == 1, "\(name)")
    #expect(try !tool("ninja -n").stdout.contains("no work to do"), "\(name)")
    try FileManager.default.removeItem(atPath: folder.path(name))
    #expect(try tool("make -q stamp").status == 1, "\(name)")
  }
}
