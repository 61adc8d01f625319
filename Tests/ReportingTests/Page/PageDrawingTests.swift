import Planning
import SyncModel
import SyncTestSupport
import Testing

@testable import Reporting

@Suite struct RunTimelineTests {
  private static let genes = TargetID(0)
  private static let busy = FailureCause.httpStatus(503, url: Samples.url)

  private func course(_ events: [(Int, RunEvent)]) -> RunTimeline {
    var course = RunTimeline(secrets: Samples.none, began: RunStory.began)
    for (milliseconds, event) in events {
      course.handle(event, at: RunStory.began + .milliseconds(milliseconds))
    }
    return course
  }

  private func request(_ began: Int, _ ended: Int, status: Int?, bytes: Int64 = 0) -> RunEvent {
    .requested(
      Self.genes, RunStory.trace(Samples.url, began, ended, connection: 1, status: status, bytes: bytes))
  }

  @Test func `a failed try, its pause and the next try are drawn one after another`() {
    let course = course([
      (11, request(0, 11, status: 503)),
      (11, .retrying(Self.genes, attempt: 1, after: .milliseconds(200), cause: Self.busy)),
      (900, request(211, 900, status: 200, bytes: 4_000_000)), (901, .finished(Samples.results[0])),
    ])
    #expect(course.spans.map(\.kind) == [.asking, .receiving, .pausing, .asking, .receiving])
    #expect(course.spans.map(\.isFailed) == [false, true, false, false, false])
    #expect(course.spans.map { $0.start / .milliseconds(1) } == [0, 2, 11, 211, 213])
    #expect(course.spans.map { $0.end / .milliseconds(1) } == [2, 11, 211, 213, 900])
    #expect(course.spans[0].note == "GET \(Samples.url), connection 1, new")
    #expect(course.spans[2].note == "200 ms after try 1")
    #expect(course.spans[4].note == "HTTP status 200 (ok), 4.0 MB")
  }

  @Test func `a failure belongs to its request, whatever the order of their events`() {
    let course = course([
      (11, .retrying(Self.genes, attempt: 1, after: .milliseconds(200), cause: Self.busy)),
      (11, request(0, 11, status: nil)), (220, request(211, 220, status: nil)),
      (221, .finished(Samples.results[0])),
    ])
    let requests = course.spans.filter { $0.kind == .asking }
    #expect(requests.map(\.isFailed) == [true, false])
    #expect(requests[0].note.hasSuffix("; HTTP status 503 (service unavailable) from \(Samples.url)"))
  }

  @Test func `a pause ends with the run`() {
    let course = course([
      (11, .retrying(Self.genes, attempt: 1, after: .seconds(60), cause: Self.busy)),
      (50, .finished(Samples.results[0])),
    ])
    #expect(course.spans.map { $0.end / .milliseconds(1) } == [50])
  }
}

@Suite struct TimeAxisTests {
  @Test func `there are four to eight marks at round numbers`() {
    for milliseconds in [3, 17, 42, 100, 999, 1234, 7000, 59_000, 61_000, 3_600_000, 90_000_000] {
      let axis = TimeAxis(length: .milliseconds(milliseconds))
      let marks = axis.grid.split(separator: "<line").count
      #expect((3...9).contains(marks), "\(milliseconds) ms: \(marks)")
    }
    #expect(TimeAxis(length: .seconds(61)).step == .seconds(15))
    #expect(TimeAxis(length: .milliseconds(1234)).step == .milliseconds(500))
  }

  @Test func `a number before one that ends at the end is not shown in a narrow window`() {
    func looks(_ milliseconds: Int) -> [Bool] {
      let axis = TimeAxis(length: .milliseconds(milliseconds)).html
      return axis.split(separator: "<text ").dropFirst().map { $0.contains("class=\"minor\"") }
    }
    #expect(looks(102) == [false, false, false, false, true, false])
    #expect(looks(119) == [false, false, false, false, false, false])
    #expect(looks(1) == [false, false])
  }

