import Foundation
import SyncTestSupport
import Testing

/// The pipelines of docs/ci.md, step by step, on a simulated runner.
@Suite(.waits) struct `docs/ci.md` {
  private static let pipelines = (try? PipelineDocument.all(in: "docs/ci.md")) ?? []
  /// The pipelines' images have it; the test machine may not.
  private static let hasJQ = FileManager.default.isExecutableFile(atPath: "/usr/bin/jq")

  private static func serve(fixtures: String, on server: LoopbackServer) throws {
    let model = Array("model".utf8)
    server.on(
      "/ci/fixtures.json.gz", .file(try TestData.gzip(Array(fixtures.utf8)), etag: "\"\(fixtures.count)\""))
    server.on("/ci/model.bin", .file(model))
    server.on("/ci/model.bin.sha256", .file(Array(try TestData.digest("sha256", model).utf8), etag: "\"s\""))
  }

  private static func runner() throws -> (PipelineRunner, LoopbackServer) {
    let server = try LoopbackServer([:])
    try serve(fixtures: "{}", on: server)
    return (try PipelineRunner(server: server), server)
  }

  @Test func `it has a pipeline for each platform`() throws {
    let pipelines = try PipelineDocument.all(in: "docs/ci.md")
    #expect(pipelines.map(\.file) == [".github/workflows/data.yml", ".gitlab-ci.yml"])
  }

  @Test(arguments: pipelines.map(\.file))
  func `a pull request only plans and writes nothing`(file: String) throws {
    let pipeline = try #require(Self.pipelines.first { $0.file == file })
    let (runner, _) = try Self.runner()
    let ran = try runner.run(pipeline, on: .review)
    let last = try #require(ran.last)
    #expect(last.result.status == 0, "\(last.result.stderr)")
    #expect(last.result.stdout.contains(/new .*fixtures/))
    let folder = runner.repository.folder
    #expect(!folder.exists(".syncmake") && !folder.exists("data") && !folder.exists("reports"))
    #expect(ran.allSatisfy { $0.summary.isEmpty })
  }

  @Test(arguments: pipelines.map(\.file))
  func `a pull request fails if a target is not locked`(file: String) throws {
    let pipeline = try #require(Self.pipelines.first { $0.file == file })
    let (runner, _) = try Self.runner()
    let manifest = try #require(runner.repository.folder.text("syncmake.yaml"))
    try runner.repository.folder.write(manifest + "\n  new: {url: x}\n", to: "syncmake.yaml")
    #expect(try runner.run(pipeline, on: .review).last?.result.status == 3)
  }

  @Test(arguments: pipelines.map(\.file))
  func `a program with another digest is not run`(file: String) throws {
    let pipeline = try #require(Self.pipelines.first { $0.file == file })
    let (runner, server) = try Self.runner()
    server.on("/syncmake.tar.gz", .text("another archive"))
    let last = try #require(try runner.run(pipeline, on: .push).last)
    #expect(last.result.status != 0)
    #expect(last.result.stdout.contains("FAILED"), "\(last.result)")
    #expect(!runner.repository.folder.exists("data"))
  }

  @Test(arguments: pipelines.map(\.file))
  func `a push fetches the locked versions and keeps reports`(file: String) throws {
    let pipeline = try #require(Self.pipelines.first { $0.file == file })
    let (runner, server) = try Self.runner()
    let folder = runner.repository.folder
    let ran = try runner.run(pipeline, on: .push)
    let last = try #require(ran.last)
    #expect(last.result.status == 0, "\(last.result.stderr)")
    #expect(folder.text("data/fixtures.json") == "{}")
    #expect(folder.text("reports/events.jsonl")?.contains("syncmake.events/1") == true)
    #expect(folder.text("reports/trace.json")?.contains("traceEvents") == true)
    #expect(folder.text("reports/junit.xml")?.contains("tests=\"2\" failures=\"0\"") == true)
    if file.hasPrefix(".github") {
      #expect(last.summary.hasPrefix("### syncmake: 2 new"))
      #expect(last.result.stdout.hasPrefix("::group::"))
    } else {
      #expect(last.result.stdout.contains("section_start:"))
    }

    // The source's present version is not the reviewed one.
    try Self.serve(fixtures: "[1, 2]", on: server)
    _ = try runner.repository.shell("rm -r .syncmake data")
    let failed = try #require(try runner.run(pipeline, on: .push).last)
    #expect(failed.result.status == 2)
    #expect(failed.result.stderr.contains("::error file=syncmake.yaml,line=7,") == file.hasPrefix(".github"))
    #expect(folder.text("reports/junit.xml")?.contains("type=\"lock-mismatch\"") == true)
  }

  @Test(.enabled(if: hasJQ), arguments: pipelines.map(\.file))
  func `moved targets become a pull request; without any there is none`(file: String) throws {
    let pipeline = try #require(Self.pipelines.first { $0.file == file })
    let (runner, server) = try Self.runner()
    let quiet = try runner.run(pipeline, on: .schedule)
    #expect(quiet.allSatisfy { $0.result.status == 0 }, "\(quiet.last?.result.stderr ?? "")")
    #expect(try runner.git("branch") == "")

    try Self.serve(fixtures: "[1, 2]", on: server)
    let ran = try runner.run(pipeline, on: .schedule)
    #expect(ran.allSatisfy { $0.result.status == 0 }, "\(ran.last?.result.stderr ?? "")")
    #expect(runner.repository.folder.text("changes.md") == "- **fixtures** moved\n")
    #expect(try runner.git("branch").contains("syncmake-update"))
    #expect(try runner.git("show --stat --format= syncmake-update").contains("syncmake.lock"))
    if file.hasPrefix(".github") { #expect(runner.calls.contains("gh pr create")) }
  }
}
