import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Reporting

/// Contract, section 6, promise 7: no report passes on raw text from servers or manifests.
@Suite struct HarmlessnessTests {
  private static let pieces = [
    "\u{1B}[31m", "\u{1B}]0;x\u{7}", "\u{9B}2J", "\r", "\n", "\r\n", "\t", "\u{0}", "\u{7F}", "\u{85}",
    "\u{202E}",
    "\u{2066}", "\u{2028}", "\u{200F}", "::error::", "::", ":", "##[error]", "##vso[x]", "#", "[",
    "##teamcity[", " ",
    "\"", "\\", "`", "東京", "🙂", "e\u{301}", "\u{301}", "plain", "/", "%1B", "https://h/x?k=",
  ]

  private static func text(_ random: inout SeededGenerator, _ secrets: [String]) -> String {
    (0..<Int.random(in: 0...12, using: &random)).reduce(into: "") { text, _ in
      text += (pieces + secrets).randomElement(using: &random) ?? ""
    }
  }

  /// Every report of this module with `text`, each with its name.
  private static func reports(_ text: String, _ secrets: SecretMask, _ style: TextStyle) -> [(String, String)]
  {
    var targets = Samples.manifest.targets
    targets[0].name = TargetName(text)
    targets[0].path = (try? RelativePath("data/" + text + "x")) ?? targets[0].output.path
    targets[0].source = .urls([.web(text)])
    let manifest = Manifest(fileName: text, targets: targets, secrets: secrets)
    let target = targets[0]
    let planned =
      AllValues.reasons(text).map { Samples.planned(target, .update, $0, needs: [text]) }
      + AllValues.causes(text).map { Samples.planned(target, .error, failure: $0) }
      + [Samples.planned(target, .maybe, waitsFor: [text], needs: [text])]
    let plan = Plan(targets: planned)
    let record = Samples.record(target, validators: Samples.validators(text, text, url: text))
    let statuses = [
      TargetStatus(
        id: target.id, name: target.name, output: target.output, state: .present, record: record)
    ]
    let graph = TargetGraph(manifest)
    let run = narrated(text, manifest, style)
    return [
      ("plan", PlanText.table(plan, style: style, secrets: secrets)),
      ("problems", PlanText.problems(plan, manifest: manifest, style: style)),
      ("plan JSON", PlanJSON.render(plan, manifest: manifest)),
      ("status", StatusText.render(statuses, manifest: manifest, style: style, now: Samples.now)),
      ("status JSON", StatusJSON.render(statuses, manifest: manifest)),
      ("dot", GraphText.dot(graph, manifest: manifest)),
      ("mermaid", GraphText.mermaid(graph, manifest: manifest)),
      ("graph JSON", GraphText.json(graph, manifest: manifest)),
      ("run JSON", RunJSON.render(results: run.results, status: .failed, manifest: manifest)),
      ("results", run.transcript.out), ("progress", run.transcript.err),
      ("message", MessageText.error(text, hint: text, style: style, secrets: secrets)),
    ]
      + files(run.results, manifest, text)
      + probes(text, secrets, style)
      + planned.map { planned in
        let lines = Explanation.lines(decidedAt: .rule)
        let explanation = Explanation(target: target, record: record, lines: lines, planned: planned)
        return ("explanation", ExplainText.render(explanation, style: style, secrets: secrets))
      }
  }

  /// The output for machines and pipelines; `GitHubTests` covers the commands in it.
  private static func files(
    _ results: [TargetResult], _ manifest: Manifest, _ text: String
  ) -> [(String, String)] {
    let story = RunStory(manifest, results: results, text: text)
    let events = EventLines(story.header)
    let summary = StepSummary(story.end, manifest: manifest)
    return [
      ("events", story.file(events, start: events.start())), ("JUnit", story.file(JUnitXML(story.header))),
      ("page", story.file(RunPageFile(story.header))),
      ("trace", story.file(TraceFile(story.header))), ("summary", summary.markdown()),
      ("short summary", summary.markdown(room: 3000)),
    ]
  }

  private static func probes(
    _ text: String, _ secrets: SecretMask, _ style: TextStyle
  ) -> [(String, String)] {
    let reports = ProbeSamples.all(text)
    let pages = reports.flatMap { report -> [String] in
      [
        ProbeText.render(report, now: Samples.now, style: style, secrets: secrets),
        ProbeText.failure(report, style: style, secrets: secrets) ?? "",
        AddText.unreachable(report, style: style, secrets: secrets) ?? "",
        report.advice.map {
          AddText.done(
            TargetName(text), in: text, text: "a: b", advice: $0, hasLock: true, style: style,
            secrets: secrets)
        } ?? "",
      ]
    }
    return [
      ("probe", pages.joined()),
      ("probe JSON", ProbeJSON.render(reports, now: Samples.now, secrets: secrets)),
    ]
  }

