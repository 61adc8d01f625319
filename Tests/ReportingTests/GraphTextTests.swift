import Planning
import SyncModel
import Testing

@testable import Reporting

@Suite struct GraphTextTests {
  private let graph = TargetGraph(Samples.manifest)

  @Test func `the Graphviz text has every target and every kind of edge once`() {
    #expect(
      GraphText.dot(graph, manifest: Samples.manifest) == """
        digraph syncmake {
          rankdir=LR;
          node [shape=box];
          "genes";
          "index";
          "copy";
          "sums";
          "checked";
          "genes" -> "index" [label="needs"];
          "index" -> "copy" [label="after", style=dashed];
          "genes" -> "copy" [label="from", style=bold];
          "sums" -> "checked" [label="verify", style=dotted];
        }

        """)
  }

  @Test func `the Mermaid text has generated ids`() {
    #expect(
      GraphText.mermaid(graph, manifest: Samples.manifest) == """
        flowchart LR
          t0["genes"]
          t1["index"]
          t2["copy"]
          t3["sums"]
          t4["checked"]
          t0 -->|needs| t1
          t1 -.->|after| t2
          t0 ==>|from| t2
          t3 -.->|verify| t4

        """)
  }

  @Test func `names cannot break out of their quotes`() {
    let manifest = Manifest(fileName: "m", targets: [Samples.target(0, "a\"b\\c<&#\n", output: "x")])
    let graph = TargetGraph(manifest)
    #expect(GraphText.dot(graph, manifest: manifest).contains("  \"a\\\"b\\\\c<&# \";\n"))
    #expect(GraphText.mermaid(graph, manifest: manifest).contains("t0[\"a#quot;b\\c#60;#38;#35; \"]"))
    // A mark that combines with a quote does not hide it.
    let marked = Manifest(fileName: "m", targets: [Samples.target(0, "a\"\u{301}b", output: "x")])
    #expect(GraphText.dot(TargetGraph(marked), manifest: marked).contains("  \"a\\\"\u{301}b\";\n"))
    #expect(GraphText.mermaid(TargetGraph(marked), manifest: marked).contains("t0[\"a#quot;\u{301}b\"]"))
  }

  @Test func `an empty graph is still a graph`() {
    let manifest = Manifest(fileName: "m", targets: [])
    #expect(GraphText.mermaid(TargetGraph(manifest), manifest: manifest) == "flowchart LR\n")
    #expect(GraphText.json(TargetGraph(manifest), manifest: manifest).contains("\"edges\": []"))
  }
}
