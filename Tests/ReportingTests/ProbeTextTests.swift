import SyncModel
import Testing

@testable import Planning
@testable import Reporting

@Suite struct ProbeTextTests {
  private func text(_ report: ProbeReport) -> String {
    ProbeText.render(report, now: Samples.now, style: TextStyle(), secrets: Samples.none)
  }

  private func changed(_ change: (inout ProbeFindings) -> Void) -> ProbeReport {
    var report = ProbeSamples.good
    guard case .web(var found) = report.subject else { return report }
    change(&found)
    report.subject = .web(found)
    return report
  }

  @Test func `a probe of a good server is one page`() {
    #expect(
      text(ProbeSamples.good) == """
        https://data.example.org/genes.tsv.gz
          leads to       https://cdn.example.org/1
          reply          HTTP status 200 (ok) over HTTP/2, 12.3 MB, application/gzip
          ETag           "a1", strong; If-None-Match gives 304
          Last-Modified  Sun, 06 Nov 1994 08:49:37 GMT; If-Modified-Since gives 304
          ranges         honoured; another version is sent whole
          HEAD           the same as GET
          sidecars       genes.tsv.gz.sha256 (sha256 abababababab...)
          freshness      etag: the server confirms its ETag
          steps          verify: {sha256: {url: "https://data.example.org/genes.tsv.gz.sha256"}}
          resume         interrupted downloads resume

        """)
  }

  @Test func `a server without usable validators is explained`() {
    let report = changed {
      $0.whole.contentLength = nil
      $0.whole.endIsProvable = false
      $0.whole.contentEncoding = "br"
      $0.etag = .init(EntityTag("W/\"a1\""), others: [EntityTag("W/\"b2\"")], answer: .changed)
      $0.lastModified = .init("Sun, 06 Nov 2094 08:49:37 GMT", others: ["tomorrow"], answer: .ignored)
      $0.ranges = .notAsked
      $0.head = .refused(405)
    }
    var bare = report
    bare.sidecars = []
    bare.redirects = []
    #expect(
      text(bare) == """
        https://data.example.org/genes.tsv.gz
          reply          HTTP status 200 (ok) over HTTP/2, length unknown, application/gzip, encoded as br, \
        ended only by the connection's end, which does not prove that it is complete
          ETag           W/"a1", weak, in other replies W/"b2"; If-None-Match gives another version
          Last-Modified  Sun, 06 Nov 2094 08:49:37 GMT, in the future, in other replies tomorrow; If-Modified-Since is ignored
          ranges         useless with a weak ETag
          HEAD           HTTP status 405 (method not allowed): `plan` needs a GET
          sidecars       none found
          freshness      {interval: 1d, then: always}: the validators differ from reply to reply
          resume         interrupted downloads start over
                         needs `unproven_length: accept` or a digest: nothing else proves that a download is complete
                         a run would fail: the reply from https://cdn.example.org/1 is encoded as br, which was not requested

        """)
  }

  @Test func `an unreachable source is an error without a page`() {
    let report = ProbeReport(
      source: .web(ProbeSamples.url), subject: .unreachable(.httpStatus(404, url: ProbeSamples.url)))
    #expect(text(report) == "")
    let told = ProbeText.failure(report, style: TextStyle(), secrets: Samples.none)
    #expect(
      told?.hasPrefix("syncmake: error: HTTP status 404 (not found) from \(ProbeSamples.url)\n") == true)
    // The URL is named once.
    let silent = ProbeReport(source: .web(ProbeSamples.url), subject: .unreachable(.offline))
    #expect(
      ProbeText.failure(silent, style: TextStyle(), secrets: Samples.none)?
        .hasPrefix("syncmake: error: \(ProbeSamples.url): this needs a request") == true)
    #expect(ProbeText.failure(ProbeSamples.good, style: TextStyle(), secrets: Samples.none) == nil)
  }

  @Test func `add reports what it has written, with the reason`() throws {
    let advice = try #require(ProbeSamples.good.advice)
    let lines = "  genes:\n    url: ${mirror}/genes.tsv.gz\n"
    #expect(
      AddText.done(
        TargetName("genes"), in: "syncmake.yaml", text: lines, advice: advice, hasLock: true,
        style: TextStyle(),
        secrets: Samples.none) == """
          added genes to syncmake.yaml:

            genes:
              url: ${mirror}/genes.tsv.gz

            freshness      etag: the server confirms its ETag
            resume         interrupted downloads resume
          next: `syncmake genes` downloads it, `syncmake lock` locks it

          """)
    #expect(
      AddText.done(
        TargetName("a"), in: "m", text: "a:\n", advice: nil, hasLock: false, style: TextStyle(),
        secrets: Samples.none) == "added a to m:\n\na:\n\nnext: `syncmake a` downloads it\n")
  }

  @Test func `add warns if the written target will fail`() throws {
    let open = try #require(
      changed { $0.whole.endIsProvable = false }.advice.map { advice in
        var advice = advice
        advice.needsUnprovenLength = true
        return advice
      })
    let target = Samples.manifest.targets[0]
    #expect(
      AddText.doubt(open, target: target, secrets: Samples.none)?.1?.contains("unproven_length") == true)
    #expect(
      AddText.doubt(open, target: Samples.target(0, "a", steps: [.gunzip]), secrets: Samples.none) == nil)
    let packed = try #require(changed { $0.whole.contentEncoding = "br" }.advice)
    #expect(AddText.doubt(packed, target: target, secrets: Samples.none)?.0.contains("encoded as br") == true)
    let good = try #require(ProbeSamples.good.advice)
    #expect(AddText.doubt(good, target: target, secrets: Samples.none) == nil)
  }

  @Test func `the lines that add shows have no secret that a header writes out`() {
    let headers = [
      (name: "Authorization", value: #"Bearer "abc"-123"#), (name: "Token", value: "x"),
      (name: "X-Token", value: "xyz"),
    ]
    let text = """
        a:
          url: https://x.example/xyz
            Authorization: "Bearer \\"abc\\"-123"
            X-Token: xyz
            Token: x
        b: {headers: {X-Token: xyz, Token: "x"}}

      """
    let masked = """
        a:
          url: https://x.example/xyz
            Authorization: ***
            X-Token: ***
            Token: ***
        b: {headers: {X-Token: ***, Token: ***}}

      """
    #expect(AddText.lines(text, headers) == masked)
    #expect(AddText.lines(text, []) == text)
    #expect(AddText.literal(headers)?.0.contains("the value of Authorization and Token and X-Token,") == true)
    #expect(AddText.literal([]) == nil)
  }

  @Test func `lines to be inserted by hand have a variable in place of a secret`() {
    let shown = AddText.cannotInsert(
      "m.yaml", .alias, line: 3, text: "  a:\n    headers:\n      Token: abc\n",
      headers: [(name: "Token", value: "abc")], style: TextStyle())
    #expect(shown.contains("by hand, with the name of a variable that has the secret\n"))
    #expect(shown.hasSuffix("      Token: \"${secret:NAME}\"\n"))
  }

  @Test func `lines that cannot be inserted are shown, so that a person can insert them`() {
    #expect(
      AddText.cannotInsert("m.yaml", .alias, line: 3, text: "  a:\n    url: x\n", style: TextStyle()) == """
        syncmake: error: m.yaml:3: the targets are an alias, so `add` cannot insert lines
        syncmake: hint: add these lines by hand
          a:
            url: x

        """)
  }

  @Test func `init reports what it has written`() {
    #expect(InitText.done(manifest: "a.yaml", schema: nil).hasPrefix("wrote a.yaml\nnext: "))
  }
}
