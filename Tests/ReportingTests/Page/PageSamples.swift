import Planning
import SyncModel
import SyncTestSupport

@testable import Reporting

/// Runs of any size for report pages, with the results of a partly unreliable server.
struct PageSamples {
  private var manifest: Manifest
  private(set) var course: RunTimeline
  private(set) var results: [TargetResult] = []
  private var random: SeededGenerator
  private var clock = [Duration](repeating: .zero, count: 16)

  /// `count` targets, every seventh with dependencies; of those asked, some fail, some are fresh.
  init(_ count: Int, freshPart: Double = 0, seed: UInt64 = 1) {
    random = SeededGenerator(seed: seed)
    let targets = (0..<count).map { i in
      let needs = i % 7 == 6 ? Array((i - 6)..<i) : i % 7 == 3 ? [i - 1] : []
      var target = Samples.target(
        i, Self.name(i), output: "data/\(Self.name(i)).tsv",
        source: i % 7 == 6 ? .target(TargetID(i - 1)) : .urls([.web(Self.url(i))]), needs: needs)
      target.span = SourceSpan(line: 4 + 3 * i, column: 3, endColumn: 8)
      if i % 5 == 0 { target.summary = "Reference data, release \(i + 100)" }
      target.isOptional = i % 11 == 7
      return target
    }
    manifest = Manifest(fileName: "syncmake.yaml", targets: targets)
    course = RunTimeline(secrets: manifest.secrets, began: .zero)
    for target in targets { bring(target, isFresh: Double.random(in: 0..<1, using: &random) < freshPart) }
  }

  func page(_ status: RunStatus = .failed) -> RunPage {
    RunPage(
      header: RunHeader(manifest: manifest, version: "0.1.0", time: Samples.now, began: .zero),
      graph: TargetGraph(manifest),
      end: RunEnd(results: results, status: status, duration: clock.max() ?? .zero), course: course)
  }

  private static func name(_ i: Int) -> String {
    "\(["genes", "index", "variants", "taxa", "chr"][i % 5])-\(i)"
  }

  private static func url(_ i: Int) -> String { "https://data.example.org/release/\(name(i)).tsv.gz" }

  private mutating func bring(_ target: Target, isFresh: Bool) {
    let slot = clock.indices.min { clock[$0] < clock[$1] } ?? 0
    var now = clock[slot]
    let fate = Int.random(in: 0..<20, using: &random)
    let bad = target.needs.map { results[$0.index] }.first { $0.outcome != .updated && $0.outcome != .fresh }
    var result = Samples.result(target, .updated, .stale(.neverSynced))
    if let bad {
      result.outcome = .skipped
      result.reason = nil
      result.skipped = .dependency(bad.name)
    } else if isFresh {
      now += .milliseconds(Int.random(in: 5...40, using: &random))
      course.handle(request(target.id, clock[slot], now, status: 304), at: now)
      result.outcome = .fresh
      result.reason = Samples.confirmed
      result.totals.requests = 1
      result.httpStatus = 304
    } else {
      now = fetch(&result, from: now, fails: fate == 0, retries: fate == 1 ? 2 : 0)
    }
    result.duration = now - clock[slot]
    if result.outcome != .skipped { result.url = Self.url(target.id.index) }
    clock[slot] = now
    course.handle(.finished(result), at: now)
    results.append(result)
  }

  private mutating func fetch(
    _ result: inout TargetResult, from start: Duration, fails: Bool, retries: Int
  ) -> Duration {
    var now = start
    let id = result.id
    let busy = FailureCause.httpStatus(503, url: Self.url(id.index))
    for attempt in 0...(fails ? 4 : retries) {
      let asked = now
      let replied = now + .milliseconds(Int.random(in: 10...120, using: &random))
      now = replied
      result.totals.requests += 1
      guard !fails, attempt == retries else {
        course.handle(request(id, asked, now, status: 503), at: now)
        if attempt < (fails ? 4 : retries) {
          let wait = Duration.milliseconds(200 << attempt)
          course.handle(.retrying(id, attempt: attempt + 1, after: wait, cause: busy), at: now)
          now += wait
        }
        continue
      }
      let size = Int64.random(in: 1_000...80_000_000, using: &random)
      now += .milliseconds(Int(size / 40_000) + 3)
      course.handle(request(id, asked, now, status: 200, replied: replied, bytes: size), at: now)
      let times = StepTimes(
        span: RunSpan(began: replied, ended: now + .milliseconds(5)),
        verifying: .milliseconds(size / 500_000),
        writing: .milliseconds(size / 900_000))
      course.handle(.stepped(id, times), at: now + .milliseconds(5))
      course.handle(.publishing(id), at: now + .milliseconds(5))
      now += .milliseconds(40)
      course.handle(.published(id), at: now)
      result.content = Samples.identity(size)
      result.totals.bytes = size
      result.httpStatus = 200
    }
    if fails {
      result.outcome = .failed
      result.reason = nil
      result.httpStatus = 503
      result.failure = TargetFailure(busy, tries: 5, keptOutput: id.index % 2 == 0)
    }
    return now
  }

  private func request(
    _ id: TargetID, _ asked: Duration, _ ended: Duration, status: Int, replied: Duration? = nil,
    bytes: Int64 = 0
  ) -> RunEvent {
    .requested(
      id,
      RequestTrace(
        method: "GET", url: Self.url(id.index), connection: id.index % 8 + 1,
        isFirstOnConnection: id.index < 8,
        status: status, bytes: bytes, untilSent: .milliseconds(1), untilReply: (replied ?? ended) - asked,
        total: ended - asked, ended: ended))
  }
}