  private static func narrated(
    _ text: String, _ manifest: Manifest, _ style: TextStyle
  ) -> (transcript: Transcript, results: [TargetResult]) {
    let target = manifest.targets[0]
    let transcript = Transcript()
    let narrator = transcript.narrator(.verbose, manifest, colour: style.colour)
    var results = AllValues.reasons(text).map { Samples.result(target, .updated, $0) }
    for cause in AllValues.causes(text) {
      var failed = Samples.result(target, .failed)
      failed.failure = TargetFailure(cause, tries: 2, keptOutput: true, keptPartial: 3)
      failed.url = text
      results.append(failed)
      narrator.handle(.retrying(target.id, attempt: 1, after: .seconds(9), cause: cause))
      narrator.handle(.nextMirror(target.id, url: text, cause: cause))
    }
    var skipped = Samples.result(target, .skipped)
    skipped.skipped = .dependency(TargetName(text))
    results.append(skipped)
    let notes: [ExchangeNote] =
      [
        .request(method: "GET", url: text, conditions: [text]), .response(status: 200, url: text, length: 1),
        .redirect(from: text, to: text),
        .serverDigest(ServerDigest(.representation, .md5, Samples.hex("11", .md5)), ofPart: true),
      ] + IgnoredDigest.Reason.allCases.map { .ignoredDigest(IgnoredDigest(.digest, text, $0)) }
    for item in notes { narrator.handle(.note(target.id, item)) }
    for item in AllValues.reasons(text) { narrator.handle(.decided(target.id, item)) }
    narrator.handle(.waitingForLock(holder: text))
    narrator.handle(.warning(.noValidator(target.id, url: text)))
    narrator.handle(.warning(.stateSetAside(path: text, why: text)))
    narrator.handle(.warning(.stateUnwritable(path: text, why: text)))
    narrator.handle(.warning(.stateUnreadable(why: text)))
    narrator.handle(.warning(.reportUnwritable(path: text, why: text)))
    for fault in [CacheFault.missing, .ofStranger, .belongs(to: text), .system(text)] {
      narrator.handle(.warning(.cacheUnusable(path: text, fault)))
    }
    narrator.handle(.warning(.cacheEntryBad(path: text)))
    narrator.handle(
      .warning(.remoteCacheUnusable(url: text, .failed(.connectFailed(url: text, text: text)))))
    for fault in [
      StoreKeyFault.missing(profile: text, files: [text]), .noProfile(text, files: [text]),
      .half(variable: text),
      .unsupported(profile: text, setting: "role_arn"), .unreadable(path: text, text), .writable(path: text),
      .foreign(path: text),
      .process(.failed(status: 1, says: text)),
    ] {
      narrator.handle(.warning(.remoteCacheUnusable(url: text, .noKey(fault))))
    }
    narrator.handle(.warning(.remoteCacheUnusable(url: text, .refused(status: 403, code: text))))
    narrator.handle(.warning(.lock(Diagnostic(file: "m", message: manifest.secrets.mask(text)))))
    for item in results { narrator.handle(.finished(item)) }
    narrator.finish(status: .failed, results: results, duration: .seconds(1))
    return (transcript, results)
  }

  @Test("no control character, CI command or secret gets through", arguments: [false, true])
  func harmless(colour: Bool) {
    var random = SeededGenerator(seed: 20_261_121)
    let values = ["hunter2", "p\u{1B}[5m/w rd", "::stop-commands::tok"]
    let secrets = SecretMask(values: values)
    for _ in 0..<(Torture.isFull ? 20 : 5) {
      let text = Self.text(&random, values)
      for (name, report) in Self.reports(text, secrets, TextStyle(colour: colour)) {
        if let harm = Harm.found(in: report, secrets: values, colour: colour) {
          Issue.record("\(name) of \(text.debugDescription): \(harm)")
        }
      }
    }
  }

  @Test func `no source line of a manifest does harm`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let text = Self.text(&random, [])
      let column = Int.random(in: 1...40, using: &random)
      let problem = Diagnostic(
        file: text, span: SourceSpan(line: 3, column: column, endColumn: column + 4), message: text,
        hint: text,
        sourceLine: text)
      let shown = DiagnosticText.render([problem], style: TextStyle())
      #expect(Harm.found(in: shown, secrets: []) == nil)
      #expect(shown.split(separator: "\n").count == 4)
    }
  }

  @Test func `the same values give the same reports`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<5 {
      let text = Self.text(&random, ["hunter2"])
      let reports = (0..<2).map { _ in
        Self.reports(text, SecretMask(values: ["hunter2"]), TextStyle()).map(\.1)
      }
      #expect(reports[0] == reports[1])
    }
  }
}
