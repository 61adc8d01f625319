import SyncModel
import SyncTestSupport
import Testing

@testable import StateStore

/// A snapshot with any change is accepted only if its bytes are those that were written.
@Suite struct `A damaged snapshot` {
  private func good(_ targets: Int = 12) throws -> [UInt8] {
    let state = StateIdentity(numbers: [1, 2, 3, 4], header: Array(repeating: 9, count: 100), changed: 4)
    var snapshot = try SnapshotSample.make(targets: targets)
    snapshot.confirmed = SnapshotSample.confirmed(targets)
    return SnapshotLayout.encode(snapshot, state, stateSum: ByteSum.Value(count: 1, hash: 8))
  }

  @Test func `is ignored if any bit is flipped`() throws {
    let bytes = try good()
    #expect(SnapshotImage(bytes) != nil)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 8)
      #expect(SnapshotImage(changed) == nil, "byte \(index)")
    }
  }

  @Test func `is ignored if it is cut off at any byte or followed by others`() throws {
    let bytes = try good()
    for count in 0..<bytes.count {
      #expect(SnapshotImage(Array(bytes.prefix(count))) == nil, "\(count) bytes")
    }
    #expect(SnapshotImage(bytes + [0]) == nil)
  }

  @Test func `is ignored after any of thousands of random changes`() throws {
    let bytes = try good()
    let other = try good(13)
    for number in 0..<2000 {
      var random = SeededGenerator(seed: 1, case: number)
      var changed = bytes
      switch random.below(4) {
      case 0:
        for _ in 0...random.below(40) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
      case 1:
        let start = random.below(min(bytes.count, other.count))
        changed = Array(bytes.prefix(start)) + other.dropFirst(start)
      case 2: changed = TestData.random(random.below(2000), seed: random.next())
      default:
        let start = random.below(bytes.count)
        changed.removeSubrange(start..<min(bytes.count, start + 1 + random.below(80)))
      }
      if changed != bytes, changed != other { #expect(SnapshotImage(changed) == nil, "case \(number)") }
    }
  }

  /// With a valid sum it cannot be distinguished from a good one, but it must not crash the reader.
  @Test func `with a valid sum does no harm`() throws {
    let bytes = try good()
    var accepted = 0
    for number in 0..<4000 {
      var random = SeededGenerator(seed: 2, case: number)
      var changed = bytes
      for _ in 0...random.below(4) {
        // Mostly the lengths, which can mislead a reader, with numbers near bounds.
        let word =
          random.oneIn(3)
          ? random.below(changed.count / 8) * 8
          : SealedForm.contentOffset + 8 * random.below(SnapshotLayout.Field.allCases.count)
        let value: UInt64 =
          switch random.below(5) {
          case 0: random.next()
          case 1: UInt64(random.below(300))
          case 2: .max - UInt64(random.below(3))
          case 3: 1 << UInt64(random.below(64))
          default: UInt64(changed.count) &- UInt64(random.below(60))
          }
        for byte in 0..<8 { changed[word + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte)) }
      }
      if random.oneIn(3) { changed.removeLast(random.below(changed.count - SnapshotLayout.fixed)) }
      guard let image = SnapshotImage(Self.sealed(changed)) else { continue }
      accepted += 1
      #expect(SnapshotSample.outputs(of: image).count == image.count)
      if let confirmed = image.confirmed() { #expect(confirmed.count == image.count) }
    }
    // Otherwise nothing was tested.
    #expect(accepted > 20)
  }

  private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    SealedForm.sealed(BinaryWriter(bytes: SnapshotLayout.form.magic + bytes.dropFirst(8)))
  }
}
