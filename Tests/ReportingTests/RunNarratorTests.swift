import SyncModel
import Testing

@testable import Reporting

@Suite struct RunNarratorTests {
  private static let genes = TargetID(0)

  /// A run with one of everything.
  private static let events: [RunEvent] = [
    .waitingForLock(holder: "pid 4711 on build"), .started(targets: 4),
    .note(
      genes,
      .request(method: "GET", url: Samples.url, conditions: ["If-None-Match: \"a1\"", "If-Range: \"a1\""])),
    .note(genes, .redirect(from: Samples.url, to: "https://cdn.example.org/1")),
    .note(genes, .response(status: 200, url: "https://cdn.example.org/1", length: 1_234_567)),
    .decided(genes, Samples.changed),
    .retrying(genes, attempt: 1, after: .seconds(1), cause: .httpStatus(500, url: Samples.url)),
    .retrying(genes, attempt: 2, after: .seconds(8), cause: .httpStatus(503, url: Samples.url)),
    .nextMirror(genes, url: Samples.url, cause: .httpStatus(503, url: Samples.url)),
    .warning(.noValidator(genes, url: Samples.url)),
    .warning(.stateSetAside(path: ".syncmake/state.damaged", why: "not a database")),
    .warning(.stateUnwritable(path: ".syncmake/state", why: "Permission denied")),
  ]

  private func tell(_ verbosity: Verbosity, colour: Bool = false) -> Transcript {
    let transcript = Transcript()
    let narrator = transcript.narrator(verbosity, colour: colour)
    Self.events.forEach(narrator.handle)
    for result in Samples.results { narrator.handle(.finished(result)) }
    narrator.finish(status: .ok, results: Samples.results, duration: .milliseconds(3200))
    return transcript
  }

