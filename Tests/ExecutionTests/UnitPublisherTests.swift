import Foundation
import LocalFiles
import StateStore
import SyncModel
import Testing

@testable import Execution

/// The publication of targets that are published together, on real files and a real store.
@Suite struct UnitPublisherTests {
  private let bench: CommitterTests.Bench

  init() throws { bench = try CommitterTests.Bench() }

  /// Withholds a new file for each name; returns what is to be published. Other files are put in place.
  private func withhold(
    _ names: [String], _ text: String, beside others: [String] = [], in committer: Committer
  ) throws -> WithheldShelf.Contents {
    var contents = WithheldShelf.Contents()
    let all = names + others
    for (number, name) in all.enumerated() {
      var job = try bench.job(name, text)
      job.isWithheld = names.contains(name)
      committer.publish(job, Ticket(number: number))
      guard job.isWithheld else { continue }
      let output = WithheldOutput(record: job.record, keepsTime: false)
      contents.new.append(WithheldShelf.New(output: output, over: job.over))
    }
    var letters: [(Ticket, Letter)] = []
    while letters.count < all.count {
      bench.mailbox.wait(milliseconds: 60_000)
      letters += bench.mailbox.take().letters
    }
    for case (let ticket, .published(.success(let signature))) in letters where ticket.number < names.count {
      contents.new[ticket.number].output.record.signature = signature
    }
    return contents
  }

  private func publisher() -> UnitPublisher {
    UnitPublisher(WithheldPublication(bench.root, bench.state, Manifest(fileName: "m", targets: [])))
  }

  private func publish(
    _ contents: WithheldShelf.Contents, _ publisher: UnitPublisher, in committer: Committer
  ) throws -> WithheldPublication.Fault? {
    let output = try RelativePath("a")
    committer.publish(
      UnitJob(
        output: output, publish: { publisher.publish(contents, in: $0) }, ticket: Ticket(number: 99)))
    while true {
      bench.mailbox.wait(milliseconds: 60_000)
      for case (_, .unitPublished(let fault)) in bench.mailbox.take().letters { return fault }
    }
  }

