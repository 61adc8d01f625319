import SyncModel
import Testing

@testable import Reporting

@Suite struct RunNarratorTests {
  private static let genes = TargetID(0)

  /// A run with something of everything in it.
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
        updated  genes  data/genes.tsv  456 B  validator-changed
        skipped  checked  data/checked  it depends on sums, which did not succeed
        1 updated, 1 fresh, 1 failed, 1 skipped in 3.2 s

        """)
  }

  @Test func `everything else goes to standard error`() {
    #expect(
      tell(.normal).err == """
        syncmake: waiting for another run: pid 4711 on build
        syncmake: genes: try 2 failed, the next in 8 s: HTTP status 503 (service unavailable) from https://data.example.org/genes.tsv.gz
        syncmake: warning: genes: gave up https://data.example.org/genes.tsv.gz: HTTP status 503 (service unavailable) from https://data.example.org/genes.tsv.gz
        syncmake: warning: genes: https://data.example.org/genes.tsv.gz sends no ETag and no Last-Modified, so the rule etag never finds it fresh
        syncmake: hint: rules that work without them: {interval: 1d, then: always}, {sha256: {url: …}}, once, always
        syncmake: warning: cannot use the state (not a database): it is set aside as .syncmake/state.damaged
        syncmake: warning: cannot write .syncmake/state (Permission denied): this run, or a part of it, is not remembered
        syncmake: hint: check its path, its permissions and the room on the disk, or name another folder with --state-dir
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
    #expect(transcript.out.contains("fresh  index  data/index  not-modified\n"))
  }

  @Test func `silent tells errors only`() {
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
        syncmake: error: genes: a request is needed, and --offline forbids it
          hint: run again without --offline, or --frozen, which means it too

        """)
    #expect(transcript.out.isEmpty)
  }

  @Test func `colour changes no letter`() {
    let painted = tell(.verbose, colour: true)
    let plain = tell(.verbose)
    #expect(painted.out.contains("\u{1B}[32mupdated\u{1B}[0m"))
    #expect(painted.err.contains("\u{1B}[1;33mwarning:\u{1B}[0m"))
    #expect(Harm.withoutPaint(painted.out) == plain.out)
    #expect(Harm.withoutPaint(painted.err) == plain.err)
  }

  @Test(
    "a run that found nothing to do says so in one line",
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

  @Test func `an update to the same bytes and a run that was stopped are told apart`() {
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
        updated  genes  data/genes.tsv  456 B  validator-changed  (same content)
        skipped  copy  data/copy  there is no file to record
        interrupted: 1 updated, 0 fresh, 0 failed, 2 skipped in 40 ms

        """)
  }

  @Test func `an interruption with nothing done is not called up to date`() {
    let transcript = Transcript()
    transcript.narrator(.normal).finish(status: .interrupted, results: [], duration: .zero)
    #expect(transcript.out == "interrupted: 0 updated, 0 fresh, 0 failed, 0 skipped in 0 ms\n")
  }
}
