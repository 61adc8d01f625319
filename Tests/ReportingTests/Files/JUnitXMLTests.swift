import Foundation
import SyncModel
import SyncTestSupport
import Testing

@testable import Reporting

@Suite struct JUnitXMLTests {
  private static let checker = TestTools.path("check-junit.py")

  /// The checker's answer for `files`.
  private static func verdict(_ files: [String]) throws -> (isGood: Bool, words: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try files.enumerated().map { i, text in
      let file = folder.appending(path: "\(i).xml")
      try text.write(to: file, atomically: true, encoding: .utf8)
      return file.path
    }
    let result = try runProcess("/usr/bin/env", ["python3", checker] + paths, timeoutSeconds: 60)
    try #require(result.status == 0 || result.status == 1, "\(result.stderr)")
    return (result.status == 0, result.stdout)
  }

  private static func file(_ results: [TargetResult], _ manifest: Manifest = Samples.manifest) -> String {
    let story = RunStory(manifest, results: results)
    return story.file(JUnitXML(story.header))
  }

  @Test func `a failure that belongs to no target is a test case of the run`() throws {
    let story = RunStory(Samples.manifest, results: [])
    var end = story.end
    end.failure = .diskFull(path: ".syncmake")
    var file = JUnitXML(story.header)
    let text = file.finish(end, at: .zero)
    #expect(text.contains("tests=\"1\" failures=\"1\" errors=\"0\""))
    #expect(
      text.contains("<failure message=\"disk-full: no space is left to write .syncmake\" type=\"disk-full\">")
    )
    let verdict = try Self.verdict([text])
    #expect(verdict.isGood, "\(verdict.words)")
  }

  @Test func `each target is a test case, and an optional failure is a skipped one`() {
    var manifest = Samples.manifest
    for index in manifest.targets.indices {
      manifest.targets[index].span = SourceSpan(line: 3 + index, column: 3, endColumn: 8)
    }
    var results = Samples.results
    var failed = Samples.result(manifest.targets[2], .failed)
    failed.failure = TargetFailure(
      .truncated(url: Samples.url, received: 5, expected: 7), tries: 3, keptPartial: 5000)
    failed.duration = .milliseconds(61_042)
    results.append(failed)
    #expect(
      Self.file(results, manifest) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="syncmake" tests="5" failures="1" errors="0" skipped="2" time="0.660">
          <testsuite name="syncmake.yaml" timestamp="2026-11-21T10:00:00Z" tests="5" failures="1" errors="0" skipped="2" time="0.660">
            <testcase classname="syncmake" name="genes" file="syncmake.yaml" line="3" time="0.012">
              <system-out>updated: validator-changed: ETag &quot;a1&quot; is now &quot;b2&quot;</system-out>
            </testcase>
            <testcase classname="syncmake" name="index" file="syncmake.yaml" line="4" time="0.000">
              <system-out>fresh: not-modified: ETag &quot;a1&quot; is unchanged</system-out>
            </testcase>
            <testcase classname="syncmake" name="copy" file="syncmake.yaml" line="5" time="61.042">
              <failure message="truncated: the reply from \(Samples.url) broke off after 5 B of 7 B (3 tries)" type="truncated">syncmake: error: copy: the reply from \(Samples.url) broke off after 5 B of 7 B (3 tries)
          5.0 kB of the download are kept; the next run resumes there
          hint: run again to resume the download</failure>
            </testcase>
            <testcase classname="syncmake" name="sums" file="syncmake.yaml" line="6" time="0.000">
              <skipped message="optional: http-status: HTTP status 404 (not found) from \(Samples.url)">syncmake: warning: sums (optional): HTTP status 404 (not found) from \(Samples.url)
          the old file is kept
          hint: check the URL in the manifest; a list under `url` gives mirrors</skipped>
            </testcase>
            <testcase classname="syncmake" name="checked" file="syncmake.yaml" line="7" time="0.000">
              <skipped message="it depends on sums, which did not succeed">it depends on sums, which did not succeed</skipped>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  @Test(
    "the manifest's path gives a package and a class",
    arguments: [
      ("assets/syncmake.yaml", "assets.syncmake"), ("./a/../b.yml", "a.b"), ("/srv/x.yaml", "srv.x"),
      ("odd", "odd"),
    ])
  func classes(path: String, name: String) {
    var manifest = Samples.manifest
    manifest.fileName = path
    #expect(Self.file(Samples.results, manifest).contains("<testcase classname=\"\(name)\" name=\"genes\""))
  }

  @Test func `whatever the texts contain, common readers can read the file`() throws {
    let texts = [
      "]]>", "a&b<c>\"'", "\u{0}\u{8}\u{1B}[31m\u{9F}\u{85}", "\u{FFFE}\u{FFFF}", "🙂 e\u{301} 東京",
      "\r\n\t", "::error::x", "##[x]", "<!DOCTYPE x>", "&#0;", "\u{2028}\u{202E}",
    ]
    let files = texts.map { text in
      let target = Samples.manifest.targets[0]
      var results: [TargetResult] = []
      var manifest = Samples.manifest
      manifest.fileName = "m\(text)"
      manifest.targets = []
      for cause in AllValues.causes(text) {
        var copy = target
        copy.id = TargetID(results.count)
        copy.name = TargetName("\(text) \(results.count)")
        manifest.targets.append(copy)
        var result = Samples.result(copy, .failed)
        result.failure = TargetFailure(cause, tries: 3)
        result.isOptional = results.count.isMultiple(of: 3)
        results.append(result)
      }
      for reason in AllValues.reasons(text) {
        var copy = target
        copy.id = TargetID(results.count)
        copy.name = TargetName("\(text) \(results.count)")
        manifest.targets.append(copy)
        results.append(Samples.result(copy, .fresh, reason))
      }
      return Self.file(results, manifest)
    }
    let verdict = try Self.verdict(files + [Self.file([])])
    #expect(verdict.isGood, "\(verdict.words)")
  }

  @Test(
    "the checker refuses what the readers could not read",
    arguments: [
      ("failures=\"0\"", "failures=\"7\""), ("<testcase ", "<case "), (" name=\"genes\"", ""),
      ("\"optional: http-status", "\"\u{1}"), ("time=\"0.012\"", "time=\"12 ms\""), ("</testsuites>", ""),
    ])
  func refused(part: String, replacement: String) throws {
    let good = Self.file(Samples.results)
    let bad = good.replacing(part, with: replacement)
    #expect(bad != good)
    #expect(try !Self.verdict([bad]).isGood)
  }
}
