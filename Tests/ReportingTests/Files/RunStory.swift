import SyncModel

@testable import Reporting

/// A run in which everything happens once, for the tests of files that are made from events.
struct RunStory {
  static let began = Duration.seconds(1000)

  /// The events, in milliseconds since the beginning.
  let events: [(Int, RunEvent)]
  let results: [TargetResult]
  let manifest: Manifest
  var header: RunHeader {
    RunHeader(manifest: manifest, version: "0.1.0", time: Samples.now, began: Self.began)
  }

  init(
    _ manifest: Manifest = Samples.manifest, results: [TargetResult] = Samples.results,
    text: String = Samples.url
  ) {
    self.manifest = manifest
    self.results = results
    let id = manifest.targets[0].id
    let problem = Diagnostic(
      severity: .warning, file: "syncmake.lock", span: SourceSpan(line: 4, column: 3, endColumn: 8),
      message: text, hint: text)
    let times = StepTimes(
      span: Self.span(30, 48), verifying: .milliseconds(5), unpacking: .milliseconds(7),
      writing: .microseconds(1500))
    var events: [(Int, RunEvent)] = [
      (0, .waitingForLock(holder: text)), (1, .warning(.lock(problem))), (1, .started(targets: 4)),
      (2, .began(id)),
      (3, .note(id, .request(method: "GET", url: text, conditions: ["If-None-Match: \(text)"]))),
      (9, .note(id, .redirect(from: text, to: text))),
      (9, .requested(id, Self.trace(text, 3, 9, connection: 1, status: 302))),
      (12, .requested(id, Self.trace(text, 10, 12, connection: nil))),
      (12, .retrying(id, attempt: 1, after: .milliseconds(3), cause: .connectFailed(url: text, text: text))),
      (16, .nextMirror(id, url: text, cause: .connectFailed(url: text, text: text))),
      (29, .note(id, .response(status: 200, url: text, length: 123))),
      (29, .note(id, .serverDigest(ServerDigest(.contentMD5, .md5, Samples.hex("11", .md5)), ofPart: false))),
      (29, .note(id, .ignoredDigest(IgnoredDigest(.representation, text, .malformed)))),
      (29, .decided(id, Samples.changed)), (29, .warning(.noValidator(id, url: text))),
      (35, .received(id, BodyProgress(here: 100, more: 100, total: 123))),
      (600, .tick), (610, .requested(id, Self.trace(text, 17, 610, connection: 1, status: 200, bytes: 123))),
      (611, .stepped(id, times)), (612, .publishing(id)), (640, .published(id)),
      (641, .warning(.stateSetAside(path: text, why: text))),
      (641, .warning(.stateUnwritable(path: text, why: text))),
      (641, .warning(.reportUnwritable(path: text, why: text))),
    ]
    events += results.map { (650, .finished($0)) }
    self.events = events
  }

  var end: RunEnd { RunEnd(results: results, status: .failed, duration: .milliseconds(660)) }

  /// The whole file of `report`, with `start` as its beginning.
  func file(_ report: some RunReport, start: String = "") -> String {
    var report = report
    var text = start
    for (ms, event) in events { text += report.handle(event, at: Self.began + .milliseconds(ms)) }
    return text + report.finish(end, at: Self.began + .milliseconds(660))
  }

  static func span(_ began: Int, _ ended: Int) -> RunSpan {
    RunSpan(began: Self.began + .milliseconds(began), ended: Self.began + .milliseconds(ended))
  }

  static func trace(
    _ url: String, _ began: Int, _ ended: Int, connection: Int?, status: Int? = nil, bytes: Int64 = 0
  ) -> RequestTrace {
    RequestTrace(
      method: "GET", url: url, connection: connection, isFirstOnConnection: began < 10, status: status,
      bytes: bytes, untilSent: connection.map { _ in .milliseconds(1) },
      untilReply: status.map { _ in .milliseconds(2) }, total: .milliseconds(ended - began),
      ended: Self.began + .milliseconds(ended))
  }
}
