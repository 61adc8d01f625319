import SyncModel
import SyncTestSupport
import Testing

@testable import Reporting

@Suite struct StepSummaryTests {
  private static func end(_ results: [TargetResult], _ status: RunStatus = .failed) -> RunEnd {
    RunEnd(results: results, status: status, duration: .seconds(1))
  }

  @Test func `targets that need attention are first`() {
    #expect(
      StepSummary(Self.end(Samples.results), manifest: Samples.manifest).markdown() == #"""
        ### syncmake: 1 updated, 1 unchanged, 1 failed, 1 skipped

        | target | outcome | size | time | why |
        |---|---|--:|--:|---|
        | sums | failed \(optional\) |  | 0 ms | http-status\: HTTP status 404 \(not found\) from https\://data.example.org/genes.tsv.gz; hint\: check the URL in the manifest; a list under \`url\` gives mirrors |
        | genes | updated | 456 B | 12 ms | ETag "a1" -\> "b2" |
        | checked | skipped |  |  | it depends on sums, which did not succeed |
        | index | unchanged |  | 0 ms | ETag "a1" is unchanged |


        """#)
  }

  @Test func `if all targets are fresh, one sentence says so`() {
    let fresh = Samples.result(Samples.manifest.targets[0], .fresh, Samples.confirmed)
    let one = StepSummary(Self.end([fresh], .ok), manifest: Samples.manifest).markdown()
    #expect(one == "### syncmake\n\ngenes is up to date\n\n")
    let two = StepSummary(Self.end([fresh, fresh], .ok), manifest: Samples.manifest).markdown()
    #expect(two == "### syncmake\n\nall 2 targets are up to date\n\n")
    #expect(two == StepSummary.allFresh(2, first: fresh.name))
    // It begins a line, and is no item of a list.
    #expect(StepSummary.allFresh(1, first: TargetName("1.")) == "### syncmake\n\n1\\. is up to date\n\n")
    var kept = fresh
    kept.reason = .fresh(.keptModified)
    let edited = StepSummary(Self.end([kept, fresh], .ok), manifest: Samples.manifest).markdown()
    #expect(edited == "### syncmake\n\nall 2 targets are up to date; the edit of genes is kept\n\n")
  }

  /// Enough targets for several times the limit.
  private static func many(_ outcomes: [(Outcome, Int)]) -> (Manifest, [TargetResult]) {
    var manifest = Samples.manifest
    manifest.targets = []
    var results: [TargetResult] = []
    for (outcome, count) in outcomes {
      for _ in 0..<count {
        let target = Samples.target(results.count, "target-\(results.count)")
        manifest.targets.append(target)
        var result = Samples.result(target, outcome, outcome == .fresh ? Samples.confirmed : Samples.changed)
        if outcome == .failed { result.failure = TargetFailure(.httpStatus(404, url: Samples.url)) }
        results.append(result)
      }
    }
    return (manifest, results)
  }

  @Test func `fresh targets are left out first, and their number is given`() {
    let (manifest, results) = Self.many([(.fresh, 20_000), (.updated, 5), (.failed, 3)])
    let text = StepSummary(Self.end(results), manifest: manifest).markdown()
    #expect(text.utf8.count <= StepSummary.limit)
    #expect(text.utf8.count > StepSummary.limit - 500)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| target-") }
    #expect(rows.count { $0.contains("| updated |") } == 5)
    #expect(rows.count { $0.contains("| failed |") } == 3)
    let fresh = rows.count { $0.contains("| unchanged |") }
    #expect(fresh > 1000)
    #expect(text.hasSuffix("\nLeft out because of the size limit: \(20_000 - fresh) unchanged.\n\n"))
  }

  @Test func `failures are left out if there is too little room, and nothing is written if there is none`() {
    let (manifest, results) = Self.many([(.failed, 50), (.updated, 2), (.fresh, 4)])
    let summary = StepSummary(Self.end(results), manifest: manifest)
    for room in [1000, 2000, 5000] {
      let text = summary.markdown(room: room)
      #expect(text.utf8.count <= room)
      #expect(text.contains(" failed.\n") || text.contains("2 updated, 4 unchanged"))
    }
    for room in [0, 10, 200] { #expect(summary.markdown(room: room).isEmpty) }
  }

  @Test func `no text can leave its cell`() {
    var random = SeededGenerator(seed: 9)
    let pieces = [
      "|", "\n", "\\", "`", "<img src=x>", "[x](https://h)", "**", "&amp;", "\r", "| --- |", "$x$", "@all",
    ]
    for _ in 0..<200 {
      let text = (0..<5).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      var target = Samples.manifest.targets[0]
      target.name = TargetName(text)
      var manifest = Samples.manifest
      manifest.targets[0] = target
      var result = Samples.result(target, .failed)
      result.failure = TargetFailure(.tls(url: text, text: text))
      let row = StepSummary(Self.end([result]), manifest: manifest).markdown().split(separator: "\n")[3]
      #expect(Self.cells(row).count == 5)
      #expect(!row.unicodeScalars.contains { $0.value < 0x20 })
      // A backslash precedes every special character.
      var isEscaped = false
      for scalar in row.dropFirst(2).dropLast(2).unicodeScalars {
        if "<[`*$@&".unicodeScalars.contains(scalar) { #expect(isEscaped, "\(scalar) in \(row)") }
        isEscaped = scalar == "\\" && !isEscaped
      }
    }
  }

  /// A row's cells, as GitHub's Markdown splits them.
  private static func cells(_ row: Substring) -> [String] {
    var cells = [""]
    var isEscaped = false
    for scalar in row.dropFirst().dropLast().unicodeScalars {
      if scalar == "|", !isEscaped {
        cells.append("")
      } else {
        cells[cells.count - 1].unicodeScalars.append(scalar)
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return cells
  }

  @Test func `GitLab gets marks for a section that it can fold`() {
    #expect(
      GitLabSection.start("x\u{1B}[31m", at: Samples.now)
        == "\u{1B}[0Ksection_start:1795255200:syncmake_run[collapsed=true]\r\u{1B}[0Kx\\u{1B}[31m\n")
    #expect(
      GitLabSection.end(at: Samples.now) == "\u{1B}[0Ksection_end:1795255200:syncmake_run\r\u{1B}[0K\n")
  }
}
