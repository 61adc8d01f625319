package import SyncModel

/// What `run --shard --json` has printed, as `merge` reads it: the fields of the whole at once, its targets one by one.
package struct ShardReport: Sendable {
  /// Why a file is none.
  package enum Fault: Error, Sendable, Equatable {
    /// No JSON document, or not all of it; the line counts from 1.
    case cutOff(line: Int)
    /// Another JSON document follows it, and begins in this line.
    case several(line: Int)
    /// Another document, or that of a run without `--shard`.
    case foreign
  }

  /// One target of it.
  struct Item: Sendable {
    /// Where in the document it is.
    var place: Range<Int>
    var name: ByteString
    var outcome: Outcome
  }

  /// The file, as the user named it.
  package let path: String
  /// Which shard's it is.
  package let facts: ShardFacts
  /// The manifest's name.
  let manifest: String
  let status: RunStatus
  /// How the shard has ended.
  package let exitStatus: Int
  let items: [Item]
  /// `nil` in a run without lists.
  let removed: [String]?
  /// What it had from its cache and put there, by field; `nil` in a run without one.
  let cache: [String: Int]?
  /// A failure that belongs to no target.
  let failure: JSONValue?
  /// What the manifest's lists and values were, and the policy, by key.
  let known: [String: JSONValue]
  private let bytes: [UInt8]

  /// Reads the document in `bytes`.
  package init(_ bytes: [UInt8], path: String) throws(Fault) {
    let (fields, found): ([String: JSONValue], [Item]?)
    var reader = JSONReader(bytes)
    guard reader.kind() != .array else { throw .foreign }
    do throws(JSONValue.Fault) {
      (fields, found) = try Self.fields(&reader)
      if reader.kind() != .object { try reader.end() }
    } catch {
      throw .cutOff(line: error.line)
    }
    guard let items = found, fields["format"]?.text == "syncmake.run/1",
      let manifest = fields["manifest"]?.text, let shard = fields["shard"],
      let index = shard["index"]?.int, let total = shard["total"]?.int,
      (1...Shard.mostShards).contains(total), (0...total).contains(index),
      let division = shard["by"]?.text.flatMap(Shard.Division.init),
      let partition = shard["partition"]?.text, let exitStatus = shard["exit_status"]?.int,
      (0...255).contains(exitStatus),
      let status = fields["status"]?.text.flatMap(RunStatus.init)
    else { throw .foreign }
    guard reader.kind() != .object else { throw .several(line: reader.line) }
    self.path = path
    facts = ShardFacts(
      Shard(index == 0 ? .seed : .number(index), of: total, by: division), partition: partition)
    (self.manifest, self.status, self.exitStatus, self.items) = (manifest, status, exitStatus, items)
    failure = fields["error"]
    known = fields.filter { Self.knownKeys.contains($0.key) }
    if case .array(let outputs)? = fields["removed"] {
      removed = outputs.compactMap(\.text)
    } else {
      removed = nil
    }
    cache = fields["cache"].map { counts in
      Dictionary(uniqueKeysWithValues: Self.cacheKeys.map { ($0, max(0, counts[ByteString($0)]?.int ?? 0)) })
    }
    self.bytes = bytes
  }

  /// The manifest's name without its folder, which may be another one on each machine.
  var manifestName: String {
    guard let slash = manifest.utf8.lastIndex(of: UInt8(ascii: "/")) else { return manifest }
    return String(manifest[manifest.utf8.index(after: slash)...])
  }

  /// Whether it is seed's, and something failed. If this was a value or a list, seed has not seen the targets that the
  /// shards have, and its partition is another one.
  var isOfFailedSeed: Bool { facts.shard.part == .seed && exitStatus != 0 }

  static let knownKeys = ["policy", "lists", "values"]
  static let cacheKeys = ["hits", "misses", "stored", "bad", "errors"]

  /// All fields but the targets, and these; `nil` if there are none of a run.
  private static func fields(
    _ reader: inout JSONReader
  ) throws(JSONValue.Fault) -> ([String: JSONValue], [Item]?) {
    var fields: [String: JSONValue] = [:]
    var items: [Item]?
    guard reader.kind() == .object else { throw reader.fault }
    try reader.beginObject()
    while let key = try reader.nextKey() {
      if key == "targets", reader.kind() == .array {
        items = try Self.items(&reader)
      } else {
        fields[key] = try reader.value()
      }
    }
    return (fields, items)
  }

  /// The target as it stands in the document.
  func value(of item: Item) -> JSONValue {
    // It was read before.
    (try? JSONValue(Array(bytes[item.place]))) ?? .null
  }
}

