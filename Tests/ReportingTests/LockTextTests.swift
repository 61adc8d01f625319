import Planning
import SyncModel
import Testing

@testable import Reporting

@Suite struct LockTextTests {
  private func rendered(_ changes: [PinChange], hadLock: Bool = true) -> String {
    LockText.render(changes, hadLock: hadLock, targets: 4, style: TextStyle(), secrets: SecretMask())
  }

  @Test func `each change has a line, and the last line is for the file`() {
    #expect(
      rendered(Samples.pinChanges) == """
        added  a
        moved  b  sha256 abababababab to efefefefefef, 456 B to 5 B
        renewed  c
        removed  d
        wrote syncmake.lock: 1 added, 1 moved, 1 renewed, 1 removed

        """)
  }

  @Test func `a value that moved counts as moved, in the text and in JSON`() {
    let values = [ValueChange(name: "stamp", was: "v1", now: "v2")]
    let text = LockText.render(
      Samples.pinChanges, values, hadLock: true, targets: 4, style: TextStyle(), secrets: SecretMask())
    #expect(text.hasSuffix(": 1 added, 2 moved, 1 renewed, 1 removed\n"))
    let json = UpdateJSON.render(
      Samples.pinChanges, values, results: [], status: .ok, manifest: Samples.manifest)
    #expect(json.contains("\"moved\": 2,"))
  }

  @Test func `a first lock is reported in one line, and so is an unchanged one`() {
    #expect(rendered([Samples.pinChanges[0]], hadLock: false) == "wrote syncmake.lock: 1 added\n")
    #expect(rendered([]) == "syncmake.lock is up to date: 4 targets\n")
    #expect(rendered([], hadLock: false) == "wrote syncmake.lock: 4 targets\n")
  }

  private func review(_ lock: LockFile, line: String? = nil) -> [Diagnostic] {
    LockReviewText.diagnostics(
      LockReview(lock, Samples.manifest), manifest: Samples.manifest, file: "syncmake.lock",
      severity: .warning,
      places: [TargetName("genes"): SourceSpan(line: 4, column: 3, endColumn: 8)],
      lines: { $0.map { _ in line } })
  }

  @Test(arguments: [(Diagnostic.Severity.warning, 6), (.error, 8)])
  func `of many contradictions the first are warnings, and all are errors`(
    severity: Diagnostic.Severity, count: Int
  ) throws {
    var review = LockReview(LockFile(), Samples.manifest)
    review.lacking = []
    review.contradictions = Array(
      repeating: (id: TargetID(0), what: LockContradiction.transformed), count: 8)
    // The file is looked through once, however many problems it has.
    var readings: [[Int]] = []
    let problems = LockReviewText.diagnostics(
      review, manifest: Samples.manifest, file: "syncmake.lock", severity: severity,
      places: [TargetName("genes"): SourceSpan(line: 4, column: 3, endColumn: 8)]
    ) { numbers in
      readings.append(numbers)
      return numbers.map { "line \($0)" }
    }
    #expect(problems.count == count)
    #expect(readings.count == 1)
    #expect(problems[4].sourceLine == "line 4")
    let last = try #require(problems.last)
    #expect(last.severity == severity)
    if severity == .warning {
      #expect(last.message == "the manifest contradicts the lock of 3 more targets")
      #expect(
        last.hint
          == "`syncmake validate --locked` names them; `syncmake update` locks all present definitions")
      #expect(last.span == nil)
    } else {
      #expect(last.sourceLine == "line 4")
    }
  }

  @Test func `many targets without a pin are one warning`() throws {
    let warning = try #require(review(LockFile()).first)
    #expect(review(LockFile()).count == 1)
    #expect(warning.message.hasPrefix("\(Samples.manifest.targets.count) targets are not locked: genes, "))
    #expect(warning.hint == "`syncmake lock` adds what is missing")
    #expect(warning.severity == .warning && warning.span == nil)
  }

  @Test func `what another manifest has locked is named before lock removes it`() throws {
    let warning = try #require(review(LockFile(pins: [TargetName("other"): Samples.pin])).first)
    #expect(
      warning.hint
        == "`syncmake lock` adds what is missing; it removes what this manifest does not have: other")
  }

  @Test func `a contradiction has its place, and the texts of a foreign lock do no harm`() throws {
    var pin = Samples.pin
    pin.source = .urls(["https://x/\u{1B}[2J\n::error::gone"])
    let problems = review(LockFile(pins: [TargetName("genes"): pin]), line: "  \"genes\": \u{1B}[31m")
    let shown = DiagnosticText.render(problems, style: TextStyle())
    #expect(shown.hasPrefix("syncmake.lock:4:3: warning: genes: locked from https://x/"))
    #expect(Harm.found(in: shown, secrets: []) == nil)
  }
}