  @Test func `results go to standard output, a line each, and a summary`() {
    #expect(
      tell(.normal).out == """
        updated    genes    data/genes.tsv     456 B  ETag "a1" -> "b2"
        failed     sums     data/sums                 optional: HTTP status 404 (not found) from https://data.example.org/genes.tsv.gz
        skipped    checked  data/checked              it depends on sums, which did not succeed
        1 updated, 1 unchanged, 1 failed, 1 skipped in 3.2 s

        """)
  }

  @Test func `everything else goes to standard error`() {
    #expect(
      tell(.normal).err == """
        syncmake: waiting for another run: pid 4711 on build
        syncmake: genes: try 2 failed, the next in 8 s: HTTP status 503 (service unavailable) from https://data.example.org/genes.tsv.gz
        syncmake: warning: genes: gave up https://data.example.org/genes.tsv.gz: HTTP status 503 (service unavailable) from https://data.example.org/genes.tsv.gz
        syncmake: warning: genes: https://data.example.org/genes.tsv.gz sends no ETag and no Last-Modified, so the rule etag always finds it stale
        syncmake: hint: rules that work without them: {interval: 1d, then: always}, {sha256: {url: …}}, once, always
        syncmake: warning: cannot use the state (not a database): it was moved to .syncmake/state.damaged
        syncmake: warning: cannot write .syncmake/state (Permission denied): this run is not recorded, or only in part
        syncmake: hint: check its path, its permissions and the free space, or choose another folder with --state-dir
        syncmake: warning: sums (optional): HTTP status 404 (not found) from https://data.example.org/genes.tsv.gz
          the old file is kept
          hint: check the URL in the manifest; a list under `url` gives mirrors

        """)
  }

  @Test func `verbose shows each request, each reply and each decision`() {
    let transcript = tell(.verbose)
    #expect(
      transcript.err.hasPrefix(
        """
        syncmake: waiting for another run: pid 4711 on build
        > GET https://data.example.org/genes.tsv.gz (genes)
        >   If-None-Match: "a1"
        >   If-Range: "a1"
        < redirect from https://data.example.org/genes.tsv.gz to https://cdn.example.org/1 (genes)
        < 200 https://cdn.example.org/1, 1.2 MB (genes)
        syncmake: genes is stale: validator-changed: ETag "a1" is now "b2"
        syncmake: genes: try 1 failed, the next in 1 s: HTTP status 500 (internal server error) from https://data.example.org/genes.tsv.gz

        """))
    #expect(
      transcript.out.contains(
        "unchanged  index    data/index                not-modified: ETag \"a1\" is unchanged\n"))
    #expect(transcript.out.contains("  456 B  validator-changed: ETag \"a1\" is now \"b2\"\n"))
    #expect(transcript.out.contains("  optional: http-status: HTTP status 404"))
    #expect(
      transcript.err.contains(
        "gives mirrors\n  see: https://github.com/syncmake/syncmake/blob/main/docs/errors.md#http-status\n"))
  }

  @Test func `silent prints errors only`() {
    #expect(tell(.silent).out.isEmpty)
    #expect(tell(.silent).err.isEmpty, "an optional target's failure is a warning")
    let transcript = Transcript()
    var failed = Samples.result(Samples.manifest.targets[0], .failed)
    failed.failure = TargetFailure(.offline)
    let narrator = transcript.narrator(.silent)
    narrator.handle(.finished(failed))
    narrator.finish(status: .failed, results: [failed], duration: .zero)
    #expect(
      transcript.err == """
        syncmake: error: genes: this needs a request, but --offline is set
          hint: run again without --offline (--frozen implies --offline)

        """)
    #expect(transcript.out.isEmpty)
  }

  @Test func `colour does not change the text`() {
    let painted = tell(.verbose, colour: true)
    let plain = tell(.verbose)
    #expect(painted.out.contains("\u{1B}[32mupdated\u{1B}[0m"))
    #expect(painted.err.contains("\u{1B}[1;33mwarning:\u{1B}[0m"))
    #expect(Harm.withoutPaint(painted.out) == plain.out)
    #expect(Harm.withoutPaint(painted.err) == plain.err)
  }

  @Test(
    "a run without work prints one line",
    arguments: [
      (0, "nothing to do: no target is selected\n"), (1, "genes is up to date\n"),
      (3, "all 3 targets are up to date\n"),
    ])
  func allFresh(count: Int, expected: String) {
    let results = Samples.manifest.targets.prefix(count).map { Samples.result($0, .fresh, Samples.confirmed) }
    let transcript = Transcript()
    let narrator = transcript.narrator(.normal)
    for item in results { narrator.handle(.finished(item)) }
    narrator.finish(status: .ok, results: results, duration: .seconds(1))
    #expect(transcript.out == expected)
    #expect(transcript.err.isEmpty)
  }

  @Test func `an update to the same bytes and a stopped run are distinguished`() {
    var same = Samples.results[0]
    same.isUnchanged = true
    var stopped = Samples.result(Samples.manifest.targets[1], .skipped)
    stopped.skipped = .runStopped
    var untouched = Samples.result(Samples.manifest.targets[2], .skipped)
    untouched.skipped = .nothingToTouch
    let transcript = Transcript()
    let narrator = transcript.narrator(.normal)
    for item in [same, stopped, untouched] { narrator.handle(.finished(item)) }
    narrator.finish(status: .interrupted, results: [same, stopped, untouched], duration: .milliseconds(40))
    #expect(
      transcript.out == """
        unchanged  genes    data/genes.tsv     456 B  ETag "a1" -> "b2"
        skipped    copy     data/copy                 there is no file to record
        interrupted: 1 unchanged, 2 skipped in 40 ms; run again to continue

        """)
  }

  @Test(arguments: [(false, "; -k continues after a failure"), (true, "")])
  func `the last line tells how to get what a failure kept from beginning`(keepsGoing: Bool, advice: String) {
    let failed = Samples.result(Samples.manifest.targets[0], .failed)
    var stopped = Samples.result(Samples.manifest.targets[1], .skipped)
    stopped.skipped = .runStopped
    let transcript = Transcript()
    transcript.narrator(.normal).finish(
      status: .failed, results: [failed, stopped], keepsGoing: keepsGoing, duration: .milliseconds(40))
    #expect(transcript.out == "1 failed, 1 skipped in 40 ms\(advice)\n")
  }

  @Test func `an interrupted run without results is not called up to date`() {
    let transcript = Transcript()
    transcript.narrator(.normal).finish(status: .interrupted, results: [], duration: .zero)
    #expect(transcript.out == "interrupted: nothing done in 0 ms; run again to continue\n")
  }

  // MARK: Lines of single targets

  private func tell(
    _ results: [TargetResult], manifest: Manifest = Samples.manifest, selection: [TargetID]? = nil,
    width: Int? = nil
  ) -> String {
    let transcript = Transcript()
    let narrator = RunNarrator(
      manifest: manifest, style: TextStyle(), outStyle: TextStyle(width: width), verbosity: .normal,
      selection: selection, out: { transcript.out += $0 }, err: { _ in })
    for result in results { narrator.handle(.finished(result)) }
    narrator.finish(status: .ok, results: results, duration: .milliseconds(40))
    return transcript.out
  }

  @Test func `an output that did not exist before is called new`() {
    var new = Samples.result(Samples.manifest.targets[0], .updated, .stale(.outputMissing))
    new.content = Samples.identity(1_234_567)
    #expect(
      tell([new], selection: [TargetID(0)]) == """
        new        genes  data/genes.tsv    1.2 MB
        1 new in 40 ms

        """)
  }

  private var kept: TargetResult {
    var kept = Samples.result(Samples.manifest.targets[1], .fresh, .fresh(.keptModified))
    kept.content = Samples.identity(12)
    return kept
  }

  @Test func `a kept edit has a line`() {
    #expect(
      tell([kept, Samples.results[0]], selection: [TargetID(0), TargetID(1)]) == """
        kept       index  data/index          12 B  edited here; local_changes: keep
        updated    genes  data/genes.tsv     456 B  ETag "a1" -> "b2"
        1 updated, 1 kept in 40 ms

        """)
  }

  @Test func `if all targets are fresh there is one line, also with a kept edit`() {
    let fresh = Samples.result(Samples.manifest.targets[0], .fresh, Samples.confirmed)
    #expect(tell([fresh, kept]) == "all 2 targets are up to date; the edit of index is kept\n")
    #expect(tell([kept, fresh, kept]) == "all 3 targets are up to date; 2 edits are kept\n")
    #expect(
      tell([kept], selection: [TargetID(1)])
        == "kept       index  data/index      12 B  edited here; local_changes: keep\n")
  }

  @Test func `columns are aligned in any order of results, and long names do not widen them`() {
    var manifest = Samples.manifest
    manifest.targets[3].name = TargetName(String(repeating: "long", count: 30))
    manifest.targets[4].path = Samples.path("分類/名前.tsv")
    let results = manifest.targets.map { target in
      var result = Samples.result(target, .updated, .stale(.outputMissing))
      result.content = Samples.identity(Int64(1) << (12 * target.id.index))
      return result
    }
    for order in [results, results.reversed()] {
      let lines = tell(order, manifest: manifest).split(separator: "\n").dropLast()
      let ends = lines.filter { !$0.contains("long") }.map { TextWidth.of(String($0)) }
      #expect(Set(ends).count == 1, "\(lines)")
    }
    #expect(tell(results, manifest: manifest).contains(String(repeating: "long", count: 30)))
  }

  @Test func `an error that the terminal already shows is not repeated`() {
    var failed = Samples.results[2]
    failed.isOptional = false
    #expect(tell([failed], selection: [TargetID(3)], width: 80).hasPrefix("failed     sums  data/sums\n"))
  }

  @Test("no line is wider than a terminal", arguments: [40, 50, 80, 100])
  func fits(width: Int) {
    var manifest = Samples.manifest
    manifest.targets[2].name = TargetName(String(repeating: "long", count: 30))
    manifest.targets[2].path = Samples.path(String(repeating: "東京/", count: 30) + "x")
    let results = manifest.targets.map { target in
      var result = Samples.result(target, .updated, Samples.changed)
      result.content = Samples.identity(999_949_999)
      return result
    }
    let lines = tell(results, manifest: manifest, width: width).split(separator: "\n")
    #expect(lines.allSatisfy { TextWidth.of(String($0)) <= width && !$0.hasSuffix(" ") }, "\(lines)")
  }

  @Test("a terminal shows as much of a long name and output as fits", arguments: [80, 200])
  func longNames(width: Int) {
    for output in ["0", String(repeating: "b", count: 70)] {
      var manifest = Samples.manifest
      manifest.targets[0].name = TargetName(String(repeating: "a", count: 60))
      manifest.targets[0].path = Samples.path(output)
      var result = Samples.result(manifest.targets[0], .updated, .stale(.outputMissing))
      result.content = Samples.identity(1)
      let line = tell([result], manifest: manifest, selection: [TargetID(0)], width: width)
      let shown = line.prefix { $0 != "\n" }.split(separator: " ")
      #expect(shown.count == 5, "\(line)")
      #expect(shown[1].count >= 25 && shown[2].count >= min(output.utf8.count, 25), "\(line)")
    }
  }

  @Test(
    "changes are reported in a few words",
    arguments: [
      (
        .validatorChanged(recorded: Samples.validators(nil, "A"), observed: Samples.validators(nil, "B")),
        "Last-Modified A -> B"
      ),
      (.validatorChanged(recorded: nil, observed: Samples.validators("\"1\"")), nil),
      (.newerRemote(recorded: "A", observed: "B"), "Last-Modified A -> B"),
      (
        .digestDiffers(.md5, expected: Samples.hex("22", .md5), actual: Samples.hex("11", .md5)),
        "md5 111111111111 -> 222222222222"
      ),
      (.definitionChanged([FieldChange(field: "url", was: "a", now: "b")]), "url changed in the manifest"),
      (
        .dependencyChanged([DependencyChange(kind: .needs, name: TargetName("genes"), was: nil, now: nil)]),
        "genes changed"
      ),
      (.outputModified(recorded: Samples.hex("22", .sha256), actual: nil), "an edit was replaced"),
      (.forced, "requested with -B or -W"), (.neverSynced, "it had no record"), (.outputMissing, nil),
      (.folderIncomplete(.files(1, of: 4, first: "a")), "1 of 4 files was missing"),
      (.folderIncomplete(.files(2, of: 4, first: "a")), "2 of 4 files were missing"),
      (.folderIncomplete(.files(0, of: 4, first: "a")), "an empty folder was missing"),
      (.folderIncomplete(.interruptedChange), "its last change was interrupted"),
      (.always, nil),
    ] as [(StaleReason, String?)])
  func changes(reason: StaleReason, expected: String?) {
    #expect(ChangeText.text(.stale(reason), secrets: Samples.none) == expected)
  }

  @Test func `secrets and control characters do not appear in the list of changes`() {
    var secrets = SecretMask()
    secrets.add("hunter2")
    let reason = StaleReason.validatorChanged(
      recorded: Samples.validators("\"hunter2\""), observed: Samples.validators("\"\u{1B}[2J\""))
    let text = ChangeText.text(.stale(reason), secrets: secrets)
    #expect(text == #"ETag "***" -> "\u{1B}[2J""#)
  }
}
