import SyncModel
import Testing

@testable import Reporting

@Suite struct MergeTests {
  private static let partition = String(repeating: "a", count: 32)

  /// What `run --shard --json` prints, with a target for each of `outcomes`.
  private func document(
    _ number: Int, of total: Int = 3, _ outcomes: KeyValuePairs<String, Outcome>, status: RunStatus = .ok,
    exit: Int = 0, partition: String = partition, by division: Shard.Division = .hash
  ) -> String {
    let target = Samples.manifest.targets[0]
    let results = outcomes.enumerated().map { index, entry in
      var result = TargetResult(
        id: TargetID(index), name: TargetName(entry.key), outcome: entry.value, output: target.output)
      if entry.value == .failed {
        result.failure = TargetFailure(.httpStatus(404, url: "https://h/\(entry.key)"))
      }
      if entry.value == .skipped { result.skipped = .runStopped }
      return result
    }
    let shard = Shard(number == 0 ? .seed : .number(number), of: total, by: division)
    var manifest = Samples.manifest
    manifest.targets = results.map { result in
      var copy = target
      copy.id = result.id
      copy.name = result.name
      return copy
    }
    return RunJSON.render(
      results: results, status: status, manifest: manifest, shard: ShardFacts(shard, partition: partition),
      exitStatus: exit)
  }

  private func merged(_ documents: [String]) throws -> MergedReports {
    try MergedReports(
      documents.enumerated().map { try ShardReport(Array($1.utf8), path: "\($0 + 1).json") })
  }

  private var whole: [String] {
    [
      document(1, ["a": .updated, "common": .fresh]),
      document(2, ["b": .fresh, "common": .fresh]), document(3, ["c": .updated]),
    ]
  }

  @Test func `a report that is named twice is not blamed on two files`() {
    let (message, hint) = MergeText.wording(
      .double(Shard(.number(1), of: 3), first: "a.json", second: "a.json"))
    #expect(message == "a.json is named twice")
    #expect(hint == "name each report once")
  }

  @Test func `the documents of all shards are one document, whatever their order`() throws {
    for documents in [whole, whole.reversed()] {
      let text = try merged(documents).json()
      let names = ["a", "common", "b", "c"].compactMap {
        text.firstPlace(of: "\"name\": \"\($0)\"")?.lowerBound
      }
      #expect(names.count == 4)
      #expect(names == names.sorted())
      #expect(text.contains("\"merged\": {"))
      #expect(text.contains("\"updated\": 2,\n    \"fresh\": 2,"))
    }
  }

  @Test func `what the shards say of lists and values is there once`() throws {
    let values = whole.map {
      $0.replacing("\"status\"", with: "\"values\": [{\"name\": \"stamp\"}], \"status\"")
    }
    #expect(try merged(values).json().ranges(of: "\"stamp\"").count == 1)
  }

  @Test func `what the shards had from their caches is summed, up to the largest number`() throws {
    #expect(try !merged(whole).json().contains("\"cache\""))
    var documents = whole
    for (index, hits) in [3, Int.max].enumerated() {
      let cache = "\"cache\": {\"hits\": \(hits), \"misses\": 2, \"stored\": -1, \"bad\": 0}, \"status\""
      documents[index + 1] = documents[index + 1].replacing("\"status\"", with: cache)
    }
    let text = try merged(documents).json()
    for field in ["\"hits\": \(Int.max)", "\"misses\": 4", "\"stored\": 0", "\"errors\": 0"] {
      #expect(text.contains(field), "\(field)")
    }
  }

  @Test func `that nothing was removed is said where a shard says it`() throws {
    #expect(try !merged(whole).json().contains("\"removed\""))
    var documents = whole
    documents[1] = documents[1].replacing("\"status\"", with: "\"removed\": [], \"status\"")
    #expect(try merged(documents).json().contains("\"removed\": []"))
    documents[2] = documents[2].replacing("\"status\"", with: "\"removed\": [\"x\"], \"status\"")
    #expect(try merged(documents).json().contains("\"removed\": [\n    \"x\""))
  }

  @Test func `a target that several need is there once, as who says the worst has it`() throws {
    let seed = document(0, ["common": .updated])
    let text = try merged(whole + [seed]).json()
    #expect(text.contains("\"updated\": 3,\n    \"fresh\": 1,"))
    var failing = whole
    failing[1] = document(2, ["b": .skipped, "common": .failed], status: .failed, exit: 2)
    #expect(try merged(failing + [seed]).json().contains("\"failed\": 1,\n    \"skipped\": 1"))
  }

  @Test(arguments: [
    ([0, 0, 0], 0), ([0, 75, 0], 75), ([75, 2, 75], 2), ([2, 75, 0], 2), ([130, 75, 0], 130),
    ([130, 2, 0], 2),
  ])
  func `the worst status counts, and 2 is worse than 75`(_ statuses: [Int], _ worst: Int) throws {
    let documents = statuses.enumerated().map { document($0 + 1, [:], exit: $1) }
    #expect(try merged(documents).exitStatus == worst)
  }

