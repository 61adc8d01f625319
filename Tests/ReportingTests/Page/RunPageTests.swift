import Foundation
import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Reporting

/// The findings of Tests/Support/Tools/check-report.py in a page that passed it.
struct PageFacts: Decodable {
  var title: String
  /// The rows of the table without its head.
  var rows: Int
  var bytes: Int
  /// All text that a person may see.
  var words: String

  /// Checks the promises of a page with an independent reader.
  init(_ page: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(page, to: "page.html")
    // A folder in which the pages are kept for viewing.
    if let kept = ProcessInfo.processInfo.environment["SYNCMAKE_TEST_KEEP_PAGES"] {
      let name = page.prefix(3000).firstMatch(of: /<title>(.*?)<\/title>/).map { String($0.1) } ?? "page"
      try page.write(
        toFile: "\(kept)/\(name.filter { $0.isLetter || $0.isNumber }).html", atomically: true,
        encoding: .utf8)
    }
    let tool = TestTools.path("check-report.py")
    let result = try runProcess(
      "/usr/bin/env", ["python3", tool, folder.path("page.html")], timeoutSeconds: 120)
    try #require(result.status == 0, "\(result.stdout)\(result.stderr)")
    self = try JSONDecoder().decode(PageFacts.self, from: Data(result.stdout.utf8))
  }
}

@Suite struct RunPageTests {
  private func page(
    _ results: [TargetResult] = Samples.results, _ status: RunStatus = .failed,
    manifest: Manifest = Samples.manifest, course: RunTimeline? = nil
  ) -> RunPage {
    RunPage(
      header: RunHeader(manifest: manifest, version: "0.1.0", time: Samples.now, began: .zero),
      graph: TargetGraph(manifest),
      end: RunEnd(results: results, status: status, duration: .milliseconds(1234)),
      course: course ?? RunTimeline(secrets: manifest.secrets, began: .zero))
  }

  private func request(_ id: TargetID, _ url: String) -> RunEvent {
    .requested(
      id,
      RequestTrace(method: "GET", url: url, connection: 1, total: .milliseconds(9), ended: .milliseconds(9)))
  }

  @Test func `a failure that no target has is an error of the run`() throws {
    var page = page([Samples.results[0]])
    page.failure = .outputUnwritable(path: "syncmake.lock", .isFolder)
    let facts = try PageFacts(page.render())
    #expect(facts.title == "The run failed - syncmake.yaml")
    #expect(facts.words.contains("The run output-unwritable Cannot write syncmake.lock"), "\(facts.words)")
  }

