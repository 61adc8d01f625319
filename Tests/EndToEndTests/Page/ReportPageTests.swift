import Foundation
import SyncTestSupport
import Testing

/// A page that the built program wrote, opened in a browser.
@Suite(
  .waits, .serialized,
  .enabled(if: Browser.path != nil, "needs chromium-headless-shell or chromium, as Debian calls them"))
struct ReportPageTests {
  private let server: LoopbackServer
  private let program: ProgramFolder
  private var page: String { program.folder.path("report.html") }

  /// Eight targets: five succeed, one of them at the second try; one fails, one depends on it, one is damaged.
  init() throws {
    func body(_ count: Int) -> Reply { .file([UInt8](repeating: 65, count: count), etag: "\"1\"") }
    server = try LoopbackServer([
      "/b": [body(2_000)], "/c": [.text("later", status: 503), body(900)], "/d": [body(100_000)],
      "/e": [body(10)], "/f": [body(40)], "/h": [body(7)],
    ])
    let base = server.url()
    program = try ProgramFolder(
      manifest: """
        version: 1
        defaults: {retries: 1}
        targets:
          b: {url: "\(base)/b", description: "<img src=\(base)/leak onerror='x'></script><script src=\(base)/leak></script>"}
          c: {url: "\(base)/c"}
          d: {url: "\(base)/d", description: "長い名前 \u{1F9EC}"}
          e: {url: "\(base)/e", needs: [b, c]}
          missing: {url: "\(base)/missing"}
          behind: {url: "\(base)/behind", needs: [missing, d]}
          wrong: {url: "\(base)/f", steps: [verify: {size: 41}]}
          h: {url: "\(base)/h", after: [b]}
        """)
    let result = try program.syncmake(
      "-k", "--report", "report.html", environment: ["SYNCMAKE_TEST_TIME_SCALE": "0.05"])
    try #require(result.status == 2, "\(result.stdout)\(result.stderr)")
    server.clearLog()
  }

  @Test func `the page is well-formed and obeys its own content policy`() throws {
    let result = try runProcess("/usr/bin/env", ["python3", TestTools.path("check-report.py"), page])
    #expect(result.status == 0, "\(result.stdout)")
  }

  @Test func `the page opens without an error and makes no request`() throws {
    let opened = try Browser.open(page)
    #expect(opened.console == [])
    #expect(opened.requests == [])
    #expect(server.requests.isEmpty)
    #expect(opened.document.contains("<html lang=\"en\" class=\"js ready\""))
    #expect(opened.document.contains("<h1>2 of 8 targets failed</h1>"))
    #expect(opened.shownNames == ["b", "c", "d", "e", "missing", "behind", "wrong", "h"])
    #expect(opened.sorting == [])
  }

  @Test func `columns can be sorted, and screen readers are told`() throws {
    let bySize = try Browser.open(page, "#sort=size&dir=desc")
    #expect(bySize.shownNames == ["d", "b", "c", "e", "h", "missing", "behind", "wrong"])
    #expect(bySize.sorting == ["Size descending"])
    let byOutcome = try Browser.open(page, "#sort=outcome")
    #expect(byOutcome.shownNames.prefix(3) == ["missing", "wrong", "behind"])
    #expect(byOutcome.sorting == ["Outcome ascending"])
    #expect(byOutcome.console + bySize.console == [])
  }

  @Test func `the table can be filtered`() throws {
    let failed = try Browser.open(page, "#show=failed,skipped")
    #expect(failed.shownNames == ["missing", "behind", "wrong"])
    #expect(failed.document.contains("<output aria-live=\"polite\">3 of 8 shown</output>"))
    #expect(try Browser.open(page, "#find=SIZE-mis").shownNames == ["wrong"])
  }

  @Test func `the colour scheme can be chosen`() throws {
    let dark = try Browser.open(page, "#theme=dark")
    #expect(dark.document.contains("data-theme=\"dark\""))
    #expect(dark.document.contains("<button type=\"button\" data-theme=\"dark\" aria-pressed=\"true\">"))
    let pictures = try ["#theme=light", "#theme=dark"].map {
      try Browser.picture(page, $0, width: 400, height: 900)
    }
    #expect(pictures.allSatisfy { $0.starts(with: [0x89, 0x50, 0x4E, 0x47]) })
    #expect(pictures[0] != pictures[1])
  }
}
