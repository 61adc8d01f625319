import SyncModel

@testable import Planning
@testable import Reporting

/// Probes of every kind, with `text` in every text from a server.
enum ProbeSamples {
  static let url = "https://data.example.org/genes.tsv.gz"
  static let digest = Samples.hex("ab", .sha256)

  static func sidecar(_ content: SidecarFinding.Content, _ index: Int = 0) -> SidecarFinding {
    let guess = SidecarGuess.all[index]
    return SidecarFinding(guess: guess, url: .web(guess.address(beside: url) ?? url), content: content)
  }

  /// Everything succeeds.
  static var good: ProbeReport {
    let whole = ResponseHead(
      status: 200, url: "https://cdn.example.org/1", etag: EntityTag("\"a1\""), contentLength: 12_345_678,
      contentType: "application/gzip")
    var found = ProbeFindings(
      whole: whole, head: .agrees, etag: .init(EntityTag("\"a1\""), answer: .notModified),
      lastModified: .init("Sun, 06 Nov 1994 08:49:37 GMT", answer: .notModified),
      ranges: .honoured(guarded: true))
    found.whole.version = 2
    return ProbeReport(
      source: .web(url), subject: .web(found), redirects: ["https://cdn.example.org/1"],
      sidecars: [sidecar(.digest(.sha256, digest))], totals: ExchangeTotals(bytes: 90, requests: 21))
  }

  static func all(_ text: String) -> [ProbeReport] {
    let cause = FailureCause.httpStatus(404, url: text)
    let answers: [ConditionAnswer] = [.notModified, .ignored, .changed, .refused(412), .failed(cause)]
    let ranges: [RangeFinding] = [
      .notAsked, .honoured(guarded: true), .honoured(guarded: false), .ignored, .wrong(text), .refused(416),
      .failed(cause),
    ]
    let heads: [HeadFinding] = [.agrees, .differs, .refused(405), .failed(cause)]
    var reports: [ProbeReport] = []
    func add(_ change: (inout ProbeFindings) -> Void, sidecars: [SidecarFinding] = []) {
      var whole = ResponseHead(status: 200, url: text.isEmpty ? url : text)
      whole.version = 1
      whole.contentType = text
      var found = ProbeFindings(whole: whole, head: .agrees)
      change(&found)
      reports.append(
        ProbeReport(
          source: .web(text.isEmpty ? url : text), subject: .web(found), redirects: [text], sidecars: sidecars
        ))
    }
    for answer in answers {
      for others in [[], [EntityTag(text + "x")]] {
        add { $0.etag = .init(EntityTag(text), others: others, answer: answer) }
      }
      add { $0.lastModified = .init(text, others: [text + "y"], answer: answer) }
      add {
        $0.etag = .init(EntityTag("\"a\""), others: [EntityTag("\"b\"")], answer: .changed)
        $0.lastModified = .init(text, answer: answer)
      }
    }
    for finding in ranges { add { $0.ranges = finding } }
    for finding in heads { add { $0.head = finding } }
    add { $0.whole.endIsProvable = false }
    for value in [text, "\"\(digest)\""] {
      add {
        $0.whole.digestFields = [DigestField(.linkedETag, value)]
        $0.serverDigests = ServerDigests($0.whole, method: .get)
      }
    }
    add { $0.whole.contentEncoding = text + "br" }
    for redirect in RedirectFinding.allCases {
      add({ $0.redirect = redirect }, sidecars: [sidecar(.digest(.md5, Samples.hex("ab", .md5)), 6)])
    }
    var strange = sidecar(.unreadable(.noEntry(name: text, count: 3)))
    strange.url = .web(text)
    add({ _ in }, sidecars: [strange, sidecar(.ofOthers, 2), sidecar(.digest(.sha256, digest), 1)])
    let file = SourceURL.file(path: text, written: text)
    reports.append(ProbeReport(source: file, subject: .file(size: 5, modified: Samples.now)))
    reports.append(ProbeReport(source: file, subject: .unreachable(cause)))
    return reports
  }
}