  @Test func `withheld files are put in place together, after everything else`() throws {
    let committer = try bench.committer()
    try bench.folder.write("old", to: "a")
    let contents = try withhold(["a", "b"], "new", beside: ["c"], in: committer)
    #expect(bench.folder.read("a") == Array("old".utf8))
    #expect(bench.folder.read("b") == nil)
    #expect(bench.folder.read("c") == Array("new".utf8))
    #expect(try bench.snapshot().withheld.map(\.record.output.text) == ["a", "b"])
    #expect(try publish(contents, publisher(), in: committer) == nil)
    for name in ["a", "b"] { #expect(bench.folder.read(name) == Array("new".utf8)) }
    // The record of `c` is stored before the unit is.
    let snapshot = try bench.snapshot()
    #expect(snapshot.records.map(\.output.text) == ["a", "b", "c"])
    #expect(snapshot.withheld.isEmpty && snapshot.publication == nil && snapshot.pending.isEmpty)
    for record in snapshot.records { #expect(bench.root.observe(record.output) == .file(record.signature)) }
    #expect(bench.state.withheldKeys().isEmpty)
    #expect(!committer.finish().hasLostRecords)
  }

  @Test func `what a killed run was about to publish is new content for the run that completes it`() throws {
    let committer = try bench.committer()
    _ = try withhold(["a"], "new", beside: ["b"], in: committer)
    _ = committer.finish()
    do {
      let store = try StateStore.open(folder: bench.state.path, access: .readWrite)
      let changes = try bench.snapshot().withheld.map { withheld in
        var output = withheld
        output.over = .missing
        return StateChange.withhold(output)
      }
      try store.apply(changes + [.decide(Publication(lock: nil))])
    }
    let targets = try ["a", "b"].enumerated().map { number, name in
      Target(
        id: TargetID(number), name: TargetName(name), source: .urls([.web("https://data.example/a")]),
        output: try RelativePath(name))
    }
    let manifest = Manifest(fileName: "m", targets: targets)
    var state = try OpenState(bench.state.path, isWritable: true) { _ in }
    #expect(state.snapshot.completed == nil)
    try state.completePublication(bench.root, bench.state, manifest) { _ in }
    #expect(state.snapshot.completed == [targets[0].path])
    #expect(bench.folder.read("a") == Array("new".utf8))
    var results = RunResults(of: manifest, since: state.snapshot) { _ in }
    for target in targets {
      let result = TargetResult(id: target.id, name: target.name, outcome: .fresh, output: target.output)
      results.add(result, isWithheld: false)
    }
    #expect(results.of(targets.map(\.id)).map(\.hasNewContent) == [true, false])
  }

  @Test func `the end of a target is reported at once, and its result after the publication`() throws {
    let target = Target(
      id: TargetID(0), name: TargetName("a"), source: .urls([.web("https://data.example/a")]),
      output: try RelativePath("a"))
    let manifest = Manifest(fileName: "m", targets: [target])
    var reported: [String] = []
    var results = RunResults(of: manifest, since: StateSnapshot()) { event in
      switch event {
      case .withheld: reported.append("withheld")
      case .finished: reported.append("finished")
      default: break
      }
    }
    let result = TargetResult(id: target.id, name: target.name, outcome: .updated, output: target.output)
    results.add(result, isWithheld: true)
    #expect(reported == ["withheld"])
    results.tellWithheld(isPublished: true, nil)
    #expect(reported == ["withheld", "finished"])
  }

  @Test(arguments: [false, true])
  func `what a state brings is put in place only where a target may be, with the bytes that it claims`(
    isUntrusted: Bool
  ) throws {
    let committer = try bench.committer()
    let names = ["a", "b", "hook", "stray"]
    _ = try withhold(names, "new", in: committer)
    _ = committer.finish()
    var changes: [StateChange] = []
    for var output in try bench.snapshot().withheld {
      output.over = .missing
      if output.record.output.text == "hook" {
        changes.append(.unwithhold(output: output.record.output))
        let places = try ["hook", ".git/hooks/x"].map {
          bench.state.path + "/withheld/" + WithheldShelf.key(of: try RelativePath($0))
        }
        #expect(rename(places[0], places[1]) == 0)
        output.record.output = try RelativePath(".git/hooks/x")
      }
      if output.record.output.text == "b" {
        output.record.content = ContentIdentity(size: 3, sha256: Self.otherDigest)
      }
      changes.append(.withhold(output))
    }
    #expect(changes.count == names.count + 1)
    let store = try StateStore.open(folder: bench.state.path, access: .readWrite)
    try store.apply(changes + [.decide(Publication(lock: nil))])
    let targets = try ["a", "b"].enumerated().map { number, name in
      Target(
        id: TargetID(number), name: TargetName(name), source: .urls([.web("https://data.example/a")]),
        output: try RelativePath(name))
    }
    var manifest = Manifest(fileName: "m", targets: targets)
    if isUntrusted { manifest.policy = .untrusted }
    try WithheldPublication(bench.root, bench.state, manifest).completeOpen(in: store)
    #expect(bench.folder.read("a") == Array("new".utf8))
    #expect(bench.folder.read("b") == nil)
    #expect(bench.folder.read(".git/hooks/x") == nil && bench.folder.read(".git/hooks") == nil)
    #expect(bench.folder.read("stray") == (isUntrusted ? nil : Array("new".utf8)))
    let snapshot = try bench.snapshot()
    #expect(snapshot.withheld.isEmpty && snapshot.publication == nil)
    #expect(bench.state.withheldKeys().isEmpty)
  }

  @Test(arguments: ["edited", "removed", "as it was put in place"])
  func `of a publication that is undone, only the new bytes are taken back`(what: String) throws {
    let committer = try bench.committer()
    for name in ["a", "b"] { try bench.folder.write("old", to: name) }
    _ = try withhold(["a", "b"], "new", in: committer)
    _ = committer.finish()
    var changes: [StateChange] = []
    for var output in try bench.snapshot().withheld {
      output.over = bench.root.observe(output.record.output)
      changes.append(.withhold(output))
    }
    // A run was killed after it had put `a` in place; the old file has the new one's name.
    let key = bench.state.path + "/withheld/" + WithheldShelf.key(of: try RelativePath("a"))
    let place = bench.folder.path("a")
    #expect(rename(place, place + "-old") == 0 && rename(key, place) == 0 && rename(place + "-old", key) == 0)
    switch what {
    case "edited":
      let file = try #require(FileHandle(forWritingAtPath: place))
      try file.seekToEnd()
      try file.write(contentsOf: Data("!".utf8))
    case "removed": #expect(unlink(place) == 0)
    default: break
    }
    // And `b` cannot be.
    #expect(unlink(bench.folder.path("b")) == 0 && mkdir(bench.folder.path("b"), 0o755) == 0)
    let store = try StateStore.open(folder: bench.state.path, access: .readWrite)
    try store.apply(changes + [.decide(Publication(lock: nil))])
    let targets = try ["a", "b"].enumerated().map { number, name in
      Target(
        id: TargetID(number), name: TargetName(name), source: .urls([.web("https://data.example/a")]),
        output: try RelativePath(name))
    }
    let publication = WithheldPublication(bench.root, bench.state, Manifest(fileName: "m", targets: targets))
    try publication.completeOpen(in: store)
    let here = bench.folder.read("a").map { String(decoding: $0, as: UTF8.self) }
    #expect(here == ["edited": "new!", "as it was put in place": "old"][what])
    let snapshot = try bench.snapshot()
    #expect(snapshot.publication == nil)
    let withheld = Set(snapshot.withheld.map(\.record.output.text))
    #expect(withheld == (here == "old" ? ["a", "b"] : ["b"]))
    #expect(bench.state.withheldKeys().count == withheld.count)
  }

  @Test(arguments: [true, false], ["theirs\n", "old lock\n", nil])
  func `a lock that another program has changed since a killed update stays`(
    isPlaced: Bool, present: String?
  ) throws {
    let committer = try bench.committer()
    try bench.folder.write("old", to: "a")
    _ = try withhold(["a"], "new", in: committer)
    _ = committer.finish()
    try bench.folder.write("old lock\n", to: "syncmake.lock")
    let replaced = ReplacedLock.file(sha256: try #require(LockWriter.digest(bench.root)))
    var changes: [StateChange] = []
    for var output in try bench.snapshot().withheld {
      output.over = bench.root.observe(output.record.output)
      changes.append(.withhold(output))
    }
    if isPlaced {
      let key = bench.state.path + "/withheld/" + WithheldShelf.key(of: try RelativePath("a"))
      let place = bench.folder.path("a")
      #expect(
        rename(place, place + "-old") == 0 && rename(key, place) == 0 && rename(place + "-old", key) == 0)
    }
    if let present {
      try bench.folder.write(present, to: "syncmake.lock")
    } else {
      #expect(unlink(bench.folder.path("syncmake.lock")) == 0)
    }
    let store = try StateStore.open(folder: bench.state.path, access: .readWrite)
    try store.apply(changes + [.decide(Publication(lock: "new lock\n", replaced: replaced))])
    let target = Target(
      id: TargetID(0), name: TargetName("a"), source: .urls([.web("https://data.example/a")]),
      output: try RelativePath("a"))
    let publication = WithheldPublication(bench.root, bench.state, Manifest(fileName: "m", targets: [target]))
    try publication.completeOpen(in: store)
    let isUnchanged = present == "old lock\n"
    #expect(bench.folder.read("a") == Array((isUnchanged ? "new" : "old").utf8))
    #expect(
      bench.folder.read("syncmake.lock") == (isUnchanged ? "new lock\n" : present).map { Array($0.utf8) })
    let snapshot = try bench.snapshot()
    #expect(snapshot.publication == nil)
    #expect(snapshot.withheld.count == (isUnchanged ? 0 : 1))
  }

  private static let otherDigest = HexDigest(String(repeating: "a", count: 64), .sha256)!

  @Test func `an edit keeps all files as they are, and what is withheld stays so`() throws {
    let committer = try bench.committer()
    for name in ["a", "b"] { try bench.folder.write("old", to: name) }
    let contents = try withhold(["a", "b"], "new", in: committer)
    try bench.folder.write("edited", to: "b")
    let fault = try #require(try publish(contents, publisher(), in: committer))
    #expect(fault.output?.text == "b")
    #expect(!fault.isOpen && !fault.isInPlace)
    guard case .outputModified = fault.cause else { throw fault.cause }
    #expect(bench.folder.read("a") == Array("old".utf8))
    #expect(bench.folder.read("b") == Array("edited".utf8))
    let snapshot = try bench.snapshot()
    #expect(snapshot.withheld.count == 2 && snapshot.withheld.allSatisfy { $0.over == nil })
    #expect(snapshot.publication == nil)
    _ = committer.finish()
  }

  @Test func `a unit that could not be concluded is completed before the next one`() throws {
    let store = ForgetfulStore(try StateStore.open(folder: bench.state.path, access: .readWrite))
    let committer = bench.committer(on: store)
    let publisher = publisher()
    let first = try withhold(["a"], "one", in: committer)
    let second = try withhold(["b"], "two", in: committer)
    store.refusals = 1
    #expect(try publish(first, publisher, in: committer) == nil)
    #expect(bench.folder.read("a") == Array("one".utf8))
    #expect(try bench.snapshot().publication == Publication(lock: nil))
    #expect(try publish(second, publisher, in: committer) == nil)
    let snapshot = try bench.snapshot()
    #expect(snapshot.records.map(\.output.text) == ["a", "b"])
    #expect(snapshot.withheld.isEmpty && snapshot.publication == nil)
    // If it still cannot be, nothing of the next one changes: only one can be open.
    let third = try withhold(["a"], "three", in: committer)
    let fourth = try withhold(["b"], "four", in: committer)
    store.refusals = 2
    #expect(try publish(third, publisher, in: committer) == nil)
    #expect(try publish(fourth, publisher, in: committer) != nil)
    #expect(bench.folder.read("a") == Array("three".utf8))
    #expect(bench.folder.read("b") == Array("two".utf8))
    #expect(try bench.snapshot().publication != nil)
    _ = committer.finish()
  }

  @Test func `without a decision nothing changes`() throws {
    let store = ForgetfulStore(try StateStore.open(folder: bench.state.path, access: .readWrite))
    let committer = bench.committer(on: store)
    let contents = try withhold(["a", "b"], "new", in: committer)
    store.refusesDecisions = true
    let fault = try #require(try publish(contents, publisher(), in: committer))
    #expect(!fault.isOpen && !fault.isInPlace)
    #expect(bench.folder.read("a") == nil && bench.folder.read("b") == nil)
    #expect(try bench.snapshot().withheld.count == 2)
    _ = committer.finish()
  }
}

/// A store that cannot be written at some moments.
private final class ForgetfulStore: RecordStore, @unchecked Sendable {
  private let store: StateStore
  /// How many conclusions will be refused.
  var refusals = 0
  var refusesDecisions = false

  init(_ store: StateStore) { self.store = store }

  var setAside: (path: String, why: String)? { store.setAside }

  func load(only outputs: [RelativePath]?) throws(StateFault) -> StateSnapshot {
    try store.load(only: outputs)
  }

  func apply(_ changes: [StateChange]) throws(StateFault) {
    let isDecision = changes.contains { if case .decide = $0 { true } else { false } }
    if changes.contains(.concludePublication), refusals > 0 {
      refusals -= 1
      throw StateFault(code: 13, path: "state.db", text: "full")
    }
    if isDecision, refusesDecisions { throw StateFault(code: 13, path: "state.db", text: "full") }
    try store.apply(changes)
  }
}
