import Foundation
import SyncModel
import Testing

@testable import Reporting

@Suite struct EventLinesTests {
  private static func lines(_ story: RunStory) -> [Substring] {
    let report = EventLines(story.header)
    return story.file(report, start: report.start()).split(separator: "\n")
  }

  @Test func `a run is reported line by line, as it happens`() {
    let url = Samples.url
    let sha = String(repeating: "ab", count: 32)
    let expected = """
      {"format": "syncmake.events/1", "event": "begun", "at_us": 0, "time": "2026-11-21T10:00:00Z", "version": "0.1.0", "manifest": "syncmake.yaml"}
      {"event": "waiting", "at_us": 0, "holder": "\(url)"}
      {"event": "warning", "at_us": 1000, "message": "\(url)", "hint": "\(url)", "file": "syncmake.lock", "line": 4, "column": 3}
      {"event": "started", "at_us": 1000, "targets": 4}
      {"event": "target", "at_us": 2000, "target": "genes"}
      {"event": "request", "at_us": 3000, "target": "genes", "method": "GET", "url": "\(url)", "conditions": ["If-None-Match: \(url)"]}
      {"event": "redirect", "at_us": 9000, "target": "genes", "from": "\(url)", "to": "\(url)"}
      {"event": "requested", "at_us": 9000, "target": "genes", "method": "GET", "url": "\(url)", "connection": 1, "new_connection": true, "status": 302, "bytes": 0, "began_us": 3000, "sent_us": 4000, "replied_us": 5000, "ended_us": 9000}
      {"event": "requested", "at_us": 12000, "target": "genes", "method": "GET", "url": "\(url)", "bytes": 0, "began_us": 10000, "ended_us": 12000}
      {"event": "retrying", "at_us": 12000, "target": "genes", "attempt": 1, "after_us": 3000, "error": {"code": "connect-failed", "message": "cannot connect to \(url): \(url)"}}
      {"event": "next-mirror", "at_us": 16000, "target": "genes", "url": "\(url)", "error": {"code": "connect-failed", "message": "cannot connect to \(url): \(url)"}}
      {"event": "response", "at_us": 29000, "target": "genes", "status": 200, "url": "\(url)", "length": 123}
      {"event": "server-digest", "at_us": 29000, "target": "genes", "field": "Content-MD5", "covers": "file", "algorithm": "md5", "digest": "11111111111111111111111111111111"}
      {"event": "server-digest-ignored", "at_us": 29000, "target": "genes", "field": "Repr-Digest", "value": "\(url)", "why": "malformed"}
      {"event": "decided", "at_us": 29000, "target": "genes", "verdict": "stale", "reason": "validator-changed", "detail": "ETag \\"a1\\" is now \\"b2\\""}
      {"event": "warning", "at_us": 29000, "target": "genes", "message": "genes: \(url) sends no ETag and no Last-Modified, so the rule etag always finds it stale", "hint": "rules that work without them: {interval: 1d, then: always}, {sha256: {url: …}}, once, always"}
      {"event": "progress", "at_us": 600000, "target": "genes", "bytes": 100, "total": 123}
      {"event": "requested", "at_us": 610000, "target": "genes", "method": "GET", "url": "\(url)", "connection": 1, "new_connection": false, "status": 200, "bytes": 123, "began_us": 17000, "sent_us": 18000, "replied_us": 19000, "ended_us": 610000}
      {"event": "stepped", "at_us": 611000, "target": "genes", "began_us": 30000, "ended_us": 48000, "verifying_us": 5000, "unpacking_us": 7000, "writing_us": 1500}
      {"event": "publishing", "at_us": 612000, "target": "genes"}
      {"event": "published", "at_us": 640000, "target": "genes"}
      {"event": "warning", "at_us": 641000, "message": "cannot use the state (\(url)): it was moved to \(url)"}
      {"event": "warning", "at_us": 641000, "message": "cannot write \(url) (\(url)): this run is not recorded, or only in part", "hint": "check its path, its permissions and the free space, or choose another folder with --state-dir"}
      {"event": "warning", "at_us": 641000, "message": "cannot write \(url) (\(url)): the report is incomplete"}
      {"event": "finished", "at_us": 650000, "target": "genes", "outcome": "updated", "reason": "validator-changed", "detail": "ETag \\"a1\\" is now \\"b2\\"", "output": "data/genes.tsv", "size": 456, "sha256": "\(sha)", "bytes_transferred": 123, "bytes_resumed": 0, "requests": 1, "http_status": 200, "url": "\(url)", "duration_ms": 12}
      {"event": "finished", "at_us": 650000, "target": "index", "outcome": "fresh", "reason": "not-modified", "detail": "ETag \\"a1\\" is unchanged", "output": "data/index", "bytes_transferred": 0, "bytes_resumed": 0, "requests": 1, "http_status": 304, "duration_ms": 0}
      {"event": "finished", "at_us": 650000, "target": "sums", "outcome": "failed", "output": "data/sums", "bytes_transferred": 0, "bytes_resumed": 0, "requests": 0, "duration_ms": 0, "optional": true, "error": {"code": "http-status", "message": "HTTP status 404 (not found) from \(url)"}}
      {"event": "finished", "at_us": 650000, "target": "checked", "outcome": "skipped", "reason": "dependency-failed", "detail": "it depends on sums, which did not succeed", "output": "data/checked"}
      {"event": "ended", "at_us": 660000, "status": "failed", "summary": {"updated": 1, "fresh": 1, "failed": 1, "skipped": 1}, "duration_ms": 660}
      """.split(separator: "\n")
    let lines = Self.lines(RunStory())
    for (line, wanted) in zip(lines, expected) { #expect(line == wanted) }
    #expect(lines.count == expected.count)
  }

  @Test func `progress is reported for changes only, at most twice a second`() {
    let story = RunStory()
    var report = EventLines(story.header)
    var told: [String] = []
    for ms in stride(from: 100, through: 2000, by: 100) {
      let now = RunStory.began + .milliseconds(ms)
      if ms <= 1200 {
        for index in [1, 0] {
          _ = report.handle(
            .received(TargetID(index), BodyProgress(here: Int64(ms), more: 100, total: nil)), at: now)
        }
      }
      let lines = report.handle(.tick, at: now)
      if !lines.isEmpty { told.append(lines) }
    }
    let ends = told.map { lines in lines.split(separator: "\n").map { String($0.suffix(32)) } }
    let expected = [500, 1000, 1200].map { (bytes: Int) -> [String] in
      ["index", "genes"].map { name in String(" \"target\": \"\(name)\", \"bytes\": \(bytes)}".suffix(32)) }
    }
    #expect(ends == expected)
  }

  @Test func `each line is a JSON object, whatever the texts hold`() throws {
    for text in ["\u{0}\u{1B}]0;x\u{7}\r\n", "::error::x", "##[error]", "\u{2028}\u{202E}🙂\"\\"] {
      for line in Self.lines(RunStory(text: text)) {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["event"] is String)
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
      }
    }
  }
}