  @Test func `every kind of result has its place`() throws {
    let story = RunStory()
    let html = story.file(RunPageFile(story.header))
    let facts = try PageFacts(html)
    #expect(facts.title == "1 of 4 targets failed - syncmake.yaml")
    for kind in RunTimeline.Kind.allCases { #expect(html.contains("<rect class=\"\(kind.rawValue)\" x=")) }
    #expect(facts.words.contains("verifying 5 ms, unpacking 7 ms, writing 1 ms"))
    #expect(facts.words.contains("failed asking from 10 ms, 2 ms"))
    #expect(facts.words.contains("Warnings 5"))
  }

  @Test func `a page is well-formed, loads nothing, and its policy knows its style and script`() throws {
    let facts = try PageFacts(page().render())
    #expect(facts.title == "1 of 4 targets failed - syncmake.yaml")
    #expect(facts.rows == 4)
    for words in [
      "syncmake.yaml", "2026-11-21 10:00:00 UTC", "took 1.2 s", "1 updated", "1 fresh", "1 failed",
      "1 skipped",
      "HTTP status 404 (not found) from https://data.example.org/genes.tsv.gz", "The old file is kept",
      "check the URL in the manifest; a list under url gives mirrors", "ETag \"a1\" is now \"b2\"",
      "it depends on sums, which did not succeed",
    ] {
      #expect(facts.words.contains(words), "\(words)")
    }
  }

  @Test func `the first line says how the run went`() {
    func headline(_ results: [TargetResult], _ status: RunStatus) -> String {
      PageSummary(page: page(results, status)).headline
    }
    let all = Samples.results
    var skipped = Samples.result(Samples.manifest.targets[1], .skipped)
    skipped.skipped = .runStopped
    #expect(headline([all[0], all[1]], .ok) == "All 2 targets are up to date")
    #expect(headline([all[0]], .ok) == "The target is up to date")
    #expect(headline(all, .failed) == "1 of 4 targets failed")
    #expect(headline(all, .ok) == "2 of 4 targets are up to date")
    #expect(headline([all[0], skipped], .interrupted) == "Interrupted: 1 of 2 targets is up to date")
    #expect(headline([skipped], .failed) == "Nothing was begun")
    #expect(headline([], .ok) == "No target was selected")
  }

  @Test func `optional failures are distinguished`() throws {
    let facts = try PageFacts(page(Samples.results, .ok).render())
    #expect(facts.words.contains("sums http-status optional syncmake.yaml:1"))
    #expect(PageTable(page: page()).html.contains("class=\"failed optional\"><th scope=\"row\">sums<"))
    let graph = PageGraph(page: page()).html
    #expect(graph.contains("class=\"node failed optional\"><title>sums: failed, optional</title>"))
    #expect(!PageGraph(page: PageSamples(300).page()).html.contains("optional"))
  }

  @Test func `one request and one retry are named as one`() {
    var course = RunTimeline(secrets: Samples.none, began: .zero)
    let busy = FailureCause.httpStatus(503, url: Samples.url)
    course.handle(
      .retrying(TargetID(0), attempt: 1, after: .milliseconds(2), cause: busy), at: .milliseconds(5))
    course.handle(.finished(Samples.results[0]), at: .milliseconds(9))
    let header = PageSummary(page: page([Samples.results[0]], .ok, course: course)).header
    #expect(header.contains("<dt>request</dt><dd>1</dd>"))
    #expect(header.contains("<dt>retry</dt><dd>1</dd>"))
  }

  @Test func `the same run gives the same bytes`() {
    #expect(PageSamples(300).page().render() == PageSamples(300).page().render())
  }

  @Test(arguments: [(1, 60_000), (8, 80_000), (300, 450_000), (3000, 2_200_000)])
  func `the size of a page is linear in the number of targets`(count: Int, most: Int) throws {
    let facts = try PageFacts(PageSamples(count).page().render())
    #expect(facts.rows == count)
    #expect(facts.bytes < most, "\(facts.bytes) bytes")
  }

  @Test func `with very many targets the fresh ones are left out first`() throws {
    let samples = PageSamples(12_000, freshPart: 0.9)
    let facts = try PageFacts(samples.page().render())
    #expect(facts.rows == PageTable.most)
    #expect(facts.words.contains("2,000 are left out, fresh ones first"))
    #expect(facts.bytes < 6_000_000, "\(facts.bytes) bytes")
    let table = PageTable(page: samples.page()).html.split(separator: "\n")
    let rows = Set(table.filter { $0.hasPrefix("<tr id=") }.map { $0.prefix(while: { $0 != ">" }) })
    for result in samples.results where result.outcome != .fresh {
      #expect(rows.contains("<tr id=\"t\(result.id.index)\" class=\"\(result.pageClass)\""))
    }
  }

  @Test func `fresh targets are folded if there are others`() {
    #expect(PageSamples(300, freshPart: 0.9).page().render().contains("<table class=\"fold\""))
    #expect(!PageSamples(300, freshPart: 1).page(.ok).render().contains("<table class=\"fold\""))
    #expect(!page().render().contains("<table class=\"fold\""))
  }

  @Test func `an interrupted run says so`() throws {
    let facts = try PageFacts(PageSamples(8).page(.interrupted).render())
    #expect(facts.title.hasPrefix("Interrupted: "))
  }

  @Test func `errors of one kind are folded, and after a hundred only counted`() throws {
    let failed = (0..<150).map { i -> TargetResult in
      let target = Samples.target(i, "t\(i)")
      var result = Samples.result(target, .failed)
      result.failure = TargetFailure(.connectFailed(url: Samples.url, text: "refused"), tries: 5)
      return result
    }
    let manifest = Manifest(
      fileName: "syncmake.yaml", targets: (0..<150).map { Samples.target($0, "t\($0)") })
    let html = page(failed, manifest: manifest).render()
    #expect(html.components(separatedBy: "<article").count - 1 == PageErrors.most)
    let facts = try PageFacts(html)
    #expect(facts.words.contains("95 more with connect-failed"))
    #expect(facts.words.contains("50 more are in the table"))
  }

  @Test func `nothing from a manifest or a server becomes markup`() throws {
    let bad = [
      "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "<!-- ", "]]>", "'onload='x",
      "&lt;b&gt;", "\u{2028}\u{2029}\u{0}\u{202E}x", "javascript:alert(1)", "${secret}", "</style><b>",
    ]
    for text in bad {
      var target = Samples.manifest.targets[0]
      target.name = TargetName(text)
      target.summary = text
      target.path = Samples.path("data/" + text.filter { $0 != "\0" && !$0.isNewline })
      target.source = .urls([.web(text)])
      let manifest = Manifest(fileName: text, targets: [target] + Samples.manifest.targets.dropFirst())
      var course = RunTimeline(secrets: manifest.secrets, began: .zero)
      course.handle(request(target.id, text), at: .zero)
      course.handle(.warning(.noValidator(target.id, url: text)), at: .zero)
      var results: [TargetResult] = AllValues.causes(text).map { cause in
        var failed = Samples.result(target, .failed)
        failed.failure = TargetFailure(cause, tries: 1)
        failed.url = text
        return failed
      }
      course.handle(.finished(results[0]), at: .seconds(1))
      results = results.enumerated().map { i, result in
        var result = result
        result.id = TargetID(i % 5)
        return result
      }
      for group in 0..<results.count {
        let html = page([results[group]], manifest: manifest, course: course).render()
        let facts = try? PageFacts(html)
        try #require(facts != nil, "\(text.debugDescription) in \(results[group].failure.debugDescription)")
        if group > 3 { break }
      }
      // The sum of the other values in the table.
      let reasons = AllValues.reasons(text).map { Samples.result(target, .updated, $0) }
      let table = PageTable(page: page(reasons + results, manifest: manifest)).html
      #expect(!table.contains("<script") && !table.contains("<img") && !table.contains("<b>"))
      #expect(Harm.found(in: table, secrets: []) == nil)
    }
  }

  @Test func `no secret gets into a page`() throws {
    let secret = "hunter2<&\"'"
    let encoded = "hunter2%3C%26%22%27"
    var manifest = Samples.manifest
    manifest.secrets = SecretMask(values: [secret])
    manifest.targets[0].summary = "with \(secret) in it"
    manifest.targets[0].source = .urls([.web("https://h/?k=\(encoded)")])
    var course = RunTimeline(secrets: manifest.secrets, began: .zero)
    course.handle(request(TargetID(0), "https://h/?k=\(encoded)"), at: .zero)
    var failed = Samples.result(manifest.targets[0], .failed)
    failed.failure = TargetFailure(.tls(url: "https://h/?k=\(secret)", text: secret), tries: 2)
    failed.url = "https://h/?k=\(secret)"
    course.handle(.finished(failed), at: .seconds(1))
    let html = page([failed], manifest: manifest, course: course).render()
    #expect(!html.contains("hunter2"))
    #expect(html.contains("***"))
  }
}
