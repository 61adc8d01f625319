import Foundation
import SyncModel
import Testing

@testable import Reporting

@Suite struct FailureTextTests {
  @Test("every cause has its words and its advice", arguments: FailureCase.all)
  func words(failure: FailureCase) {
    #expect(FailureText.message(failure.cause, secrets: Samples.none) == failure.message)
    #expect(
      FailureText.hint(TargetFailure(failure.cause, tries: 1), target: nil, secrets: Samples.none)
        == failure.hint)
  }

  @Test func `messages are lower case, without a full stop, on one line`() {
    for text in FailureCase.all.flatMap({ [$0.message, $0.hint].compactMap(\.self) }) {
      let first = text.prefix { $0 != " " }
      #expect(first == first.lowercased() || ["HTTP"].contains(first), "\(text)")
      #expect(!text.hasSuffix(".") && !text.contains("\n"), "\(text)")
    }
  }

  @Test(
    "the message names the files that are kept",
    arguments: [
      (TargetFailure(.offline), nil), (TargetFailure(.offline, keptOutput: true), "the old file is kept"),
      (
        TargetFailure(.offline, isHalfway: true),
        "the folder may have both old and new files; the next run completes the change"
      ),
      (
        TargetFailure(.offline, keptPartial: 12_300_000),
        "12.3 MB of the download are kept; the next run resumes there"
      ),
      (
        TargetFailure(.offline, keptOutput: true, keptPartial: 5),
        "the old file is kept; 5 B of the download are kept; the next run resumes there"
      ),
      (
        TargetFailure(.outputModified(expected: FailureCase.a, actual: nil), keptOutput: true),
        "the edited file is unchanged"
      ),
      (
        TargetFailure(.outputModified(expected: nil, actual: nil), keptPartial: 5),
        "that file is unchanged; 5 B of the download are kept; the next run resumes there"
      ),
    ])
  func kept(failure: TargetFailure, expected: String?) {
    #expect(FailureText.kept(failure, of: nil) == expected)
  }

  @Test func `of several mirrors only the same one goes on`() {
    var target = Samples.manifest.targets[0]
    let failure = TargetFailure(.offline, keptPartial: 5)
    target.source = .urls([.web("https://a.example/f")])
    #expect(FailureText.kept(failure, of: target)?.hasSuffix("the next run resumes there") == true)
    target.source = .urls([.web("https://a.example/f"), .web("https://b.example/f")])
    #expect(FailureText.kept(failure, of: target)?.hasSuffix("there if it asks the same mirror") == true)
  }

  @Test func `several tries are counted in the message`() {
    let cause = FailureCause.httpStatus(500, url: FailureCase.url)
    #expect(
      FailureText.message(TargetFailure(cause, tries: 5), secrets: Samples.none)
        == "HTTP status 500 (internal server error) from https://h/f.gz (5 tries)")
    #expect(
      FailureText.message(TargetFailure(cause, tries: 1), secrets: Samples.none)
        == FailureText.message(cause, secrets: Samples.none))
  }

  @Test func `a command names the manifest as its user did`() {
    func message(_ options: String) -> String {
      let cause = FailureCause.lockMismatch(
        name: TargetName("a"), place: CommandPlace(options), locked: FailureCase.a, actual: FailureCase.b,
        ofDownload: true)
      return FailureText.message(cause, secrets: Samples.none)
    }
    #expect(message("").hasSuffix("; `syncmake update a` accepts it"))
    #expect(message(" -C x -f y.yaml").hasSuffix("; `syncmake update a -C x -f y.yaml` accepts it"))
  }

  @Test func `the number of tries does not follow a command`() {
    let cause = FailureCause.lockMismatch(
      name: TargetName("a"), place: CommandPlace(), locked: FailureCase.a, actual: FailureCase.a,
      ofDownload: true)
    #expect(
      FailureText.message(TargetFailure(cause, tries: 2), secrets: Samples.none)
        == FailureText.message(cause, secrets: Samples.none))
  }
}
