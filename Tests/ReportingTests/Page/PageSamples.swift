import Planning
import SyncModel

@testable import Reporting

/// Runs of any size for report pages: what a server with good and bad days would have made of them.
struct PageSamples {
  private var manifest: Manifest
  private(set) var course: RunCourse
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
    course = RunCourse(manifest: manifest)
    for target in targets { bring(target, isFresh: Double.random(in: 0..<1, using: &random) < freshPart) }
  }

  func page(_ status: RunStatus = .failed) -> RunPage {
    RunPage(
      manifest: manifest, graph: TargetGraph(manifest), results: results, status: status, began: Samples.now,
      duration: clock.max() ?? .zero, course: course, version: "0.1.0")
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
      course.handle(
        .note(target.id, .request(method: "GET", url: Self.url(target.id.index), conditions: [])),
        at: clock[slot])
      course.handle(
        .note(target.id, .response(status: 304, url: Self.url(target.id.index), length: nil)), at: now)
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
    let url = Self.url(result.id.index)
    let busy = FailureCause.httpStatus(503, url: url)
    for attempt in 0...(fails ? 4 : retries) {
      course.handle(.note(result.id, .request(method: "GET", url: url, conditions: [])), at: now)
      now += .milliseconds(Int.random(in: 10...120, using: &random))
      result.totals.requests += 1
      if fails || attempt < retries {
        course.handle(.note(result.id, .response(status: 503, url: url, length: 20)), at: now)
        if attempt < (fails ? 4 : retries) {
          let wait = Duration.milliseconds(200 << attempt)
          course.handle(.retrying(result.id, attempt: attempt + 1, after: wait, cause: busy), at: now)
          now += wait
        }
        continue
      }
      let size = Int64.random(in: 1_000...80_000_000, using: &random)
      course.handle(.note(result.id, .response(status: 200, url: url, length: size)), at: now)
      now += .milliseconds(Int(size / 40_000) + 3)
      result.content = Samples.identity(size)
      result.totals.bytes = size
      result.httpStatus = 200
    }
    if fails {
      result.outcome = .failed
      result.reason = nil
      result.httpStatus = 503
      result.failure = TargetFailure(busy, tries: 5, keptOutput: result.id.index % 2 == 0)
    }
    return now
  }
}