  @Test func `missing shards are named as Slurm takes an array`() {
    #expect(throws: MergedReports.Fault.missing([2], total: 3, division: .hash)) {
      try merged([whole[0], whole[2]])
    }
    let twelve = [1, 2, 4, 5, 6, 8, 12].map { document($0, of: 12, [:], by: .size) }
    #expect(throws: MergedReports.Fault.missing([3, 7, 9, 10, 11], total: 12, division: .size)) {
      try merged(twelve)
    }
    let (message, hint) = MergeText.wording(.missing([3, 7, 9, 10, 11], total: 12, division: .size))
    #expect(message == "the reports of 5 shards are missing: 3,7,9-11")
    #expect(hint?.contains("--array=3,7,9-11 and --shard size:$SLURM_ARRAY_TASK_ID/12") == true)
    let one = MergeText.wording(.missing([3], total: 12, division: .size))
    #expect(one.message == "the report of shard 3 is missing")
    #expect(one.hint?.contains("--shard size:3/12") == true)
  }

  @Test func `seed alone is not the whole`() {
    #expect(throws: MergedReports.Fault.missing([1, 2, 3], total: 3, division: .hash)) {
      try merged([document(0, [:])])
    }
  }

  @Test func `a shard that is there twice is refused`() {
    #expect(throws: MergedReports.Fault.double(Shard(.number(2), of: 3), first: "2.json", second: "4.json")) {
      try merged(whole + [whole[1]])
    }
  }

  @Test func `another partition, total or division is refused`() {
    let others = [
      ("partition", document(3, [:], partition: String(repeating: "b", count: 32))),
      ("total", document(3, of: 4, [:])), ("by", document(3, [:], by: .host)),
      ("manifest", document(3, [:]).replacing("syncmake.yaml", with: "other.yaml")),
    ]
    for (field, other) in others {
      let fault = #expect(throws: MergedReports.Fault.self) { try merged([whole[0], whole[1], other]) }
      guard case .foreign("3.json", "1.json", field, _, _)? = fault else {
        Issue.record("\(field): \(String(describing: fault))")
        continue
      }
    }
  }

  @Test func `the folder of the manifest may have another name on each machine`() throws {
    let other = whole[1].replacing("\"syncmake.yaml\"", with: "\"/mnt/b/syncmake.yaml\"")
    #expect(try merged([whole[0], other, whole[2]]).exitStatus == 0)
  }

  @Test func `the partition of a seed that failed need not be that of the shards`() throws {
    let other = String(repeating: "b", count: 32)
    func seed(exit: Int) -> String {
      document(0, ["common": .failed], status: .failed, exit: exit, partition: other)
    }
    for documents in [[seed(exit: 75)] + whole, whole + [seed(exit: 75)]] {
      let merged = try merged(documents)
      #expect(merged.exitStatus == 75)
      #expect(merged.json().contains("\"partition\": \"\(Self.partition)\""))
    }
    #expect(throws: MergedReports.Fault.self) { try merged([seed(exit: 0)] + whole) }
    #expect(throws: MergedReports.Fault.self) {
      try merged([seed(exit: 75)] + whole.dropLast() + [document(3, [:], partition: other)])
    }
  }

  @Test func `a document that is cut off anywhere is refused`() {
    let bytes = Array(whole[0].utf8)
    // Without the line end it is still whole.
    for length in stride(from: 0, to: bytes.count - 2, by: 7) {
      let fault = #expect(throws: ShardReport.Fault.self) {
        try ShardReport(Array(bytes[..<length]), path: "1.json")
      }
      guard case .cutOff? = fault else {
        Issue.record("\(length): \(String(describing: fault))")
        continue
      }
    }
  }

  @Test func `a second document in a file is not called a cut`() {
    func fault(_ text: String) -> ShardReport.Fault? {
      do throws(ShardReport.Fault) { _ = try ShardReport(Array(text.utf8), path: "x") } catch { return error }
      return nil
    }
    let lines = whole[0].utf8.count { $0 == UInt8(ascii: "\n") }
    #expect(fault(whole[0] + whole[1]) == .several(line: lines + 1))
    #expect(fault(whole[0] + "{") == .several(line: lines + 1))
    #expect(fault(whole[0] + "x") == .cutOff(line: lines + 1))
    #expect(fault("{}\n{}\n") == .foreign)
  }

  @Test(arguments: [
    "{}", "{\"format\": \"syncmake.plan/1\"}", "[]x",
    RunJSON.render(results: [], status: .ok, manifest: Samples.manifest),
  ])
  func `what is no shard's report is refused`(_ text: String) {
    #expect(throws: ShardReport.Fault.self) { try ShardReport(Array(text.utf8), path: "x") }
  }

  @Test func `a JUnit file has a suite for each shard`() throws {
    var documents = whole
    documents[2] = document(3, ["c": .failed], status: .failed, exit: 2)
    let text = try merged(documents).junit()
    for number in 1...3 { #expect(text.contains("<testsuite name=\"shard \(number)/3\" tests=")) }
    #expect(text.contains("<testsuites name=\"syncmake\" tests=\"4\" failures=\"1\""))
    #expect(text.contains("type=\"http-status\""))
  }

  @Test func `texts of a report are harmless on a terminal`() throws {
    let evil = whole[2].replacing("\"name\": \"c\"", with: "\"name\": \"c\\u001b[2J\u{202E}\"")
    let merged = try merged([whole[0], whole[1], evil])
    for text in [merged.json(), merged.junit(), merged.table(TextStyle()), merged.problems(TextStyle())] {
      #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
  }

  @Test func `people see a line for each shard, and each failure`() throws {
    var documents = whole
    documents[2] = document(3, ["c": .failed], status: .failed, exit: 2)
    let merged = try merged(documents)
    #expect(
      merged.table(TextStyle()) == """
        shard  status  updated  fresh  failed  skipped
        1/3    ok            1      1       0        0
        2/3    ok            0      2       0        0
        3/3    failed        0      0       1        0
        4 targets: 1 updated, 2 fresh, 1 failed, 0 skipped

        """)
    #expect(merged.problems(TextStyle()).hasPrefix("syncmake: error: c: "))
  }
}