/// Many shards' reports as that of one run.
package struct MergedReports: Sendable {
  /// Why reports are not those of one whole.
  package enum Fault: Error, Sendable, Equatable {
    /// Two of the same shard.
    case double(Shard, first: String, second: String)
    /// Of another manifest, partition or total than the first; see ``ShardReport/isOfFailedSeed``.
    case foreign(path: String, first: String, field: String, value: String, firstValue: String)
    /// Shards without a report.
    case missing([Int], total: Int, division: Shard.Division)
  }

  /// In the order of their numbers, seed first.
  package let reports: [ShardReport]
  /// Each target once, as whoever says the worst of it has it.
  private let items: [(report: Int, item: ShardReport.Item)]
  /// The same, by report.
  private let itemsOfReports: [[ShardReport.Item]]

  /// Checks that all of one whole are there; that of seed need not be.
  package init(_ given: [ShardReport]) throws(Fault) {
    let reports = given.enumerated().sorted {
      ($0.element.facts.shard.index, $0.offset) < ($1.element.facts.shard.index, $1.offset)
    }.map(\.element)
    try Self.checkSame(given)
    for (a, b) in zip(reports, reports.dropFirst()) where a.facts.shard == b.facts.shard {
      throw .double(a.facts.shard, first: a.path, second: b.path)
    }
    if let shard = given.first?.facts.shard {
      let there = Set(reports.map(\.facts.shard.index))
      let missing = (1...shard.total).filter { !there.contains($0) }
      if !missing.isEmpty { throw .missing(missing, total: shard.total, division: shard.division) }
    }
    self.reports = reports
    items = Self.items(reports)
    var groups = [[ShardReport.Item]](repeating: [], count: reports.count)
    for (report, item) in items { groups[report].append(item) }
    itemsOfReports = groups
  }

  private static func checkSame(_ reports: [ShardReport]) throws(Fault) {
    guard let first = reports.first(where: { !$0.isOfFailedSeed }) ?? reports.first else { return }
    for report in reports {
      var fields = [
        ("manifest", report.manifestName, first.manifestName),
        ("total", "\(report.facts.shard.total)", "\(first.facts.shard.total)"),
        ("by", report.facts.shard.division.rawValue, first.facts.shard.division.rawValue),
      ]
      if !report.isOfFailedSeed {
        fields.append(("partition", report.facts.partition, first.facts.partition))
      }
      for (field, value, firstValue) in fields where !value.hasSameBytes(as: firstValue) {
        throw .foreign(
          path: report.path, first: first.path, field: field, value: value, firstValue: firstValue)
      }
    }
  }

  private static func items(_ reports: [ShardReport]) -> [(report: Int, item: ShardReport.Item)] {
    var items: [(report: Int, item: ShardReport.Item)] = []
    var places: [ByteString: Int] = [:]
    for (number, report) in reports.enumerated() {
      for item in report.items {
        // What several need is in the reports of all of them.
        if let place = places[item.name] {
          if item.outcome.isWorse(than: items[place].item.outcome) { items[place] = (number, item) }
        } else {
          places[item.name] = items.count
          items.append((number, item))
        }
      }
    }
    return items
  }

  /// The status of the whole: the worst of all shards. 2 is worse than 75, which the scheduler tries again.
  package var exitStatus: Int {
    func badness(_ status: Int) -> Int { status == 0 ? 0 : status == 75 ? 1 : status == 2 ? 3 : 2 }
    return reports.map(\.exitStatus).max { badness($0) < badness($1) } ?? 0
  }

  private var status: RunStatus {
    if reports.contains(where: { $0.status == .failed }) { return .failed }
    return reports.contains { $0.status == .interrupted } ? .interrupted : .ok
  }

  /// What the policies of all shards have in common: that they were untrusted, and the file or its digest; empty if one of
  /// them ran without.
  private var policy: [JSONValue.Member] {
    let policies = reports.map { report -> [JSONValue.Member] in
      if case .object(let members)? = report.known["policy"] { members } else { [] }
    }
    return (policies.first ?? []).filter { member in policies.allSatisfy { $0.contains(member) } }
  }

  private func count(_ outcome: Outcome) -> Int { items.count { $0.item.outcome == outcome } }

  // MARK: As a document

  /// `syncmake.run/1` of the whole; ends in a line end.
  package func json() -> String {
    JSONWriter.document { json in
      json.field("format", "syncmake.run/1")
      json.field("manifest", reports.first?.manifest)
      // Without one of the shards there is no whole, and they come after seed.
      if let facts = reports.last?.facts {
        json.object("merged") { json in
          json.field("total", facts.shard.total)
          json.field("by", facts.shard.division.rawValue)
          json.field("partition", facts.partition)
        }
      }
      json.field("status", status.rawValue)
      json.object("summary") { json in
        for outcome in Outcome.allCases { json.field(outcome.rawValue, count(outcome)) }
      }
      json.objects("targets", items) { json, item in
        guard case .object(let members) = reports[item.report].value(of: item.item) else { return }
        for member in members { json.field(member.key.text, member.value) }
      }
      if !policy.isEmpty {
        json.object("policy") { json in for member in policy { json.field(member.key.text, member.value) } }
      }
      for key in ShardReport.knownKeys where key != "policy" {
        if let value = reports.lazy.compactMap({ $0.known[key] }).first { json.field(key, value) }
      }
      let removed = reports.compactMap(\.removed)
      if !removed.isEmpty { json.strings("removed", removed.flatMap(\.self)) }
      let caches = reports.compactMap(\.cache)
      if !caches.isEmpty {
        json.object("cache") { json in
          for key in ShardReport.cacheKeys {
            json.field(
              key,
              caches.reduce(0) { sum, cache in
                let (sum, isTooLarge) = sum.addingReportingOverflow(cache[key] ?? 0)
                return isTooLarge ? .max : sum
              })
          }
        }
      }
      if let failure = reports.lazy.compactMap(\.failure).first { json.field("error", failure) }
    }
  }

  // MARK: As a JUnit file

  /// A suite for each shard, in which each of its targets is a test case.
  package func junit() -> String {
    var xml = XMLWriter()
    let all = reports.indices.map(cases)
    xml.open("testsuites", ["name": "syncmake"], counts(all.flatMap(\.self)))
    for (report, cases) in zip(reports, all) {
      let name = "shard \(report.facts.shard.text)"
      xml.open("testsuite", ["name": name], counts(cases))
      for target in cases { write(target, &xml) }
      xml.close("testsuite")
    }
    xml.close("testsuites")
    return xml.text
  }

  /// The targets that the report says the worst of, and its own failure.
  private func cases(of number: Int) -> [JSONValue] {
    let report = reports[number]
    var cases = itemsOfReports[number].map(report.value)
    if let failure = report.failure {
      cases.append(
        .object([
          .init(key: "name", value: .string("syncmake")), .init(key: "outcome", value: .string("failed")),
          .init(key: "error", value: failure),
        ]))
    }
    return cases
  }

  private func counts(_ cases: [JSONValue]) -> XMLWriter.Attributes {
    let ms = cases.reduce(0) { $0 + $1.milliseconds }
    return [
      "tests": "\(cases.count)", "failures": "\(cases.count(where: \.isHardFailure))", "errors": "0",
      "skipped": "\(cases.count(where: \.isPassedOver))", "time": Self.seconds(ms),
    ]
  }

  private func write(_ target: JSONValue, _ xml: inout XMLWriter) {
    xml.open(
      "testcase",
      [
        "classname": JUnitXML.className(reports.first?.manifest ?? ""), "name": target["name"]?.text ?? "",
        "time": Self.seconds(target.milliseconds),
      ])
    let detail = target["detail"]?.text ?? ""
    if let error = target["error"] {
      let (code, message) = (error["code"]?.text ?? "", error["message"]?.text ?? "")
      if target.isHardFailure {
        xml.element("failure", ["message": "\(code): \(message)", "type": code], "\(code): \(message)")
      } else {
        xml.element("skipped", ["message": "optional: \(code): \(message)"], message)
      }
    } else if target["outcome"]?.text == Outcome.skipped.rawValue {
      xml.element("skipped", ["message": detail], detail)
    } else {
      let code = target["reason"]?.text.map { "\($0): " } ?? ""
      xml.element("system-out", [:], "\(target["outcome"]?.text ?? ""): \(code)\(detail)\n")
    }
    xml.close("testcase")
  }

  private static func seconds(_ ms: Int) -> String { "\(ms / 1000).\(pad(ms % 1000, 3))" }

  // MARK: For people

  /// A line for each shard, and one for the whole.
  package func table(_ style: TextStyle) -> String {
    var table = TextTable([
      ("shard", .whole), ("status", .whole), ("updated", .right), ("fresh", .right), ("failed", .right),
      ("skipped", .right),
    ])
    for report in reports {
      table.add(
        [report.facts.shard.text, report.status.rawValue]
          + Outcome.allCases.map { outcome in "\(report.items.count { $0.outcome == outcome })" })
    }
    let counts = Outcome.allCases.map { "\(count($0)) \($0.rawValue)" }.joined(separator: ", ")
    return table.render(style) + "\(Quantity.count(items.count, "target")): \(counts)\n"
  }

  /// A line for each failure.
  package func problems(_ style: TextStyle) -> String {
    var text = ""
    for (report, items) in zip(reports, itemsOfReports) {
      for item in items where item.outcome == .failed {
        let value = report.value(of: item)
        let message = "\(item.name.text): \(value["error"]?["message"]?.text ?? "failed")"
        text +=
          value.isHardFailure
          ? MessageText.error(message, style: style) : MessageText.warning(message, style: style)
      }
      if let message = report.failure?["message"]?.text {
        text += MessageText.error("shard \(report.facts.shard.text): \(message)", style: style)
      }
    }
    return text
  }
}

