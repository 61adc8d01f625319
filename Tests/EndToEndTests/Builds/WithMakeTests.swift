import Foundation
import SyncTestSupport
import Testing

/// The README of examples/with-make is true for make and for ninja.
@Suite struct `examples/with-make` {
  private let example: ExampleFolder

  init() throws { example = try ExampleFolder("with-make") }

  /// Builds, from the sources in the folder unless it is `fromServer`; returns what syncmake and the tool print.
  private func build(_ tool: BuildTool, _ words: String = "", fromServer: Bool = false) throws -> String {
    let ended = try example.shell("\(fromServer ? "" : "unset MIRROR;") \(tool.rawValue) \(words) 2>&1")
    #expect(ended.status == 0, "\(ended.stdout)")
    #expect(!ended.stdout.contains("INTERNAL") && !ended.stdout.contains("jobserver"), "\(ended.stdout)")
    return ended.stdout
  }

  private func report() throws -> String { try #require(example.folder.text("build/report.txt")) }

  /// In the past, so that new files are newer at any time resolution.
  private func ageSources() throws {
    for file in ["source/genes.tsv", "source/chromosomes.tsv", "syncmake.yaml"] {
      try example.folder.setTime(1_700_000_000, of: file)
    }
  }

  @Test(arguments: BuildTool.here) func `a second run does nothing`(tool: BuildTool) throws {
    try ageSources()
    #expect(try build(tool).contains("2 new"))
    let report = try report()
    #expect(report.contains("data/genes.tsv"))
    let before = try example.listing("build") + example.listing("data")
    let second = try build(tool)
    #expect(!second.contains("syncmake") && !second.contains("wc"), "\(second)")
    #expect(try example.listing("build") + example.listing("data") == before)
  }

  @Test(arguments: BuildTool.here) func `a changed source is fetched, and what is made from it is made again`(
    tool: BuildTool
  ) throws {
    try ageSources()
    _ = try build(tool)
    let old = try (report(), example.modified("data/chromosomes.tsv"))
    try example.folder.write("gene\nA\nB\nC\nD\nE\n", to: "source/genes.tsv")
    let later = Date().timeIntervalSince1970 + 10
    try example.folder.setTime(later, of: "source/genes.tsv")
    let second = try build(tool)
    #expect(second.contains("1 updated, 1 unchanged") && second.contains("wc -l"), "\(second)")
    #expect(try report() != old.0)
    #expect(try example.modified("data/chromosomes.tsv") == old.1)
  }

  @Test(arguments: BuildTool.here) func `a manifest edit without effect makes nothing again`(
    tool: BuildTool
  ) throws {
    try ageSources()
    _ = try build(tool)
    let made = try example.modified("build/report.txt")
    let manifest = try #require(example.folder.text("syncmake.yaml"))
    try example.folder.write(manifest + "# more\n", to: "syncmake.yaml")
    try example.folder.setTime(Date().timeIntervalSince1970 + 1, of: "syncmake.yaml")
    let second = try build(tool)
    #expect(second.contains("all 2 targets are up to date") && !second.contains("wc -l"), "\(second)")
    #expect(try example.modified("build/report.txt") == made)
  }

  @Test(arguments: BuildTool.here) func `a removed file is restored`(tool: BuildTool) throws {
    try ageSources()
    _ = try build(tool)
    try FileManager.default.removeItem(atPath: example.folder.path("data/genes.tsv"))
    #expect(try build(tool).contains("1 new, 1 unchanged"))
    #expect(example.folder.exists("data/genes.tsv"))
    try FileManager.default.removeItem(atPath: example.folder.path("source/chromosomes.tsv"))
    // The depfile still names it: that is a reason to run, and then syncmake reports the error.
    let ended = try example.shell("unset MIRROR; \(tool.rawValue) 2>&1")
    #expect(ended.status != 0 && ended.stdout.contains("chromosomes"), "\(ended.stdout)")
  }

  @Test(arguments: BuildTool.here)
  func `upstream is asked on demand, and a change there reaches the final product`(
    tool: BuildTool
  ) throws {
    let server = try LoopbackServer([
      "/genes.tsv": [.file(Array("a\n".utf8), etag: "\"1\"")],
      "/chromosomes.tsv": [.file(Array("c\n".utf8), etag: "\"c\"")],
    ])
    let example = try ExampleFolder("with-make", server: server)
    func shell(_ line: String) throws -> String {
      let ended = try example.shell("\(line) 2>&1")
      #expect(ended.status == 0, "\(ended.stdout)")
      return ended.stdout
    }
    try example.folder.setTime(1_700_000_000, of: "syncmake.yaml")
    #expect(try shell(tool.rawValue).contains("2 new"))
    server.on("/genes.tsv", .file(Array("a\nb\n".utf8), etag: "\"2\""))
    server.clearLog()
    #expect(try !shell(tool.rawValue).contains("wc"))
    #expect(server.requests.isEmpty)
    try example.folder.setTime(1_700_000_000, of: "data/genes.tsv")
    try example.folder.setTime(1_700_000_100, of: "build/report.txt")
    let sync = tool == .make ? "make sync && make" : "syncmake && ninja"
    #expect(try shell(sync).contains("wc -l"))
    #expect(example.folder.text("build/report.txt")?.contains("3 total") == true)
  }

  @Test(.enabled(if: BuildTool.make.isHere, "make is not installed"))
  func `make lends its jobserver and gets every token back`() throws {
    try ageSources()
    // make counts them itself at its end, and reports a missing one.
    #expect(try build(.make, "-j3").contains("2 new"))
    #expect(try !build(.make, "-j3").contains("syncmake"))
  }
}
