import Foundation
import SyncModel
import SyncTestSupport
import Testing

@testable import Reporting

@Suite struct TraceFileTests {
  private static func file(_ story: RunStory) -> String { story.file(TraceFile(story.header)) }

  /// One of `traceEvents`, as a viewer reads it.
  private struct Event {
    let phase: String
    let name: String
    let pid: Int
    let tid: Int
    let ts: Int?
    let dur: Int?
    let id: Int?
    let args: [String: Any]

    init(_ object: [String: Any]) throws {
      phase = try #require(object["ph"] as? String)
      name = try #require(object["name"] as? String)
      pid = try #require(object["pid"] as? Int)
      tid = try #require(object["tid"] as? Int)
      ts = object["ts"] as? Int
      dur = object["dur"] as? Int
      id = object["id"] as? Int
      args = try #require(object["args"] as? [String: Any])
    }
  }

  private struct Row: Hashable {
    var pid: Int
    var tid: Int
  }

  private static func events(_ text: String) throws -> [Event] {
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["displayTimeUnit"] as? String == "ms")
    return try #require(document["traceEvents"] as? [[String: Any]]).map { try Event($0) }
  }

  /// The assumptions of trace viewers.
  private static func expectSound(_ events: [Event]) throws {
    var processes: Set<Int> = []
    var rows: Set<Row> = []
    var last = 0
    var ends: [Row: Int] = [:]
    var open: Set<Int> = []
    for event in events {
      let row = Row(pid: event.pid, tid: event.tid)
      if event.phase == "M" {
        if event.name == "process_name" { processes.insert(event.pid) }
        if event.name == "thread_name" { #expect(rows.insert(row).inserted) }
        continue
      }
      #expect(processes.contains(event.pid) && rows.contains(row), "\(event.name) stands on no named row")
      let ts = try #require(event.ts)
      #expect(ts >= last, "\(event.name) stands too late")
      last = ts
      switch event.phase {
      case "X":
        #expect(ts >= ends[row] ?? 0, "\(event.name) overlaps what stands before it")
        ends[row] = ts + (try #require(event.dur))
      case "b": #expect(open.insert(try #require(event.id)).inserted, "\(event.name) begins twice")
      case "n": #expect(open.contains(try #require(event.id)), "\(event.name) is outside of its span")
      case "e": #expect(open.remove(try #require(event.id)) != nil, "\(event.name) ends before it begins")
      default: Issue.record("a phase that nobody makes: \(event.phase)")
      }
    }
    #expect(open.isEmpty)
  }

  @Test func `every slice is in a named row`() throws {
    let events = try Self.events(Self.file(RunStory()))
    try Self.expectSound(events)
    let slices = events.filter { $0.phase == "X" }
    #expect(slices.map(\.name) == Array(repeating: "genes", count: 5))
    #expect(slices.map(\.ts) == [3000, 10_000, 17_000, 30_000, 612_000])
    #expect(slices.map(\.dur) == [6000, 2000, 593_000, 18_000, 28_000])
    let names = events.filter { $0.name == "thread_name" }.compactMap { $0.args["name"] as? String }
    #expect(
      names == ["targets", "connection 1: data.example.org", "no connection", "body 1", "file 1"])
    // A target that was skipped without work has no span.
    #expect(events.filter { $0.phase == "b" }.map(\.name) == ["genes", "index", "sums"])
    #expect(events.filter { $0.phase == "n" }.map(\.name).contains("validator-changed"))
    #expect(slices[3].args["unpacking_us"] as? Int == 7000)
  }

  @Test func `a run without events gives a valid trace`() throws {
    let story = RunStory()
    var trace = TraceFile(story.header)
    let text = trace.finish(RunEnd(results: [], status: .ok, duration: .zero), at: RunStory.began)
    #expect(try Self.events(text).isEmpty)
  }

  @Test func `streams that share a connection never overlap on a row`() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<20 {
      let story = RunStory()
      var trace = TraceFile(story.header)
      var spans = (0..<60).map { _ in
        let began = Int.random(in: 0..<500, using: &random)
        return (began, began + Int.random(in: 0..<80, using: &random), Int.random(in: 1...3, using: &random))
      }
      spans.sort { $0.1 < $1.1 }
      for (began, ended, connection) in spans {
        _ = trace.handle(
          .requested(TargetID(0), RunStory.trace(Samples.url, began, ended, connection: connection)),
          at: RunStory.began + .milliseconds(ended))
      }
      let events = try Self.events(trace.finish(story.end, at: RunStory.began + .seconds(1)))
      try Self.expectSound(events)
      #expect(events.count { $0.phase == "X" } == 60)
    }
  }
}