extension ShardReport {
  private static func items(_ reader: inout JSONReader) throws(JSONValue.Fault) -> [Item]? {
    var items: [Item]? = []
    try reader.beginArray()
    while try reader.nextItem() {
      _ = reader.kind()
      let start = reader.offset
      let value = try reader.value()
      guard let name = value["name"]?.text, let outcome = value["outcome"]?.text.flatMap(Outcome.init) else {
        items = nil
        continue
      }
      items?.append(Item(place: start..<reader.offset, name: ByteString(name), outcome: outcome))
    }
    return items
  }
}

extension Outcome {
  /// Of two reports on one target, the worse one is right: whoever has it as fresh only takes it as it is.
  fileprivate func isWorse(than other: Outcome) -> Bool {
    let order: [Outcome] = [.fresh, .skipped, .updated, .failed]
    return (order.firstIndex(of: self) ?? 0) > (order.firstIndex(of: other) ?? 0)
  }
}

extension JSONValue {
  /// The value of a key; `nil` if this is no object, or has none.
  fileprivate subscript(key: ByteString) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

  fileprivate var int: Int? { if case .number(let text) = self { Int(text) } else { nil } }

  /// How long a target has taken; a hostile number is cut to some years, so that no sum of them is too large.
  fileprivate var milliseconds: Int { min(max(0, self["duration_ms"]?.int ?? 0), 1 << 38) }

  /// A failed target that fails its run.
  fileprivate var isHardFailure: Bool {
    self["outcome"]?.text == Outcome.failed.rawValue && self["optional"] != .bool(true)
  }

  fileprivate var isPassedOver: Bool {
    self["outcome"]?.text == Outcome.skipped.rawValue
      || self["outcome"]?.text == Outcome.failed.rawValue && !isHardFailure
  }
}