  @Test func `positions are percentages inside the chart`() {
    let axis = TimeAxis(length: .seconds(4))
    #expect(axis.place(.seconds(1), .seconds(3)) == ("25%", "50%"))
    #expect(axis.place(.seconds(1), .seconds(1)).width == "0.17%")
    #expect(axis.x(.seconds(9)) == "100%")
    #expect(TimeAxis(length: .zero).x(.zero) == "0%")
  }

  @Test func `the overview counts simultaneous work`() {
    let axis = TimeAxis(length: .seconds(120))
    func span(_ kind: RunTimeline.Kind, _ start: Double, _ end: Double) -> RunTimeline.Span {
      RunTimeline.Span(target: TargetID(0), kind: kind, start: .seconds(start), end: .seconds(end))
    }
    let activity = TimelineActivity(
      [span(.receiving, 0, 2), span(.asking, 1, 1.5), span(.pausing, 119, 120)], axis)
    #expect(activity.load[0] == [1, 0, 0, 0])
    #expect(activity.load[1] == [1, 0, 0.5, 0])
    #expect(activity.load[119] == [0, 0, 0, 1])
    #expect(activity.peak == 2)
  }
}

@Suite struct GraphLayoutTests {
  @Test func `earlier targets are on the left, and nothing overlaps`() {
    let arrows = [(from: 0, to: 2), (from: 1, to: 2), (from: 2, to: 3), (from: 0, to: 3), (from: 4, to: 5)]
    let layout = GraphLayout(nodes: 6, arrows: arrows)
    for arrow in arrows { #expect(layout.places[arrow.from].column < layout.places[arrow.to].column) }
    #expect(layout.bends.map(\.count) == [0, 0, 0, 1, 0])
    for (i, a) in layout.places.enumerated() {
      for b in layout.places[(i + 1)...] where a.column == b.column { #expect(abs(a.row - b.row) >= 0.99) }
    }
    #expect((layout.places + layout.bends.joined()).map(\.row).min() == 0)
  }

  @Test func `a random graph is laid out without overlap, the same each time`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<50 {
      let count = Int.random(in: 2...60, using: &random)
      let arrows = (0..<Int.random(in: 1...90, using: &random)).map { _ -> (from: Int, to: Int) in
        let to = Int.random(in: 1..<count, using: &random)
        return (Int.random(in: 0..<to, using: &random), to)
      }
      let layout = GraphLayout(nodes: count, arrows: arrows)
      var taken: [Int: [Double]] = [:]
      for place in layout.places + layout.bends.joined() {
        taken[place.column, default: []].append(place.row)
      }
      for rows in taken.values {
        for (a, b) in zip(rows.sorted(), rows.sorted().dropFirst()) { #expect(b - a >= 0.97) }
      }
      for arrow in arrows { #expect(layout.places[arrow.from].column < layout.places[arrow.to].column) }
      #expect(GraphLayout(nodes: count, arrows: arrows).places == layout.places)
    }
  }
}

@Suite struct PageGraphTests {
  @Test func `a graph that is too large is reduced to targets that did not succeed`() {
    let html = PageGraph(page: PageSamples(300).page()).html
    #expect(html.contains("only what did not succeed, what it depends on and what depends on it"))
    #expect(html.contains("<svg class=\"graph\""))
  }

  @Test func `a large graph without such targets is left out, and the page says so`() {
    let html = PageGraph(page: PageSamples(2000, freshPart: 1).page(.ok)).html
    #expect(html.contains("are too many to draw"))
    #expect(!html.contains("<svg"))
  }

  @Test func `targets without dependencies have no graph`() {
    let manifest = Manifest(fileName: "m", targets: [Samples.target(0, "a"), Samples.target(1, "b")])
    let results = manifest.targets.map { Samples.result($0, .fresh, Samples.confirmed) }
    let page = RunPage(
      header: RunHeader(manifest: manifest, version: "0", time: Samples.now, began: .zero),
      graph: TargetGraph(manifest), end: RunEnd(results: results, status: .ok, duration: .zero),
      course: RunTimeline(secrets: Samples.none, began: .zero))
    #expect(PageGraph(page: page).html.isEmpty)
    #expect(PageTimeline(page: page).html.isEmpty)
  }
}
