import Foundation
import SyncTestSupport
import Testing

/// The events in docs/reports.md are those in their schema.
@Suite struct `docs/reports.md` {
  private let text: String

  init() throws {
    text = try String(contentsOfFile: "\(ExampleFolder.project)/docs/reports.md", encoding: .utf8)
  }

  private func schema() throws -> [String: Any] {
    let path = "\(ExampleFolder.project)/schema/events.schema.json"
    let data = try #require(FileManager.default.contents(atPath: path))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// The words in backticks of a table's cell.
  private func words(_ cell: Substring) -> Set<String> {
    Set(cell.matches(of: /`([a-z_-]+)`/).map { String($0.output.1) })
  }

  @Test func `it lists each kind of event with its fields`() throws {
    let properties = try #require(try schema()["properties"] as? [String: Any])
    let events = try #require((properties["event"] as? [String: Any])?["enum"] as? [String])
    let start = try #require(text.range(of: "| event |"))
    let rows = text[start.lowerBound...].split(separator: "\n").dropFirst(2).prefix { $0.hasPrefix("|") }
    let cells = rows.map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    #expect(Set(cells.flatMap { words($0[1]) }) == Set(events))
    for row in cells {
      for field in words(row[3]) { #expect(properties[field] != nil, "\(row[1]) has no field \(field)") }
    }
    // The row of an event names the fields of its schema; `finished` refers to another document.
    for rule in try #require(try schema()["allOf"] as? [[String: Any]]) {
      guard let required = (rule["then"] as? [String: Any])?["required"] as? [String] else { continue }
      let condition = (rule["if"] as? [String: Any])?["properties"] as? [String: Any]
      let event = try #require((condition?["event"] as? [String: Any])?["const"] as? String)
      let row = try #require(cells.first { words($0[1]).contains(event) }, "\(event)")
      guard event != "finished" else { continue }
      #expect(Set(required).subtracting(["target"]).isSubset(of: words(row[3])), "\(event)")
    }
  }

  /// The test machine may not have it.
  private static let hasJQ = FileManager.default.isExecutableFile(atPath: "/usr/bin/jq")

  @Test(.enabled(if: hasJQ)) func `the commands in the document do what it says`() throws {
    let server = try LoopbackServer(["*": [.text("no", status: 404)]])
    let example = try ExampleFolder("public-suffix-list", server: server)
    let command = try #require(text.split(separator: "\n").first { $0.hasPrefix("    syncmake ") })
    #expect(try example.shell(String(command)).status == 2)
    for name in ["events.jsonl", "junit.xml", "trace.json"] { #expect(example.folder.exists(name)) }
    let block = try #require(ReadmeBlock.all(in: text).first { $0.language == "sh" })
    let result = try example.shell(block.lines.joined(separator: "\n"))
    #expect(result.status == 0 && result.stdout.contains(": HTTP status 404 (not found)"), "\(result.stderr)")
  }
}
