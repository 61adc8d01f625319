import SyncModel
import SyncTestSupport
import Testing

@testable import StateStore

@Suite struct `A list of intentions` {
  private func bytes(_ records: [TargetRecord]) -> [UInt8] {
    records.reduce(into: []) { IntentionList.append($1, to: &$0) }
  }

  private func records(_ bytes: [UInt8]) throws -> [TargetRecord] {
    try bytes.withUnsafeBytes { try IntentionList.records(in: $0) }
  }

  private func samples() throws -> [TargetRecord] {
    var bare = try Sample.usual(1)
    (bare.download, bare.validators, bare.inputs, bare.definition) = (nil, nil, [], [])
    var odd = try Sample.usual(2)
    odd.signature.inode = .max
    odd.checkedAt = Timestamp(nanoseconds: -1)
    odd.definition = [DefinitionField(name: "url", value: "é\u{301}\n\u{0}:4:")]
    return [try Sample.usual(0), bare, odd]
  }

  @Test func `returns its intentions in their order`() throws {
    let samples = try samples()
    #expect(try records(bytes(samples)) == samples)
    #expect(try records([]).isEmpty)
  }

  @Test func `that is cut at any byte is empty, or has the records before the cut`() throws {
    let samples = try samples()
    let whole = bytes(samples)
    for end in 0..<whole.count {
      guard let some = try? records(Array(whole[..<end])) else { continue }
      #expect(some.count < samples.count && some == Array(samples[..<some.count]))
    }
  }

  @Test func `of any bytes does no harm`() throws {
    var random = SeededGenerator(seed: 5)
    let whole = bytes(try samples())
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? records(bytes)
    }
  }
}
