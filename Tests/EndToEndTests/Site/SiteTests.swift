import Foundation
import SyncTestSupport
import Testing

/// The documentation's site builds, works in a browser, and cannot be built with a fault in it.
@Suite(
  .waits, .serialized,
  .enabled(if: SiteFolder.isBuildable, "needs mkdocs-material, which scripts/setup --tests installs"))
struct SiteTests {
  @Test(.enabled(if: Browser.path != nil, "needs chromium-headless-shell or chromium, as Debian calls them"))
  func
    `every page opens in a browser, every link leads somewhere, the search finds, and nothing comes from elsewhere`()
    throws
  {
    let folder = try TemporaryFolder()
    let built = try runProcess(
      "\(ExampleFolder.project)/scripts/site", [folder.path("site")],
      environment: try SiteFolder.environment(), timeoutSeconds: 180)
    try #require(built.status == 0, "\(built.stderr)")
    #expect(!built.stderr.contains("WARNING"))
    let result = try runProcess(
      "/usr/bin/env",
      ["python3", TestTools.path("browse-site.py"), folder.path("site"), try #require(Browser.path)],
      timeoutSeconds: 200)
    #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
    let pages = try #require(result.stdout.firstMatch(of: /(\d+) pages, (\d+) links/))
    #expect(Int(pages.1) ?? 0 > 80 && Int(pages.2) ?? 0 > 1_000)
  }

  @Test(.enabled(if: Browser.path != nil)) func `the browser's faults are found`() throws {
    let folder = try TemporaryFolder()
    let page = """
      <!DOCTYPE html><title>first</title><a href="gone.html">a</a><a href="second.html#nowhere">b</a>
      <a href="gone.json">c</a><img src="https://example.org/x.png"><script>throw new Error("no")</script>
      """
    try folder.write(page, to: "index.html")
    try folder.write("<!DOCTYPE html><title>second</title>", to: "second.html")
    try folder.write("<!DOCTYPE html><title>lonely</title>", to: "lonely.html")
    let result = try runProcess(
      "/usr/bin/env",
      ["python3", TestTools.path("browse-site.py"), folder.path, try #require(Browser.path)],
      timeoutSeconds: 200)
    #expect(result.status == 1)
    for problem in [
      "there is no /gone.html", "the link to /second.html#nowhere leads to no place",
      "there is no /gone.json",
      "a request left the machine: https://example.org/x.png", "a script failed",
      "no link leads to /lonely.html", "the search for length-unproven has no result",
    ] { #expect(result.stdout.contains(problem), "\(problem): \(result.stdout)") }
  }

  @Test func `a dead link, a dead anchor, an unknown option and an error without a page each end the build`()
    throws
  {
    let site = try SiteFolder()
    // These are all reported together.
    try site.append("[anchor](manifest.md#nowhere) and `syncmake run --no-such-option`", to: "docs/lock.md")
    let warned = try site.build()
    #expect(warned.status != 0)
    #expect(warned.text.contains("#nowhere") && warned.text.contains("run has no option --no-such-option"))
    try site.append("[page](nowhere.md)", to: "docs/ci.md")
    let dead = try site.build()
    #expect(dead.status != 0 && dead.text.contains("docs/ci.md: the link to nowhere.md leads to no page"))
    let errors = try #require(site.folder.text("docs/errors.md"))
    try site.folder.write(
      errors.replacingOccurrences(of: "### stalled\n", with: "### stuck\n"), to: "docs/errors.md")
    let unknown = try site.build()
    #expect(unknown.status != 0 && unknown.text.contains("the code stalled has no section"))
    #expect(unknown.text.contains("the section stuck is for no code"))
  }

  @Test func `a new page is in the navigation without an entry`() throws {
    let site = try SiteFolder()
    try site.folder.write("# Brand new\n\nText.\n", to: "docs/brand-new.md")
    let built = try site.build()
    #expect(built.status == 0, "\(built.text)")
    #expect(site.folder.text("site/index.html")?.contains("href=\"brand-new.html\"") == true)
  }
}

/// docs/errors.md has each code and each warning, also where mkdocs is not installed.
@Suite struct `docs/errors.md` {
  private let text: String

  init() throws {
    text = try String(contentsOfFile: "\(ExampleFolder.project)/docs/errors.md", encoding: .utf8)
  }

  private func check(_ page: String) throws -> ProcessResult {
    let folder = try TemporaryFolder()
    try folder.write(page, to: "errors.md")
    let script = "\(ExampleFolder.project)/scripts/site.d/errors.py"
    return try runProcess("/usr/bin/env", ["python3", script, folder.path("errors.md")])
  }

  @Test func `every code has a section with its cause and what to do`() throws {
    let result = try check(text)
    #expect(result.status == 0 && result.stdout == "", "\(result.stdout)\(result.stderr)")
  }

  @Test(arguments: [
    ("### tls\n", "### ssl\n", "the code tls has no section"),
    ("### tls\n", "### tls\n\n### ssl\n", "the section ssl is for no code"),
    ("- **Cause**: an expired certificate", "an expired certificate", "the section tls has no Cause"),
    (
      "- **Fix**: a digest beside the file", "a digest beside the file", "the section no-validator has no Fix"
    ),
  ])
  func `a fault in the page is found`(old: String, new: String, problem: String) throws {
    #expect(text.contains(old))
    let result = try check(text.replacingOccurrences(of: old, with: new))
    #expect(result.status == 1 && result.stdout.contains(problem), "\(result.stdout)")
  }
}

/// What is made of other files of the project, and what has to name all of them.
@Suite struct MadeDocumentsTests {
  @Test func `the picture in the README is the screen that the terminal's tests expect`() throws {
    let project = ExampleFolder.project
    let result = try runProcess("/usr/bin/env", ["python3", "\(project)/scripts/site.d/picture.py"])
    #expect(result.stdout == (try String(contentsOfFile: "\(project)/docs/images/live.svg", encoding: .utf8)))
    #expect(result.stdout.contains("1.0 MB of 4.0 MB") && !result.stdout.contains("(rate)"))
  }

  @Test func `docs/freshness.md names every reason`() throws {
    let project = ExampleFolder.project
    let data = try #require(FileManager.default.contents(atPath: "\(project)/schema/run.schema.json"))
    let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let target = try #require((schema["definitions"] as? [String: Any])?["target"] as? [String: Any])
    let reason = try #require((target["properties"] as? [String: Any])?["reason"] as? [String: Any])
    let text = try String(contentsOfFile: "\(project)/docs/freshness.md", encoding: .utf8)
    let reasons = try #require(reason["enum"] as? [String])
    #expect(reasons.count >= 20)
    for reason in reasons { #expect(text.contains("`\(reason)`"), "\(reason)") }
  }
}
