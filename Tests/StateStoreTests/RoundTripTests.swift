import Foundation
import SyncModel
import Testing

@testable import StateStore

@Suite struct `Stored values are read back unchanged` {
  @Test func `each field of a record, set or absent`() throws {
    let folder = try StateFolder()
    let records = [try Sample.bare("a", name: "a"), try Sample.full(), try Sample.usual(7)]
    try folder.fill(records.map { .commit($0) } + records.map { .intend($0) })
    for access in [StateStore.Access.readOnly, .readWrite] {
      let snapshot = try folder.snapshot(access)
      #expect(snapshot.records == records)
      #expect(snapshot.pending == records)
    }
  }

  @Test(arguments: [0, 1, 7, 8, 9, 1 << 20])
  func `a sidecar's body of any size`(size: Int) throws {
    let folder = try StateFolder()
    var bare = Sample.sidecar(1, size: size)
    bare.validators = Validators(url: "")
    let sidecars = [bare, Sample.sidecar(2, size: size)]
    try folder.fill(sidecars.map { .sidecar($0) })
    #expect(try folder.snapshot().sidecars == sidecars)
    #expect(try folder.snapshot(.readOnly).sidecars == sidecars)
  }

  @Test func `a text that holds a zero byte`() throws {
    let folder = try StateFolder()
    var record = try Sample.usual(1)
    record.definition = [DefinitionField(name: "steps", value: "a\0b")]
    record.validators?.etag = EntityTag("\"a\0b\"")
    try folder.fill([.commit(record)])
    #expect(try folder.snapshot().records == [record])
  }

  @Test func `lists ascend by the bytes of their keys`() throws {
    let folder = try StateFolder()
    let outputs = ["b", "a/b", "a", "é", "Z", "a-b"]
    try folder.fill(try outputs.enumerated().map { .commit(try Sample.bare($1, name: "t\($0)")) })
    #expect(try folder.snapshot().records.map(\.output.text) == ["Z", "a", "a-b", "a/b", "b", "é"])
  }

  @Test func `ten thousand records`() throws {
    let folder = try StateFolder()
    let records = try (0..<10_000).map { try Sample.usual($0) }
    try folder.fill(records.map { .commit($0) })
    let store = try folder.open()
    let clock = ContinuousClock()
    let start = clock.now
    let snapshot = try store.load()
    let duration = clock.now - start
    #expect(snapshot.records == records)
    // Some ten milliseconds in a release build; the bound only catches a quadratic mistake.
    #expect(duration < .seconds(10))
    if ProcessInfo.processInfo.environment["STATESTORE_TIMES"] != nil { print("load of 10,000: \(duration)") }
  }
}

@Suite struct `Changes replace what they should` {
  @Test func `a commit replaces the record and the intention of its output`() throws {
    let folder = try StateFolder()
    var record = try Sample.usual(1)
    try folder.fill([.intend(record), .commit(record), .intend(record)])
    record.checkedAt = Timestamp(seconds: 99)
    try folder.fill([.commit(record)])
    #expect(try folder.snapshot().records == [record])
    #expect(try folder.snapshot().pending.isEmpty)
  }

  @Test func `a commit keeps the record of the same name for another output`() throws {
    let folder = try StateFolder()
    let old = try Sample.bare("old", name: "t")
    try folder.fill([.commit(old)])
    let moved = try Sample.bare("new", name: "t")
    try folder.fill([.intend(moved), .commit(moved)])
    for access in [StateStore.Access.readOnly, .readWrite] {
      #expect(try folder.snapshot(access).records == [moved, old])
    }
    try folder.fill([.forget(output: moved.output)])
    #expect(try folder.snapshot().records == [old])
  }

  @Test func `outputs that swap names in one transaction keep a record each`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.bare("o", name: "a")), .commit(try Sample.bare("p", name: "b"))])
    let swapped = [try Sample.bare("o", name: "b"), try Sample.bare("p", name: "a")]
    try folder.fill(swapped.map { .commit($0) })
    #expect(try folder.snapshot().records == swapped)
  }

  @Test func `an intention stands beside the record until it is withdrawn`() throws {
    let folder = try StateFolder()
    let old = try Sample.usual(1)
    var new = old
    new.content.size = 77
    try folder.fill([.commit(old), .intend(new)])
    #expect(try folder.snapshot().records == [old])
    #expect(try folder.snapshot().pending == [new])
    try folder.fill([.withdraw(output: new.output)])
    #expect(try folder.snapshot().records == [old])
    #expect(try folder.snapshot().pending.isEmpty)
  }

  @Test func `a forgotten output leaves no trace, and forgetting nothing is not an error`() throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    try folder.fill([.commit(record), .intend(record)])
    try folder.fill([.forget(output: record.output), .forget(output: record.output)])
    #expect(try folder.snapshot().records.isEmpty)
    #expect(try folder.snapshot().pending.isEmpty)
  }

  @Test func `a sidecar is kept once for its URL`() throws {
    let folder = try StateFolder()
    var sidecar = Sample.sidecar(1)
    try folder.fill([.sidecar(sidecar)])
    sidecar.body = [1, 2, 3]
    try folder.fill([.sidecar(sidecar)])
    #expect(try folder.snapshot().sidecars == [sidecar])
  }

  @Test func `without changes there is no transaction`() throws {
    let folder = try StateFolder()
    let store = try folder.open()
    let before = try folder.fingerprint()
    try store.apply([])
    #expect(try folder.fingerprint() == before)
  }
}
