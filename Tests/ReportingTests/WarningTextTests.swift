import Foundation
import SyncModel
import Testing

@testable import Reporting

@Suite struct WarningTextTests {
  private static let warnings: [RunWarning] = [
    .noValidator(TargetID(0), url: Samples.url), .webPage(TargetID(0), url: Samples.url),
    .stateSetAside(path: ".syncmake/state.damaged", why: "not a database"),
    .stateUnreadable(why: "Permission denied"),
    .stateUnwritable(path: ".syncmake/state", why: "Permission denied"),
    .cacheUnusable(path: "/cache", .system("Permission denied")), .cacheEntryBad(path: "/cache/cas/ab/abc"),
    .remoteCacheUnusable(url: "https://cache.example/sm", .status(500)),
    .remoteCacheUnusable(url: "https://cache.example/sm", .notStored(status: 404)),
    .remoteCacheUnusable(url: "s3://bucket/sm", .refused(status: 403, code: "AccessDenied")),
    .remoteCacheUnusable(
      url: "s3://bucket/sm", .noKey(.missing(profile: "default", files: ["/h/.aws/config"]))),
    .reportUnwritable(path: "trace.json", why: "No space left on device"),
    .lock(Diagnostic(severity: .warning, file: "syncmake.lock", message: LockReviewText.lacking(["genes"]))),
  ]

  @Test(arguments: warnings)
  func `docs/errors.md has a section for each warning, with its words`(warning: RunWarning) throws {
    let file = URL(fileURLWithPath: #filePath)
    let project = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: project.appendingPathComponent("docs/errors.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n### \(WarningText.code(warning))\n").dropFirst().first)
    let quoted = try #require(section.firstMatch(of: /\*"(.+?)"\*/)).output.1
    let message = WarningText.message(warning, manifest: Samples.manifest)
    let pieces = quoted.split(separator: "…").map { $0.trimmingCharacters(in: [" ", "(", ")"]) }.filter {
      $0 != ""
    }
    #expect(!pieces.isEmpty)
    for words in pieces { #expect(message.contains(words), "\(message)") }
  }

  private static let faults: [RemoteCacheFault] =
    [
      .missing(profile: "p", files: ["/a", "/b"]), .missing(profile: "p", files: []),
      .noProfile("p", files: ["/a"]),
      .half(variable: "AWS_ACCESS_KEY_ID"), .unsupported(profile: "p", setting: "role_arn"),
      .unreadable(path: "/a", "no"), .writable(path: "/a"), .process(.missing), .process(.invalid("no")),
      .unusable,
      .noRegion, .invalid(setting: "AWS_REGION"),
    ].map { .noKey($0) }
    + [
      "SignatureDoesNotMatch", "RequestTimeTooSkewed", "NoSuchBucket", "AccessDenied", "InvalidAccessKeyId",
      "ExpiredToken",
      "PermanentRedirect", "Other",
    ].map { .refused(status: 403, code: $0) }
    + [
      .noKey(.foreign(path: "/a")), .spool(.system("No space left on device")), .status(404),
      .notStored(status: 404),
    ]

  @Test func `each trouble with a cache on a server has its own words, and a next step`() {
    let warnings = Self.faults.map { RunWarning.remoteCacheUnusable(url: "s3://bucket/sm", $0) }
    let texts = warnings.map { WarningText.message($0, manifest: Samples.manifest) }
    #expect(
      Set(texts).count == texts.count && texts.allSatisfy { $0.hasSuffix("): the run goes on without it") })
    #expect(warnings.allSatisfy { WarningText.hint($0) != nil })
    #expect(texts[0].contains("the profile p has none in /a and /b"))
    for fault: RemoteCacheFault in [.status(403), .notStored(status: 403)] {
      let denied = ["s3://bucket/sm", "https://cache.example/sm"].map {
        WarningText.hint(.remoteCacheUnusable(url: $0, fault)) ?? ""
      }
      #expect(denied[0].contains("AWS_") && denied[1].contains("helper"))
    }
    let refused = RunWarning.remoteCacheUnusable(url: "https://cache.example/sm", .notStored(status: 404))
    #expect(texts.last?.contains("a PUT with status 404") == true)
    #expect(WarningText.hint(refused)?.contains("`cas` and `ac`") == true)
    #expect(WarningText.hint(warnings[13])?.hasPrefix("set the clock") == true)
  }
}
