import SyncModel
import Testing

@testable import Reporting

@Suite struct StepOutputsTests {
  private func text(_ results: [TargetResult], secrets: SecretMask = Samples.none) -> String {
    StepOutputs.text(RunEnd(results: results, status: .failed, duration: .zero), secrets: secrets)
  }

  @Test func `changed and failed targets are listed by name`() {
    #expect(
      text(Samples.results) == """
        changed=true
        updated=["genes"]
        failed=["sums"]

        """)
  }

  @Test func `a download with the same bytes is not a change`() {
    var same = Samples.results[0]
    same.isUnchanged = true
    #expect(text([same, Samples.results[1]]) == StepOutputs.allFresh)
    #expect(StepOutputs.allFresh == "changed=false\nupdated=[]\nfailed=[]\n")
  }

  @Test func `no name can begin a line or an output`() {
    var result = Samples.results[0]
    result.name = TargetName("a\nfailed=[]\r::error::\"x\" hunter2")
    var secrets = SecretMask()
    secrets.add("hunter2")
    let text = text([result, Samples.results[0]], secrets: secrets)
    #expect(text.split(separator: "\n").count == 3)
    #expect(text.contains(#"updated=["a\nfailed=[]\r::error::\"x\" ***", "genes"]"#))
  }
}

@Suite struct ChangedListTests {
  private func text(_ results: [TargetResult]) -> String {
    var list = ChangedList(
      RunHeader(manifest: Samples.manifest, version: "1", time: Samples.now, began: .zero))
    for result in results { #expect(list.handle(.finished(result), at: .zero).isEmpty) }
    return list.finish(RunEnd(results: results, status: .failed, duration: .zero), at: .zero)
  }

  @Test func `outputs with new content are listed in the manifest's order`() {
    let other = Samples.result(Samples.manifest.targets[2], .updated, .stale(.outputMissing))
    #expect(text([other] + Samples.results) == "data/genes.tsv\ndata/copy\n")
  }

  @Test func `unchanged, failed and fresh outputs are not listed`() {
    var same = Samples.results[0]
    same.isUnchanged = true
    #expect(text([same] + Samples.results.dropFirst()).isEmpty)
  }

  @Test func `no name can begin a line`() {
    var result = Samples.results[0]
    result.output = .file(Samples.path("a\n/etc/passwd"), mode: nil)
    #expect(text([result]) == "a /etc/passwd\n")
  }
}
