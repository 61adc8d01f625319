import Planning
import SyncModel
import Testing

@testable import Reporting

@Suite struct ExplainTextTests {
  private let targets = Samples.manifest.targets
  private let folder = Samples.target(
    0, "genes", output: "out", steps: [.unpack(UnpackRules(.folder(TreeRules())))])

  private func explain(
    _ target: Target, _ planned: PlannedTarget, decidedAt line: TableLine, recorded: Bool = true
  ) -> String {
    let record = recorded ? Samples.record(target, validators: Samples.validators("\"a1\"")) : nil
    let lines = Explanation.lines(decidedAt: line)
    return ExplainText.render(
      Explanation(target: target, record: record, lines: lines, planned: planned), style: TextStyle(),
      secrets: Samples.none)
  }

  @Test func `a stale target is explained line by line`() {
    let planned = Samples.planned(targets[1], .update, Samples.changed, needs: ["genes"], bytes: 1234)
    #expect(
      explain(targets[1], planned, decidedAt: .rule) == """
        index is stale: validator-changed
          ETag "a1" is now "b2"

        - 1  -o does not name it
        - 2  data/index is there
        - 3  data/index is unchanged since it was written: 456 B, sha256 abababababab...
        - 4  neither -B nor -W names it
        - 5  url, steps and output have not changed in the manifest
        - 6  its dependencies have not changed so far: genes
        - 7  checked 2026-11-21T07:00:00Z, changed 2026-11-19T10:00:00Z, validator: ETag "a1"
        > 8  the rule (etag): ETag "a1" is now "b2"

        run would fetch https://data.example.org/genes.tsv.gz (1.2 kB) and write data/index

        """)
  }

  @Test func `lines that were not reached say what they would have checked`() {
    let planned = Samples.planned(targets[0], .update, .stale(.outputMissing))
    #expect(
      explain(targets[0], planned, decidedAt: .output, recorded: false) == """
        genes is stale: output-missing
          the output does not exist

        - 1  -o does not name it
        > 2  data/genes.tsv is missing
          3  whether data/genes.tsv was edited: not reached
          4  whether -B or -W names it: not reached
          5  whether url, steps or output changed in the manifest: not reached
          6  whether a dependency changed: not reached
          7  whether something is recorded: not reached
          8  the rule (etag): not reached

        run would fetch https://data.example.org/genes.tsv.gz and write data/genes.tsv

        """)
  }

  @Test(
    "a folder of which something is missing is incomplete, not missing",
    arguments: [
      (FolderGap.files(1, of: 6, first: "a"), "out/ is incomplete: 1 of 6 files is missing: a"),
      (.files(2, of: 6, first: "a"), "out/ is incomplete: 2 of 6 files are missing, first a"),
      (.files(0, of: 6, first: "e"), "out/ is incomplete: an empty folder is missing: e"),
      (.interruptedChange, "out/ is incomplete: its last change was interrupted, and is completed first"),
    ])
  func incomplete(gap: FolderGap, line: String) {
    let planned = Samples.planned(folder, .update, .stale(.folderIncomplete(gap)))
    #expect(explain(folder, planned, decidedAt: .output).contains("\n> 2  \(line)\n"))
  }

  @Test func `edited files that are kept are not called unchanged`() {
    var target = folder
    let planned = Samples.planned(target, .update, .stale(.forced))
    #expect(
      explain(target, planned, decidedAt: .forced).contains(
        "\n- 3  out/ is unchanged since it was written: 456 B"))
    target.localChanges = .keep
    #expect(
      explain(target, planned, decidedAt: .forced).contains(
        "\n- 3  out/ is unchanged since it was written, except for any edited files, which are kept: 456 B"))
  }

  @Test func `what is published together is named, up to ten`() {
    let planned = Samples.planned(targets[0], .update, .stale(.outputMissing))
    func last(_ fellows: Int) -> String {
      var explanation = Explanation(
        target: targets[0], record: nil, lines: Explanation.lines(decidedAt: .output), planned: planned)
      explanation.fellows = (0..<fellows).map { TargetName("t\($0)") }
      let text = ExplainText.render(explanation, style: TextStyle(), secrets: Samples.none)
      return text.split(separator: "\n").last.map(String.init) ?? ""
    }
    #expect(last(0) == "run would fetch https://data.example.org/genes.tsv.gz and write data/genes.tsv")
    #expect(last(2) == "published together with t0, t1: all change, or none")
    #expect(
      last(12)
        == "published together with t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more: all change, or none")
  }

  @Test func `of many dependencies the first ten are named`() {
    let names = (0..<12).map { "t\($0)" }
    let first = names.prefix(10).joined(separator: ", ") + " and 2 more"
    let stale = Samples.planned(targets[1], .update, Samples.changed, needs: names)
    #expect(
      explain(targets[1], stale, decidedAt: .rule).contains(
        "\n- 6  its dependencies have not changed so far: \(first)\n"))
    let waits = explain(
      targets[1], Samples.planned(targets[1], .maybe, waitsFor: names), decidedAt: .dependencies)
    #expect(waits.contains("\n  depends on the result of \(first)\n"))
    #expect(waits.hasSuffix("run would decide after \(first)\n"))
  }

  @Test(
    "each action has its verdict and its outlook",
    arguments: [
      (PlanAction.fresh, "copy is fresh: inputs-unchanged", "run would leave data/copy as it is"),
      (
        .update, "copy is stale: inputs-unchanged",
        "run would make it again from its input and write data/copy"
      ),
    ])
  func outlook(action: PlanAction, first: String, last: String) throws {
    let planned = Samples.planned(targets[2], action, .fresh(.inputsUnchanged))
    let lines = explain(targets[2], planned, decidedAt: .ruleWithoutRecord).split(separator: "\n")
    #expect(try #require(lines.first) == first)
    #expect(try #require(lines.last) == last)
  }

  @Test func `a target that waits for others or for the network is explained`() {
    let waits = explain(
      targets[1], Samples.planned(targets[1], .maybe, waitsFor: ["genes"]), decidedAt: .dependencies)
    #expect(waits.hasPrefix("index may be stale\n  depends on the result of genes\n"))
    #expect(waits.hasSuffix("run would decide after genes\n"))
    let offline = explain(targets[1], Samples.planned(targets[1], .maybe), decidedAt: .rule)
    #expect(offline.hasPrefix("index may be stale: offline\n"))
    #expect(
      offline.hasSuffix(
        "run would ask https://data.example.org/genes.tsv.gz and decide by the answer; with --offline it would fail\n"
      ))
  }

  @Test func `a target that cannot be judged has the failure and the hint`() {
    let cause = FailureCause.outputModified(expected: Samples.hex("aa", .sha256), actual: nil)
    let text = explain(targets[0], Samples.planned(targets[0], .error, failure: cause), decidedAt: .edits)
    #expect(text.hasPrefix("genes was edited: output-modified\n  the output was edited locally"))
    #expect(text.contains("> 3  the output was edited locally"))
    #expect(text.contains("run would fail, unless this changes first\n"))
    #expect(
      text.hasSuffix(
        "hint: --overwrite replaces it, `local_changes: keep` keeps it; or move it away and run again\n"
          + "see: https://github.com/syncmake/syncmake/blob/main/docs/errors.md#output-modified\n"))
  }

  @Test func `a check that failed leaves the verdict open`() {
    let text = explain(targets[0], Samples.planned(targets[0], .error, failure: .offline), decidedAt: .rule)
    #expect(text.hasPrefix("genes cannot be judged: offline\n"))
  }

  @Test func `the explanation says that a server's digests do not prove the file's origin`() {
    let md5 = Samples.hex("aa", .md5)
    var planned = Samples.planned(targets[0], .update, .stale(.outputMissing))
    #expect(!explain(targets[0], planned, decidedAt: .output).contains("digests"))
    planned.serverDigests = [ServerDigest(.contentMD5, .md5, md5)]
    #expect(
      explain(targets[0], planned, decidedAt: .output).contains(
        "\nthe server sends Content-MD5 (md5 aaaaaaaaaaaa...): such digests can prove a complete transfer "
          + "and freshness, but not the file's origin\n"))
    var ignoring = targets[0]
    ignoring.serverDigest = .ignore
    #expect(
      explain(ignoring, planned, decidedAt: .output).contains(
        "\nserver_digest: ignore: digests from the server are ignored\n"))
  }

  @Test func `a list that says enough decides instead of the rule`() {
    let same = Samples.planned(targets[0], .fresh, .fresh(.listUnchanged(.digest(.sha256))))
    #expect(
      explain(targets[0], same, decidedAt: .rule).contains(
        "\n> 8  the list decides: the list has the sha256 of the last download\n"))
  }

  @Test func `without a record the rule judges the file itself`() {
    let md5 = Samples.hex("aa", .md5)
    let rule = FreshnessRule.digest(DigestRule(algorithm: .md5, expected: .literal(md5)))
    let target = Samples.target(0, "genes", freshness: rule)
    let text = explain(
      target, Samples.planned(target, .fresh, .fresh(.digestMatches(.md5, md5))),
      decidedAt: .ruleWithoutRecord,
      recorded: false)
    #expect(
      text.contains(
        "> 7  no record describes its bytes, so the rule (md5) judges the file itself: md5 is \(md5), the same as published"
      ))
    #expect(text.contains("- 3  no record describes data/genes"))
  }
}
